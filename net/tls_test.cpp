#include "net/tls.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "net/http_client.h"
#include "net/test_certificate.h"
#include "net/testing.h"

namespace anteroom::net {

using testing::Dial;
using testing::eventually;
using testing::LoopThread;
using testing::TestServer;
using testing::write_certificate;

namespace {

void say_hello(const Request& request, Exchange& exchange) {
    exchange.answer(Status::ok, "text/plain", request.secure ? "hello over TLS" : "hello");
}

// Two sessions that talk to each other without sockets.
struct Pair {
    std::unique_ptr<TlsSession> client;
    std::unique_ptr<TlsSession> server;
    std::string client_heard;
    std::string server_heard;

    // Carries bytes to and fro until both are silent.
    void talk(Output to_server, Output to_client = Output()) {
        std::array<char, 4096> plain;
        while (to_server.size() > 0 || to_client.size() > 0) {
            Output next_to_client;
            Output next_to_server;
            carry(*server, to_server, plain, next_to_client, server_heard);
            carry(*client, to_client, plain, next_to_server, client_heard);
            to_server = std::move(next_to_server);
            to_client = std::move(next_to_client);
        }
    }
    void shake_hands() {
        Output hello;
        client->start(hello);
        talk(std::move(hello));
    }

  private:
    static void carry(TlsSession& to, const Output& wire_bytes, std::span<char> plain,
                      Output& answer, std::string& heard) {
        std::string_view wire(wire_bytes.data(), wire_bytes.size());
        while (true) {
            const std::string_view got = to.receive(wire, plain, answer);
            if (got.empty()) break;
            heard += got;
        }
    }
};

// A directory with a certificate for localhost, and who trusts it.
struct World {
    testing::TemporaryDirectory directory;
    TlsFiles files{directory.file("certificate.pem"), directory.file("key.pem")};
    std::shared_ptr<TlsServer> server;
    std::shared_ptr<TlsClient> client;

    explicit World(const std::string& names = "DNS:localhost,IP:127.0.0.1",
                   testing::Validity validity = testing::Validity::now) {
        write_certificate(files.certificate, files.key, names, validity);
        server = *TlsServer::load(files);
        client = *TlsClient::load(files.certificate);
    }
    Pair pair(const std::string& host = "localhost") {
        return Pair{client->connect(host), server->accept(), {}, {}};
    }
};

// A client on a thread of its own.
struct ClientThread {
    LoopThread thread;
    std::unique_ptr<HttpClient> client;

    explicit ClientThread(ClientOptions options) {
        thread.call([&] {
            client = *HttpClient::create(thread.loop, testing::patient(std::move(options)));
        });
    }
    ~ClientThread() {
        thread.call([&] { client.reset(); });
    }
    ClientThread(const ClientThread&) = delete;
    ClientThread& operator=(const ClientThread&) = delete;

    Result<ClientResponse> get(const std::string& url) {
        return testing::fetch(thread, *client, {.url = url});
    }
};

std::string url_of(const TestServer& server, const std::string& host = "localhost") {
    return fmt::format("https://{}:{}/", host, server.port());
}

} // namespace

TEST(TlsSession, CarriesBytesBothWays) {
    World world;
    Pair pair = world.pair();
    pair.shake_hands();
    ASSERT_EQ(pair.client->state(), TlsSession::State::open);
    ASSERT_EQ(pair.server->state(), TlsSession::State::open);
    const std::string large(100'000, 'x');
    Output to_server;
    Output to_client;
    ASSERT_TRUE(pair.client->send("question", to_server));
    ASSERT_TRUE(pair.server->send(large, to_client));
    pair.talk(std::move(to_server), std::move(to_client));
    EXPECT_EQ(pair.server_heard, "question");
    EXPECT_EQ(pair.client_heard, large);
}

TEST(TlsSession, ResumesWithATicket) {
    World world;
    Pair first = world.pair();
    first.shake_hands();
    EXPECT_FALSE(first.client->resumed_testing());
    Pair second = world.pair();
    second.shake_hands();
    EXPECT_TRUE(second.client->resumed_testing());
    EXPECT_TRUE(second.server->resumed_testing());
}

TEST(TlsSession, KnowsAGoodbyeFromACut) {
    World world;
    Pair pair = world.pair();
    pair.shake_hands();
    Output goodbye;
    pair.server->close(goodbye);
    EXPECT_EQ(pair.client->state(), TlsSession::State::open);
    pair.talk(Output(), std::move(goodbye));
    EXPECT_EQ(pair.client->state(), TlsSession::State::closed);
}

TEST(TlsSession, RefusesTheWrongHost) {
    World world;
    Pair pair = world.pair("example.org");
    pair.shake_hands();
    EXPECT_EQ(pair.client->state(), TlsSession::State::failed);
    EXPECT_EQ(pair.client->fault(), "hostname mismatch");
    EXPECT_NE(pair.server->state(), TlsSession::State::handshaking);
}

TEST(TlsSession, RefusesAnExpiredCertificate) {
    World world("DNS:localhost", testing::Validity::expired);
    Pair pair = world.pair();
    pair.shake_hands();
    EXPECT_EQ(pair.client->state(), TlsSession::State::failed);
    EXPECT_EQ(pair.client->fault(), "certificate has expired");
}

TEST(TlsSession, RefusesAnUnknownAuthority) {
    World world;
    World other;
    world.client = other.client;
    Pair pair = world.pair();
    pair.shake_hands();
    EXPECT_EQ(pair.client->state(), TlsSession::State::failed);
}

TEST(TlsSession, FlippedBytesEndTheSession) {
    World world;
    Pair pair = world.pair();
    pair.shake_hands();
    Output to_server;
    ASSERT_TRUE(pair.client->send("question", to_server));
    to_server[to_server.size() - 1] = static_cast<char>(to_server[to_server.size() - 1] ^ 1);
    pair.talk(std::move(to_server));
    EXPECT_EQ(pair.server_heard, "");
    EXPECT_EQ(pair.server->state(), TlsSession::State::failed);
}

TEST(TlsServer, SaysWhatIsWrongWithItsFiles) {
    const testing::TemporaryDirectory directory;
    const std::string certificate = directory.file("c.pem");
    const std::string key = directory.file("k.pem");
    const auto missing = TlsServer::load({certificate, key});
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.fault().reason.find("c.pem"), std::string::npos);
    write_certificate(certificate, key, "DNS:a");
    write_certificate(directory.file("other.pem"), key, "DNS:b");
    const auto mismatch = TlsServer::load({certificate, key});
    ASSERT_FALSE(mismatch);
    EXPECT_NE(mismatch.fault().reason.find("k.pem"), std::string::npos);
}

TEST(TlsServer, ReloadChangesNewConnectionsOnly) {
    World world;
    Pair before = world.pair();
    before.shake_hands();
    write_certificate(world.files.certificate, world.files.key, "DNS:localhost");
    ASSERT_TRUE(world.server->reload());
    Output to_server;
    ASSERT_TRUE(before.client->send("still here", to_server));
    before.talk(std::move(to_server));
    EXPECT_EQ(before.server_heard, "still here");

    Pair distrustful = world.pair();
    distrustful.shake_hands();
    EXPECT_EQ(distrustful.client->state(), TlsSession::State::failed);
    world.client = *TlsClient::load(world.files.certificate);
    Pair trustful = world.pair();
    trustful.shake_hands();
    EXPECT_EQ(trustful.client->state(), TlsSession::State::open);
}

TEST(TlsServer, FailedReloadKeepsTheOldCertificate) {
    World world;
    write_certificate(world.directory.file("other.pem"), world.files.key, "DNS:localhost");
    EXPECT_FALSE(world.server->reload());
    Pair pair = world.pair();
    pair.shake_hands();
    EXPECT_EQ(pair.client->state(), TlsSession::State::open);
}

TEST(TlsServer, ServesHttpOverTls) {
    World world;
    TestServer server(say_hello, {.tls = world.server});
    ClientThread client({.authorities = world.files.certificate});
    for (const char* host : {"localhost", "127.0.0.1", "localhost"}) {
        const auto response = client.get(url_of(server, host));
        ASSERT_TRUE(response) << response.fault().reason;
        EXPECT_EQ(response->body, "hello over TLS");
    }
    EXPECT_EQ(server.stats().accepted.value(), 2); // Kept alive, one for each name.
}

TEST(TlsServer, ClientRefusesAServerWithAnotherName) {
    World world("DNS:example.org");
    TestServer server(say_hello, {.tls = world.server});
    ClientThread client({.authorities = world.files.certificate});
    const auto response = client.get(url_of(server));
    ASSERT_FALSE(response);
    EXPECT_NE(response.fault().reason.find("hostname mismatch"), std::string::npos);
}

TEST(TlsServer, ClientExpectsTheServerNameItWasGiven) {
    World world("DNS:example.org");
    TestServer server(say_hello, {.tls = world.server});
    ClientThread client({.authorities = world.files.certificate, .server_name = "example.org"});
    const auto response = client.get(url_of(server, "127.0.0.1"));
    ASSERT_TRUE(response) << response.fault().reason;
    EXPECT_EQ(response->body, "hello over TLS");
}

TEST(TlsServer, PlainHttpAndSilenceAreClosed) {
    World world;
    ServerOptions options;
    options.tls = world.server;
    options.limits.handshake_deadline = Millis{50};
    TestServer server(say_hello, options);
    Dial plain = testing::dial_saying(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(plain.read_all().find("HTTP"), std::string::npos);
    Dial silent(server.port());
    EXPECT_EQ(silent.read_some(), "");
    EXPECT_TRUE(eventually([&] { return server.stats().connections.value() == 0; }));
    EXPECT_EQ(server.stats().handshake_faults.value(), 1);
}

TEST(TlsServer, LargeAnswersPassThroughTls) {
    World world;
    const std::string large(900'000, 'x');
    TestServer server([&](const Request&,
                          Exchange& exchange) { exchange.answer(Status::ok, "text/plain", large); },
                      {.tls = world.server});
    ClientThread client({.authorities = world.files.certificate});
    const auto response = client.get(url_of(server));
    ASSERT_TRUE(response) << response.fault().reason;
    EXPECT_EQ(response->body, large);
}

} // namespace anteroom::net
