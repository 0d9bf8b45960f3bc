#include <gtest/gtest.h>

#include "store/redis/testing.h"

namespace anteroom::redis {
namespace {

using testing::ClientThread;
using testing::eventually;
using testing::options_for;
using testing::RedisServer;

const Script incr_script("return redis.call('INCR', KEYS[1])");

// A primary and a replica that follows it.
struct Pair {
    Pair() { wait(); }
    void wait() {
        EXPECT_TRUE(eventually([&] {
            return primary.info("replication", "slave0").find("state=online") != std::string::npos;
        }));
    }
    RedisServer primary;
    RedisServer replica{{.replica_of = primary.port()}};
};

std::string port_of(const RedisServer& server) {
    return std::to_string(server.port());
}

TEST(RedisReplication, AReplicaLeadsToItsPrimary) {
    Pair pair;
    ClientThread client(options_for(pair.replica));
    EXPECT_EQ(client.call({"SET", "a", "1"}).trouble, Trouble::none);
    EXPECT_EQ(pair.primary.ask({"GET", "a"}), Reply::of("1"));
    EXPECT_TRUE(client.said().contains("it is a replica; its primary is 127.0.0.1:" +
                                       port_of(pair.primary)));
}

TEST(RedisReplication, FollowsWhenThePrimaryBecomesAReplica) {
    Pair pair;
    ClientThread client(options_for(pair.primary));
    EXPECT_EQ(client.run(incr_script, {"a"}).reply, Reply::of(1));
    ASSERT_TRUE(eventually([&] { return pair.replica.ask({"GET", "a"}) == Reply::of("1"); }));
    pair.replica.ask({"REPLICAOF", "NO", "ONE"});
    pair.primary.ask({"REPLICAOF", "127.0.0.1", port_of(pair.replica)});
    const CallResult answer = client.run(incr_script, {"a"});
    EXPECT_EQ(answer.trouble, Trouble::none);
    EXPECT_EQ(answer.reply, Reply::of(2));
    EXPECT_EQ(pair.replica.ask({"GET", "a"}), Reply::of("2"));
    EXPECT_TRUE(client.said().contains("no primary any more"));
}

TEST(RedisReplication, WhoOnlyReadsFollowsToo) {
    Pair pair;
    ClientOptions options = options_for(pair.primary);
    options.check_interval = Millis{20};
    ClientThread client(std::move(options));
    client.call({"SET", "a", "1"});
    pair.replica.ask({"REPLICAOF", "NO", "ONE"});
    pair.primary.ask({"REPLICAOF", "127.0.0.1", port_of(pair.replica)});
    EXPECT_TRUE(client.said().wait_for("it is a replica"));
    EXPECT_TRUE(eventually([&] {
        client.call({"GET", "only there"});
        return pair.replica.calls("get") > 0;
    }));
}

TEST(RedisReplication, ComesHomeWhenThePrimaryDies) {
    Pair pair;
    ClientThread client(options_for(pair.replica));
    EXPECT_EQ(client.call({"SET", "a", "1"}).trouble, Trouble::none);
    ASSERT_TRUE(eventually([&] { return pair.replica.ask({"GET", "a"}) == Reply::of("1"); }));
    pair.primary.kill();
    auto waiting = client.begin({"INCR", "a"}, minutes(1));
    pair.replica.ask({"REPLICAOF", "NO", "ONE"});
    EXPECT_EQ(waiting.get().reply, Reply::of(2));
    EXPECT_EQ(pair.replica.ask({"GET", "a"}), Reply::of("2"));
}

TEST(RedisReplication, AReplicaConfirms) {
    Pair pair;
    ClientOptions options = options_for(pair.primary);
    options.replication_timeout = minutes(1);
    ClientThread client(std::move(options));
    const CallResult answer = client.run_durably(incr_script, {"a"}, {}, 1, minutes(1));
    EXPECT_EQ(answer.trouble, Trouble::none);
    EXPECT_EQ(answer.reply, Reply::of(1));
    EXPECT_EQ(pair.replica.ask({"GET", "a"}), Reply::of("1"));
    EXPECT_EQ(pair.primary.calls("wait"), 1);
}

TEST(RedisReplication, WithoutReplicasItIsDoneButNotConfirmed) {
    RedisServer server;
    ClientOptions options = options_for(server);
    options.replication_timeout = Millis{20};
    ClientThread client(std::move(options));
    const CallResult answer = client.run_durably(incr_script, {"a"}, {}, 1);
    EXPECT_EQ(answer.trouble, Trouble::not_replicated);
    EXPECT_EQ(answer.reply, Reply::of(1));
    EXPECT_EQ(client.counters().not_replicated.value(), 1);
    EXPECT_EQ(client.run_durably(incr_script, {"a"}, {}, 0).trouble, Trouble::none);
    EXPECT_EQ(server.calls("wait"), 1);
}

TEST(RedisReplication, TheDeadlineEndsTheWaitForReplicas) {
    RedisServer server;
    ClientOptions options = options_for(server);
    options.replication_timeout = minutes(1);
    ClientThread client(std::move(options));
    client.run(incr_script, {"a"}); // The connection stands, and the script is known.
    auto one = client.begin_durably(incr_script, {"a"}, {}, 1, Millis{500});
    const CallResult answer = one.get();
    // A slow machine may not even have sent it.
    EXPECT_NE(answer.trouble, Trouble::none);
    EXPECT_EQ(answer.trouble == Trouble::not_replicated, answer.reply == Reply::of(2));
}

TEST(RedisReplication, AllThatWaitShareOneConfirmation) {
    std::promise<void> all;
    Pair pair;
    ClientOptions options = options_for(pair.primary);
    options.replication_timeout = minutes(1);
    ClientThread client(std::move(options));
    constexpr int count = 1'000;
    int answered = 0;
    client.thread().call([&] {
        for (int i = 0; i < count; ++i) {
            client.client().run_durably(
                incr_script, {"a"}, {}, 1,
                [&](const CallResult& answer) {
                    EXPECT_EQ(answer.trouble, Trouble::none);
                    EXPECT_EQ(answer.reply, Reply::of(answered + 1));
                    if (++answered == count) all.set_value();
                },
                minutes(1));
        }
    });
    all.get_future().wait();
    EXPECT_EQ(pair.primary.calls("wait"), 1);
    EXPECT_EQ(client.counters().batches.value(), 1);
    EXPECT_EQ(pair.primary.calls("eval"), 1);
}

TEST(RedisReplication, AScriptThatTheServerForgotIsBroughtAgain) {
    Pair pair;
    ClientThread client(options_for(pair.primary));
    EXPECT_EQ(client.run_durably(incr_script, {"a"}, {}, 1).reply, Reply::of(1));
    EXPECT_EQ(client.run_durably(incr_script, {"a"}, {}, 1).reply, Reply::of(2));
    EXPECT_EQ(pair.primary.calls("eval"), 1);
    pair.primary.ask({"SCRIPT", "FLUSH"});
    EXPECT_EQ(client.run_durably(incr_script, {"a"}, {}, 1).reply, Reply::of(3));
    EXPECT_EQ(pair.primary.calls("eval"), 2);
}

TEST(RedisReplication, WhatComesMeanwhileIsTheNextBatch) {
    Pair pair;
    ClientOptions options = options_for(pair.primary);
    options.replication_timeout = minutes(1);
    ClientThread client(std::move(options));
    EXPECT_EQ(client.run_durably(incr_script, {"a"}, {}, 1).trouble, Trouble::none);
    const std::int64_t waits = pair.primary.calls("wait");
    pair.replica.freeze();
    auto first = client.begin_durably(incr_script, {"a"}, {}, 1, minutes(1));
    ASSERT_TRUE(eventually([&] { return pair.primary.ask({"GET", "a"}) == Reply::of("2"); }));
    std::vector<ClientThread::Later> second;
    second.reserve(10);
    for (int i = 0; i < 10; ++i)
        second.push_back(client.begin_durably(incr_script, {"a"}, {}, 1, minutes(1)));
    // Calls without replicas do not wait behind them.
    EXPECT_EQ(client.call({"GET", "a"}).reply, Reply::of("2"));
    pair.replica.thaw();
    EXPECT_EQ(first.get().trouble, Trouble::none);
    for (auto& one : second) EXPECT_EQ(one.get().trouble, Trouble::none);
    EXPECT_EQ(pair.primary.calls("wait") - waits, 2);
}

TEST(RedisReplication, WhenThePrimaryDiesBeforeTheConfirmationNobodyKnows) {
    RedisServer server;
    ClientOptions options = options_for(server);
    options.replication_timeout = minutes(1);
    ClientThread client(std::move(options));
    auto one = client.begin_durably(incr_script, {"a"}, {}, 1, minutes(1));
    ASSERT_TRUE(eventually([&] { return server.ask({"GET", "a"}) == Reply::of("1"); }));
    server.kill();
    EXPECT_EQ(one.get().trouble, Trouble::unknown);
}

TEST(RedisReplication, APrimaryThatIsDemotedWhileItWaitsLeavesItUnknown) {
    RedisServer server;
    RedisServer other;
    ClientOptions options = options_for(server);
    options.replication_timeout = minutes(1);
    ClientThread client(std::move(options));
    auto one = client.begin_durably(incr_script, {"a"}, {}, 1, minutes(1));
    ASSERT_TRUE(eventually([&] { return server.info("clients", "blocked_clients") == "1"; }));
    server.ask({"REPLICAOF", "127.0.0.1", port_of(other)});
    EXPECT_EQ(one.get().trouble, Trouble::unknown);
}

} // namespace
} // namespace anteroom::redis
