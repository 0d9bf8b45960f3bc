#include "store/redis/client.h"

#include <gtest/gtest.h>

#include "store/redis/testing.h"

namespace anteroom::redis {
namespace {

using testing::ClientThread;
using testing::eventually;
using testing::options_for;
using testing::RedisServer;

const Script set_script("redis.call('SET', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])");

// Whoever listened there has gone.
Address nowhere() {
    RedisServer server;
    return server.address();
}

TEST(RedisClient, AnswersACall) {
    RedisServer server;
    ClientThread client(options_for(server));
    const CallResult set = client.call({"SET", "a", "1"});
    EXPECT_EQ(set.trouble, Trouble::none);
    EXPECT_EQ(set.reply, Reply::of("OK"));
    EXPECT_EQ(client.call({"INCRBY", "a", "41"}).reply, Reply::of(42));
    EXPECT_TRUE(client.call({"GET", "b"}).reply.is_nil());
    EXPECT_EQ(server.ask({"GET", "a"}), Reply::of("42"));
    EXPECT_TRUE(client.is_reachable());
    EXPECT_TRUE(client.said().all().empty());
    EXPECT_NE(server.ask({"CLIENT", "LIST"}).text.find("name=anteroom"), std::string::npos);
}

TEST(RedisClient, AnErrorIsARefusal) {
    RedisServer server;
    ClientThread client(options_for(server));
    const CallResult answer = client.call({"GET", "a", "b"});
    EXPECT_EQ(answer.trouble, Trouble::refused);
    EXPECT_TRUE(answer.reply.text.starts_with("ERR wrong number")) << answer.reply.text;
    EXPECT_EQ(client.counters().refused.value(), 1);
    EXPECT_EQ(client.call({"PING"}).trouble, Trouble::none);
}

TEST(RedisClient, UsesTheDatabaseOfTheUrl) {
    RedisServer server;
    ClientOptions options = options_for(server);
    options.url.database = 3;
    ClientThread client(std::move(options));
    EXPECT_EQ(client.call({"SET", "a", "1"}).trouble, Trouble::none);
    EXPECT_EQ(server.info("keyspace", "db3").substr(0, 6), "keys=1");
}

TEST(RedisClient, TenThousandCallsAreAnsweredInTheirOrder) {
    std::promise<void> all;
    RedisServer server;
    ClientThread client(options_for(server));
    constexpr int count = 10'000;
    std::vector<int> order;
    client.thread().call([&] {
        for (int i = 0; i < count; ++i) {
            client.client().call("k", {"ECHO", std::to_string(i)},
                                 [&, i](const CallResult& answer) {
                                     EXPECT_EQ(answer.reply.text, std::to_string(i));
                                     order.push_back(i);
                                     if (order.size() == count) all.set_value();
                                 });
        }
        EXPECT_TRUE(order.empty()); // Never inside the call.
        EXPECT_EQ(client.counters().in_flight.value(), count);
    });
    all.get_future().wait();
    for (int i = 0; i < count; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(client.counters().in_flight.value(), 0);
}

TEST(RedisClient, BringsAScriptThatTheServerDoesNotKnow) {
    RedisServer server;
    ClientThread client(options_for(server));
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(client.run(set_script, {"a"}, {"1"}).reply, Reply::of("1"));
        EXPECT_EQ(client.run(set_script, {"a"}, {"2"}).reply, Reply::of("2"));
        EXPECT_EQ(server.calls("eval"), round + 1);
        server.ask({"SCRIPT", "FLUSH"});
    }
}

TEST(RedisClient, BringsAScriptOnceForManyThatMissIt) {
    std::promise<void> all;
    RedisServer server;
    ClientThread client(options_for(server));
    constexpr int count = 500;
    int answered = 0;
    client.thread().call([&] {
        for (int i = 0; i < count; ++i) {
            const std::string value = std::to_string(i);
            client.client().run(set_script, {"a"}, {value}, [&, value](const CallResult& answer) {
                EXPECT_EQ(answer.reply, Reply::of(value));
                if (++answered == count) all.set_value();
            });
        }
    });
    all.get_future().wait();
    EXPECT_EQ(server.calls("eval"), 1);
}

TEST(RedisClient, AScriptThatFailsIsARefusal) {
    RedisServer server;
    ClientThread client(options_for(server));
    const CallResult answer = client.run(Script("return redis.call('NONSENSE')"), {"a"});
    EXPECT_EQ(answer.trouble, Trouble::refused);
    EXPECT_TRUE(answer.reply.is_error());
}

TEST(RedisClient, ALateReplyIsDroppedAndTheOthersStillMatch) {
    RedisServer server;
    ClientThread client(options_for(server));
    client.call({"SET", "x", "of x"});
    client.call({"SET", "y", "of y"});
    server.freeze();
    auto late = client.begin({"GET", "x"}, Millis{20});
    auto patient = client.begin({"GET", "y"}, minutes(1));
    EXPECT_EQ(late.get().trouble, Trouble::unknown);
    EXPECT_EQ(client.counters().unknown.value(), 1);
    server.thaw();
    EXPECT_EQ(patient.get().reply, Reply::of("of y"));
    EXPECT_EQ(client.call({"GET", "x"}).reply, Reply::of("of x"));
    EXPECT_EQ(client.counters().reconnects.value(), 0);
}

TEST(RedisClient, ASilentServerIsConnectedAnew) {
    RedisServer server;
    ClientOptions options = options_for(server);
    options.call_timeout = Millis{100};
    ClientThread client(std::move(options));
    ASSERT_TRUE(client.becomes_reachable());
    server.freeze();
    EXPECT_EQ(client.call({"PING"}).trouble, Trouble::unknown);
    EXPECT_TRUE(client.said().wait_for("says nothing"));
    EXPECT_FALSE(client.is_reachable());
    EXPECT_EQ(client.call({"PING"}, Millis{20}).trouble, Trouble::unreachable);
    server.thaw();
    EXPECT_EQ(client.call({"PING"}, minutes(1)).trouble, Trouble::none);
    EXPECT_TRUE(client.said().wait_for(": connected"));
}

TEST(RedisClient, WhatIsUnderWayWhenTheServerDiesIsUnknown) {
    RedisServer server({.keeps_data = true});
    ClientThread client(options_for(server));
    client.call({"SET", "a", "1"});
    server.freeze();
    const std::int64_t before = client.counters().bytes_sent.value();
    auto sent = client.begin({"INCR", "a"});
    ASSERT_TRUE(eventually([&] { return client.counters().bytes_sent.value() > before; }));
    server.kill();
    EXPECT_EQ(sent.get().trouble, Trouble::unknown);
    // What has not been sent waits for the server to come back.
    auto waiting = client.begin({"GET", "a"}, minutes(1));
    server.start();
    const CallResult answer = waiting.get();
    EXPECT_EQ(answer.trouble, Trouble::none);
    EXPECT_FALSE(answer.reply.is_nil());
}

TEST(RedisClient, ACallThatNeverLeftIsUnreachable) {
    ClientThread client(options_for(nowhere()));
    const CallResult answer = client.call({"SET", "a", "1"}, Millis{200});
    EXPECT_EQ(answer.trouble, Trouble::unreachable);
    EXPECT_TRUE(answer.reply.is_nil());
    EXPECT_FALSE(client.is_reachable());
    EXPECT_TRUE(eventually([&] { return client.counters().reconnects.value() > 3; }));
    EXPECT_EQ(client.said().all().size(), 1u); // Not per try.
    EXPECT_TRUE(client.said().contains("cannot be reached: nobody listens there"));
}

TEST(RedisClient, ANameThatNobodyKnowsIsSaid) {
    ClientThread client(options_for(Address{.host = "no-such-host.invalid", .port = 6379}));
    EXPECT_TRUE(client.said().wait_for("cannot be reached"));
    EXPECT_EQ(client.call({"PING"}, Millis{20}).trouble, Trouble::unreachable);
}

TEST(RedisClient, ANameIsLookedUp) {
    RedisServer server;
    ClientThread client(options_for(Address{.host = "localhost", .port = server.port()}));
    EXPECT_EQ(client.call({"PING"}).trouble, Trouble::none);
}

TEST(RedisClient, TooManyCallsAreRefusedAtOnce) {
    ClientOptions options = options_for(nowhere());
    options.calls_max = 10;
    ClientThread client(std::move(options));
    std::vector<ClientThread::Later> waiting;
    waiting.reserve(10);
    for (int i = 0; i < 10; ++i) waiting.push_back(client.begin({"GET", "a"}));
    EXPECT_EQ(client.call({"GET", "a"}).trouble, Trouble::unreachable);
    EXPECT_EQ(client.counters().overloads.value(), 1);
    client.destroy_client();
    for (auto& one : waiting) EXPECT_EQ(one.get().trouble, Trouble::unreachable);
}

TEST(RedisClient, TooManyBytesAreRefusedAtOnce) {
    ClientOptions options = options_for(nowhere());
    options.bytes_max = 100'000;
    ClientThread client(std::move(options));
    auto waiting = client.begin({"SET", "a", std::string(60'000, 'x')});
    EXPECT_EQ(client.call({"SET", "a", std::string(60'000, 'x')}).trouble, Trouble::unreachable);
    EXPECT_EQ(client.counters().overloads.value(), 1);
    client.destroy_client();
    EXPECT_EQ(waiting.get().trouble, Trouble::unreachable);
}

TEST(RedisClient, CarriesLargeValuesBothWays) {
    RedisServer server;
    ClientThread client(options_for(server));
    const std::string large(8 << 20, 'x');
    EXPECT_EQ(client.call({"SET", "a", large}).trouble, Trouble::none);
    EXPECT_EQ(client.call({"GET", "a"}).reply.text, large);
}

TEST(RedisClient, StopAnswersEverything) {
    ClientThread client(options_for(nowhere()));
    client.thread().call([&] {
        int answered = 0;
        const auto count = [&](const CallResult& answer) {
            EXPECT_EQ(answer.trouble, Trouble::unreachable);
            ++answered;
        };
        for (int i = 0; i < 5; ++i) client.client().call("a", {"GET", "a"}, count);
        EXPECT_EQ(answered, 0);
        client.client().stop();
        EXPECT_EQ(answered, 5);
        client.client().stop();
        EXPECT_FALSE(client.client().is_reachable());
    });
    EXPECT_EQ(client.call({"GET", "a"}).trouble, Trouble::unreachable);
}

TEST(RedisClient, StopAnswersWhatIsUnderWay) {
    RedisServer server;
    ClientThread client(options_for(server));
    client.call({"PING"});
    server.freeze();
    const std::int64_t before = client.counters().bytes_sent.value();
    auto sent = client.begin({"INCR", "a"});
    ASSERT_TRUE(eventually([&] { return client.counters().bytes_sent.value() > before; }));
    client.destroy_client();
    EXPECT_EQ(sent.get().trouble, Trouble::unknown);
}

TEST(RedisClient, MayBeDestroyedByAnAnswer) {
    std::promise<int> all;
    RedisServer server;
    net::testing::LoopThread thread;
    std::unique_ptr<Client> client;
    int answered = 0;
    thread.call([&] {
        client = std::make_unique<Client>(thread.loop, options_for(server));
        client->start();
        for (int i = 0; i < 3; ++i) {
            client->call("a", {"PING"}, [&](const CallResult&) {
                if (++answered == 1) return client.reset(); // The others are answered in here.
                if (answered == 3) all.set_value(answered);
            });
        }
    });
    EXPECT_EQ(all.get_future().get(), 3);
}

TEST(RedisClient, CallsThatAnswersLeadToAreAnswered) {
    std::promise<std::int64_t> last;
    RedisServer server;
    ClientThread client(options_for(server));
    std::function<void(const CallResult&)> again;
    again = [&](const CallResult& answer) {
        if (answer.reply.integer >= 100) return last.set_value(answer.reply.integer);
        client.client().call("a", {"INCR", "a"}, again);
    };
    client.thread().call([&] { client.client().call("a", {"INCR", "a"}, again); });
    EXPECT_EQ(last.get_future().get(), 100);
}

TEST(RedisClient, ABusyServerIsAskedAgain) {
    RedisServer server({.settings = {"--busy-reply-threshold", "1"}});
    ClientThread client(options_for(server));
    auto endless = client.begin({"EVAL", "while true do end", "0"}, minutes(1));
    // On other connections than the one that waits: replies of one come in order.
    ASSERT_TRUE(eventually([&] { return server.ask({"PING"}).error_code() == "BUSY"; }));
    ClientOptions options = options_for(server);
    options.connect_timeout = seconds(1);
    ClientThread other(std::move(options));
    auto waiting = other.begin({"SET", "a", "1"}, minutes(1));
    EXPECT_TRUE(other.said().wait_for("cannot be reached: BUSY"));
    EXPECT_EQ(server.ask({"SCRIPT", "KILL"}), Reply::of("OK"));
    EXPECT_EQ(endless.get().trouble, Trouble::refused);
    EXPECT_EQ(waiting.get().trouble, Trouble::none);
}

} // namespace
} // namespace anteroom::redis
