#include <gtest/gtest.h>

#include "store/redis/testing.h"

namespace anteroom::redis {
namespace {

using testing::ClientThread;
using testing::eventually;
using testing::options_for;
using testing::RedisServer;

TEST(RedisSecurity, ThePasswordIsGiven) {
    RedisServer server({.password = "sesame"});
    ClientOptions options = options_for(server);
    options.url.password = "sesame";
    ClientThread client(std::move(options));
    EXPECT_EQ(client.call({"SET", "a", "1"}).trouble, Trouble::none);
    EXPECT_TRUE(client.said().all().empty());
}

TEST(RedisSecurity, AWrongPasswordIsRefusedAndSaidOnce) {
    RedisServer server({.password = "sesame"});
    ClientOptions options = options_for(server);
    options.url.password = "sesame-not";
    ClientThread client(std::move(options));
    const CallResult answer = client.call({"GET", "a"});
    EXPECT_EQ(answer.trouble, Trouble::refused);
    EXPECT_EQ(answer.reply.error_code(), "WRONGPASS");
    EXPECT_TRUE(eventually([&] { return client.counters().reconnects.value() > 2; }));
    EXPECT_EQ(client.call({"GET", "a"}).trouble, Trouble::refused);
    ASSERT_EQ(client.said().all().size(), 1u);
    EXPECT_TRUE(client.said().contains("refuses us: WRONGPASS"));
    EXPECT_FALSE(client.said().contains("sesame"));
    EXPECT_FALSE(client.is_reachable());
    // Whoever runs the server sets it right, and it goes on.
    server.ask({"CONFIG", "SET", "requirepass", "sesame-not"});
    EXPECT_TRUE(eventually([&] { return client.call({"GET", "a"}).trouble == Trouble::none; }));
    EXPECT_TRUE(client.said().contains(": connected"));
}

TEST(RedisSecurity, AMissingPasswordIsRefused) {
    RedisServer server({.password = "sesame"});
    ClientThread client(options_for(server));
    const CallResult answer = client.call({"GET", "a"});
    EXPECT_EQ(answer.trouble, Trouble::refused);
    EXPECT_EQ(answer.reply.error_code(), "NOAUTH");
    EXPECT_TRUE(client.said().contains("NOAUTH"));
}

TEST(RedisSecurity, APasswordThatNobodyWantsIsRefused) {
    RedisServer server;
    ClientOptions options = options_for(server);
    options.url.password = "sesame";
    ClientThread client(std::move(options));
    EXPECT_EQ(client.call({"GET", "a"}).trouble, Trouble::refused);
    EXPECT_FALSE(client.said().contains("sesame"));
}

TEST(RedisSecurity, AUserMayDoWhatTheListAllows) {
    RedisServer server;
    // Neither ROLE nor CLIENT: who may do what we need must not need more.
    server.ask({"ACL", "SETUSER", "ann", "on", ">sesame", "~room:*", "+get", "+set"});
    ClientOptions options = options_for(server);
    options.url.user = "ann";
    options.url.password = "sesame";
    ClientThread client(std::move(options));
    EXPECT_EQ(client.call({"SET", "room:1", "1"}).trouble, Trouble::none);
    for (int i = 0; i < 2; ++i) {
        const CallResult answer = client.call({"DEL", "room:1"});
        EXPECT_EQ(answer.trouble, Trouble::refused);
        EXPECT_EQ(answer.reply.error_code(), "NOPERM");
    }
    EXPECT_EQ(client.said().count("refuses a command: NOPERM"), 1);
    EXPECT_FALSE(client.said().contains("sesame"));
    EXPECT_EQ(client.call({"GET", "room:1"}).reply, Reply::of("1"));
}

struct Secure {
    std::string authorities; // Empty: the server's own certificate.
    std::string server_name;
    std::string host = "127.0.0.1";
};

std::unique_ptr<ClientThread> secure_client(const RedisServer& server, const Secure& how) {
    ClientOptions options = options_for(Address{.host = how.host, .port = server.tls_port()});
    options.url.tls = true;
    options.tls =
        *net::TlsClient::load(how.authorities.empty() ? server.certificate() : how.authorities);
    options.server_name = how.server_name;
    return std::make_unique<ClientThread>(std::move(options));
}

TEST(RedisSecurity, TlsWithATrustedCertificate) {
    RedisServer server({.tls_names = "DNS:redis.example,DNS:localhost,IP:127.0.0.1"});
    for (const Secure& how :
         {Secure{}, Secure{.host = "localhost"}, Secure{.server_name = "redis.example"}}) {
        const auto client = secure_client(server, how);
        EXPECT_EQ(client->call({"SET", "a", std::string(300'000, 'x')}).trouble, Trouble::none);
        EXPECT_EQ(client->call({"GET", "a"}).reply.text.size(), 300'000u);
        EXPECT_TRUE(client->said().all().empty());
    }
}

TEST(RedisSecurity, TlsSurvivesARestart) {
    RedisServer server({.tls_names = "IP:127.0.0.1"});
    const auto client = secure_client(server, {});
    EXPECT_EQ(client->call({"PING"}).trouble, Trouble::none);
    server.kill();
    server.start();
    EXPECT_EQ(client->call({"PING"}, minutes(1)).trouble, Trouble::none);
}

TEST(RedisSecurity, ACertificateOfAStrangerIsNotTrusted) {
    RedisServer server({.tls_names = "IP:127.0.0.1"});
    RedisServer stranger({.tls_names = "IP:127.0.0.1"});
    const auto client = secure_client(server, {.authorities = stranger.certificate()});
    EXPECT_TRUE(client->said().wait_for("TLS failed: the certificate is not trusted"));
    EXPECT_EQ(client->call({"PING"}, Millis{100}).trouble, Trouble::unreachable);
    EXPECT_TRUE(eventually([&] { return client->counters().reconnects.value() > 2; }));
    EXPECT_EQ(client->said().all().size(), 1u);
}

TEST(RedisSecurity, ACertificateForAnotherNameIsNotTrusted) {
    RedisServer server({.tls_names = "DNS:redis.example"});
    for (const Secure& how : {Secure{}, Secure{.server_name = "other.example"}}) {
        const auto client = secure_client(server, how);
        EXPECT_TRUE(client->said().wait_for("TLS failed: the certificate is for another name"));
        EXPECT_EQ(client->call({"PING"}, Millis{100}).trouble, Trouble::unreachable);
    }
}

TEST(RedisSecurity, TlsToAPlainPortIsSaid) {
    RedisServer server({.tls_names = "IP:127.0.0.1"});
    ClientOptions options = options_for(server); // The plain port.
    options.url.tls = true;
    options.tls = *net::TlsClient::load(server.certificate());
    options.connect_timeout = Millis{100}; // Redis waits for the end of a line.
    ClientThread client(std::move(options));
    EXPECT_TRUE(client.said().wait_for("TLS failed: no answer in time"));
}

TEST(RedisSecurity, APlainConnectionToATlsPortIsSaid) {
    RedisServer server({.tls_names = "IP:127.0.0.1"});
    ClientThread client(options_for(Address{.host = "127.0.0.1", .port = server.tls_port()}));
    EXPECT_TRUE(client.said().wait_for("cannot be reached"));
    EXPECT_EQ(client.call({"PING"}, Millis{20}).trouble, Trouble::unreachable);
}

} // namespace
} // namespace anteroom::redis
