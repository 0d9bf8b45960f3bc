#include <gtest/gtest.h>

#include "store/redis/testing.h"

namespace anteroom::redis {
namespace {

using testing::ClientThread;
using testing::eventually;
using testing::Lines;
using testing::options_for;
using testing::RedisServer;

TEST(RedisSubscription, HearsWhatIsPublished) {
    RedisServer server;
    ClientThread client(options_for(server));
    Lines ann;
    Lines bob;
    client.subscribe("ann", ann);
    client.subscribe("bob", bob);
    ASSERT_TRUE(ann.wait_for("(subscribed)"));
    ASSERT_TRUE(bob.wait_for("(subscribed)"));
    EXPECT_EQ(server.ask({"SPUBLISH", "ann", "for ann"}), Reply::of(1));
    EXPECT_EQ(server.ask({"SPUBLISH", "bob", std::string("\0\r\n", 3)}), Reply::of(1));
    ASSERT_TRUE(ann.wait_for("for ann"));
    ASSERT_TRUE(bob.wait_for(std::string("\0\r\n", 3)));
    EXPECT_EQ(ann.all(), (std::vector<std::string>{"(subscribed)", "for ann"}));
    EXPECT_EQ(client.counters().messages.value(), 2);
}

TEST(RedisSubscription, EndsWhenItIsNotWantedAnyMore) {
    RedisServer server;
    ClientThread client(options_for(server));
    Lines ann;
    Lines bob;
    client.subscribe("ann", ann);
    client.subscribe("bob", bob);
    ASSERT_TRUE(ann.wait_for("(subscribed)"));
    ASSERT_TRUE(bob.wait_for("(subscribed)"));
    client.unsubscribe("ann");
    ASSERT_TRUE(eventually([&] { return server.ask({"SPUBLISH", "ann", "x"}) == Reply::of(0); }));
    EXPECT_EQ(server.ask({"SPUBLISH", "bob", "x"}), Reply::of(1));
    client.unsubscribe("bob");
    client.unsubscribe("nobody");
    ASSERT_TRUE(eventually([&] { return server.ask({"SPUBLISH", "bob", "x"}) == Reply::of(0); }));
    // And may be wanted again.
    client.subscribe("ann", ann);
    ASSERT_TRUE(eventually([&] { return ann.count("(subscribed)") == 2; }));
    server.ask({"SPUBLISH", "ann", "again"});
    EXPECT_TRUE(ann.wait_for("again"));
}

TEST(RedisSubscription, StandsAgainAfterARestart) {
    RedisServer server;
    ClientThread client(options_for(server));
    Lines heard;
    client.subscribe("ann", heard);
    ASSERT_TRUE(heard.wait_for("(subscribed)"));
    server.kill();
    server.start();
    ASSERT_TRUE(eventually([&] { return heard.count("(subscribed)") == 2; }));
    EXPECT_EQ(server.ask({"SPUBLISH", "ann", "again"}), Reply::of(1));
    EXPECT_TRUE(heard.wait_for("again"));
}

TEST(RedisSubscription, NoticesThatTheServerIsSilent) {
    RedisServer server;
    ClientOptions options = options_for(server);
    options.check_interval = Millis{50};
    options.call_timeout = Millis{50};
    ClientThread client(std::move(options));
    Lines heard;
    client.subscribe("ann", heard);
    ASSERT_TRUE(heard.wait_for("(subscribed)"));
    server.freeze();
    EXPECT_TRUE(client.said().wait_for("it says nothing"));
    // Both the calls' connection and this one.
    ASSERT_TRUE(eventually([&] { return client.counters().reconnects.value() >= 2; }));
    server.thaw();
    ASSERT_TRUE(eventually([&] { return heard.count("(subscribed)") >= 2; }));
}

TEST(RedisSubscription, FollowsToTheNewPrimary) {
    RedisServer primary;
    RedisServer replica({.replica_of = primary.port()});
    ClientOptions options = options_for(primary);
    options.check_interval = Millis{50};
    ClientThread client(std::move(options));
    Lines heard;
    client.subscribe("ann", heard);
    ASSERT_TRUE(heard.wait_for("(subscribed)"));
    replica.ask({"REPLICAOF", "NO", "ONE"});
    primary.ask({"REPLICAOF", "127.0.0.1", std::to_string(replica.port())});
    ASSERT_TRUE(eventually([&] { return heard.count("(subscribed)") == 2; }));
    EXPECT_EQ(replica.ask({"SPUBLISH", "ann", "hello"}), Reply::of(1));
    EXPECT_TRUE(heard.wait_for("hello"));
    EXPECT_EQ(heard.count("hello"), 1);
}

TEST(RedisSubscription, MayEndItselfOrTheClient) {
    RedisServer server;
    std::promise<void> ended;
    net::testing::LoopThread thread;
    std::unique_ptr<Client> client;
    thread.call([&] {
        client = std::make_unique<Client>(thread.loop, options_for(server));
        client->subscribe("bob", [&](const std::optional<std::string>& message) {
            if (!message) return;
            client.reset();
            ended.set_value();
        });
        client->subscribe("ann", [&](const std::optional<std::string>& message) {
            if (!message) return;
            EXPECT_EQ(*message, "end");
            client->unsubscribe("ann");
        });
        client->start();
    });
    ASSERT_TRUE(eventually([&] { return server.ask({"SPUBLISH", "ann", "end"}) == Reply::of(1); }));
    ASSERT_TRUE(eventually([&] { return server.ask({"SPUBLISH", "ann", "end"}) == Reply::of(0); }));
    ASSERT_TRUE(eventually([&] { return server.ask({"SPUBLISH", "bob", "end"}) == Reply::of(1); }));
    ended.get_future().wait();
}

TEST(RedisSubscription, ARefusalIsSaidAndTriedAgain) {
    RedisServer server;
    server.ask({"ACL", "SETUSER", "ann", "on", ">sesame", "~*", "resetchannels", "+@all"});
    ClientOptions options = options_for(server);
    options.url.user = "ann";
    options.url.password = "sesame";
    ClientThread client(std::move(options));
    Lines heard;
    client.subscribe("news", heard);
    ASSERT_TRUE(client.said().wait_for("it refuses a subscription: NOPERM"));
    server.ask({"ACL", "SETUSER", "ann", "&news"});
    EXPECT_TRUE(heard.wait_for("(subscribed)"));
    EXPECT_EQ(client.said().count("NOPERM"), 1);
}

} // namespace
} // namespace anteroom::redis
