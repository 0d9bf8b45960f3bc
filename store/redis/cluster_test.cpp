#include <gtest/gtest.h>

#include <chrono>

#include "store/redis/testing.h"

namespace anteroom::redis {
namespace {

using testing::ClientThread;
using testing::eventually;
using testing::Lines;
using testing::options_for;
using testing::RedisCluster;
using testing::RedisServer;

const Script incr_script("return redis.call('INCR', KEYS[1])");

// Long: a busy machine must not look like a dead node.
constexpr Millis calm = seconds(15);
constexpr Millis nervous = seconds(2); // For tests in which a node dies.

std::string text_of(std::uint16_t slot) {
    return std::to_string(slot);
}

void set_slot(const RedisServer& at, std::uint16_t slot, const std::string& what,
              const RedisServer& node) {
    const std::string id = RedisCluster::id_of(node);
    EXPECT_EQ(at.ask({"CLUSTER", "SETSLOT", text_of(slot), what, id}), Reply::of("OK"));
}

void begin_move(std::uint16_t slot, const RedisServer& from, const RedisServer& to) {
    set_slot(to, slot, "IMPORTING", from);
    set_slot(from, slot, "MIGRATING", to);
}

// The keys go, then the slot: to its new owner first, as redis-cli does.
void end_move(std::uint16_t slot, const RedisServer& from, const RedisServer& to) {
    for (const Reply& key : from.ask({"CLUSTER", "GETKEYSINSLOT", text_of(slot), "100"}).list) {
        const std::string port = std::to_string(to.port());
        EXPECT_EQ(from.ask({"MIGRATE", "127.0.0.1", port, key.text, "0", "60000"}),
                  Reply::of("OK"));
    }
    set_slot(to, slot, "NODE", to);
    set_slot(from, slot, "NODE", to);
}

TEST(RedisCluster, CallsGoToTheNodeThatHasTheSlot) {
    RedisCluster cluster(3, 0, calm);
    ClientOptions options = options_for(cluster);
    options.url.hosts = {cluster.primary(1).address()}; // One seed is enough.
    ClientThread client(std::move(options));
    for (int i = 0; i < 300; ++i) {
        const std::string key = "key" + std::to_string(i);
        ASSERT_EQ(client.call({"SET", key, key}).trouble, Trouble::none);
        ASSERT_EQ(client.run(incr_script, {"n" + key}).reply, Reply::of(1));
    }
    std::int64_t keys = 0;
    for (int i = 0; i < 3; ++i) {
        const std::int64_t here = cluster.primary(i).ask({"DBSIZE"}).integer;
        EXPECT_GT(here, 0);
        keys += here;
    }
    EXPECT_EQ(keys, 600);
    EXPECT_EQ(client.counters().redirections.value(), 0);
    EXPECT_TRUE(client.is_reachable());
    EXPECT_EQ(client.call({"MSET", "a", "1", "b", "2"}).reply.error_code(), "CROSSSLOT");
}

TEST(RedisCluster, FollowsASlotThatMoves) {
    RedisCluster cluster(3, 0, calm);
    ClientThread client(options_for(cluster));
    const std::uint16_t slot = slot_of("{room}");
    RedisServer& from = cluster.primary(cluster.owner_of(slot));
    RedisServer& to = cluster.primary((cluster.owner_of(slot) + 1) % 3);
    EXPECT_EQ(client.call({"SET", "{room}a", "old"}).trouble, Trouble::none);

    begin_move(slot, from, to);
    // What is still there is found there; what is not is asked for at the other one (ASK).
    EXPECT_EQ(client.call({"GET", "{room}a"}).reply, Reply::of("old"));
    EXPECT_EQ(client.counters().redirections.value(), 0);
    EXPECT_EQ(client.call({"SET", "{room}b", "new"}).trouble, Trouble::none);
    EXPECT_EQ(client.run(incr_script, {"{room}c"}).reply, Reply::of(1));
    EXPECT_GE(client.counters().redirections.value(), 2);
    EXPECT_EQ(to.ask({"CLUSTER", "COUNTKEYSINSLOT", text_of(slot)}), Reply::of(2));
    // Some here, some there: the server wants patience until the move is over (TRYAGAIN).
    auto both = client.begin({"MGET", "{room}a", "{room}b"}, minutes(1));
    ASSERT_TRUE(eventually([&] { return client.counters().retries.value() > 0; }));
    // Who has no patience hears so, unless the time is over while the server is being asked.
    ASSERT_TRUE(eventually([&] {
        return client.call({"MGET", "{room}a", "{room}b"}, Millis{200}).trouble ==
               Trouble::unreachable;
    }));

    end_move(slot, from, to);
    EXPECT_EQ(to_string(both.get().reply), "[\"old\", \"new\"]");
    const std::int64_t before = client.counters().redirections.value();
    EXPECT_EQ(client.call({"GET", "{room}a"}).reply, Reply::of("old"));
    // Once known it is known.
    ASSERT_TRUE(eventually([&] {
        const std::int64_t redirected = client.counters().redirections.value();
        client.call({"GET", "{room}a"});
        return client.counters().redirections.value() == redirected;
    }));
    EXPECT_LE(client.counters().redirections.value(), before + 3);
}

TEST(RedisCluster, ANewNodeIsFound) {
    RedisCluster cluster(3, 0, calm);
    ClientThread client(options_for(cluster));
    const std::uint16_t slot = slot_of("room");
    EXPECT_EQ(client.call({"SET", "room", "1"}).trouble, Trouble::none);
    RedisServer& from = cluster.primary(cluster.owner_of(slot));
    RedisServer& fresh = cluster.add_empty();
    begin_move(slot, from, fresh);
    end_move(slot, from, fresh);
    EXPECT_EQ(client.call({"INCR", "room"}).reply, Reply::of(2));
    EXPECT_EQ(fresh.ask({"GET", "room"}), Reply::of("2"));
}

TEST(RedisCluster, ADurableCallIsConfirmedWhereItRan) {
    RedisCluster cluster(3, 3, calm);
    ClientOptions options = options_for(cluster);
    options.replication_timeout = minutes(1);
    ClientThread client(std::move(options));
    const std::uint16_t slot = slot_of("room");
    const int owner = cluster.owner_of(slot);
    const int other = (owner + 1) % 3;
    EXPECT_EQ(client.run_durably(incr_script, {"room"}, {}, 1, minutes(1)).reply, Reply::of(1));
    EXPECT_EQ(cluster.primary(owner).calls("wait"), 1);
    begin_move(slot, cluster.primary(owner), cluster.primary(other));
    end_move(slot, cluster.primary(owner), cluster.primary(other));
    const CallResult answer = client.run_durably(incr_script, {"room"}, {}, 1, minutes(1));
    EXPECT_EQ(answer.trouble, Trouble::none);
    EXPECT_EQ(answer.reply, Reply::of(2));
    EXPECT_EQ(cluster.primary(other).calls("wait"), 1);
    EXPECT_GE(client.counters().redirections.value(), 1);
}

TEST(RedisCluster, WaitsWhileTheClusterIsDown) {
    RedisCluster cluster(3, 0, nervous);
    ClientThread client(options_for(cluster));
    const int owner = cluster.owner_of(slot_of("room"));
    RedisServer& alive = cluster.primary(owner);
    RedisServer& dead = cluster.primary((owner + 1) % 3);
    EXPECT_EQ(client.call({"SET", "room", "1"}).trouble, Trouble::none);
    dead.kill();
    ASSERT_TRUE(eventually([&] {
        return alive.ask({"GET", "room"}).error_code() == "CLUSTERDOWN";
    }));
    ASSERT_TRUE(eventually([&] {
        const CallResult impatient = client.call({"GET", "room"}, Millis{500});
        return impatient.trouble == Trouble::unreachable &&
               impatient.reply.error_code() == "CLUSTERDOWN";
    }));
    auto patient = client.begin({"INCR", "room"}, minutes(2));
    dead.start();
    EXPECT_EQ(patient.get().reply, Reply::of(2));
}

TEST(RedisCluster, AReplicaTakesOverFromAPrimaryThatDies) {
    RedisCluster cluster(3, 3, nervous);
    ClientThread client(options_for(cluster));
    Lines heard;
    client.subscribe("{room}news", heard);
    ASSERT_TRUE(heard.wait_for("(subscribed)"));
    const int owner = cluster.owner_of(slot_of("{room}"));
    RedisServer& heir = cluster.replica(owner);
    EXPECT_EQ(client.run_durably(incr_script, {"{room}"}, {}, 1).trouble, Trouble::none);
    cluster.primary(owner).kill();
    EXPECT_EQ(client.run(incr_script, {"{room}"}, {}, minutes(2)).reply, Reply::of(2));
    EXPECT_EQ(heir.ask({"GET", "{room}"}), Reply::of("2"));
    EXPECT_EQ(client.call({"GET", "{room}"}).reply, Reply::of("2"));

    ASSERT_TRUE(eventually([&] { return heard.count("(subscribed)") == 2; }));
    heir.ask({"SPUBLISH", "{room}news", "hello"});
    EXPECT_TRUE(heard.wait_for("hello"));
    ASSERT_TRUE(client.becomes_reachable());

    // The old primary comes back as a replica; nothing changes for us.
    cluster.primary(owner).start();
    ASSERT_TRUE(
        eventually([&] { return cluster.primary(owner).info("replication", "role") == "slave"; }));
    EXPECT_EQ(client.call({"INCR", "{room}"}).reply, Reply::of(3));
}

TEST(RedisCluster, APrimaryThatIsFrozenIsReplaced) {
    RedisCluster cluster(3, 3, nervous);
    ClientOptions options = options_for(cluster);
    options.call_timeout = Millis{500};
    options.connect_timeout = Millis{500};
    ClientThread client(std::move(options));
    const int owner = cluster.owner_of(slot_of("room"));
    ASSERT_TRUE(eventually([&] {
        return client.call({"SET", "room", "1"}).trouble == Trouble::none;
    }));
    cluster.primary(owner).freeze();
    EXPECT_TRUE(eventually([&] { return client.call({"INCR", "room"}).trouble == Trouble::none; }));
    EXPECT_EQ(cluster.replica(owner).info("replication", "role"), "master");
    cluster.primary(owner).thaw();
}

TEST(RedisCluster, AManualFailoverLosesNothing) {
    RedisCluster cluster(3, 3, calm);
    ClientThread client(options_for(cluster));
    const int owner = cluster.owner_of(slot_of("room"));
    std::int64_t done = 0;
    for (; done < 100; ++done)
        ASSERT_EQ(client.run(incr_script, {"room"}).reply, Reply::of(done + 1));
    const RedisServer& heir = cluster.replica(owner);
    // Redis gives up a failover that takes longer than five seconds; to be asked sooner would make
    // it begin anew.
    using Steady = std::chrono::steady_clock;
    constexpr std::chrono::seconds given_up_after{6};
    EXPECT_EQ(heir.ask({"CLUSTER", "FAILOVER"}), Reply::of("OK"));
    Steady::time_point asked = Steady::now();
    ASSERT_TRUE(eventually([&] {
        EXPECT_EQ(client.run(incr_script, {"room"}).reply, Reply::of(++done));
        if (heir.info("replication", "role") == "master") return true;
        if (Steady::now() - asked < given_up_after) return false;
        heir.ask({"CLUSTER", "FAILOVER"}); // Refused if it has become the primary meanwhile.
        asked = Steady::now();
        return false;
    }));
    EXPECT_EQ(client.run(incr_script, {"room"}).reply, Reply::of(done + 1));
}

TEST(RedisCluster, ASubscriptionMovesWithItsSlot) {
    RedisCluster cluster(3, 0, calm);
    ClientThread client(options_for(cluster));
    Lines heard;
    client.subscribe("room", heard);
    ASSERT_TRUE(heard.wait_for("(subscribed)"));
    const std::uint16_t slot = slot_of("room");
    RedisServer& from = cluster.primary(cluster.owner_of(slot));
    RedisServer& to = cluster.primary((cluster.owner_of(slot) + 1) % 3);
    EXPECT_EQ(from.ask({"SPUBLISH", "room", "one"}), Reply::of(1));
    ASSERT_TRUE(heard.wait_for("one"));
    begin_move(slot, from, to);
    end_move(slot, from, to);
    ASSERT_TRUE(eventually([&] { return heard.count("(subscribed)") == 2; }));
    EXPECT_EQ(to.ask({"SPUBLISH", "room", "two"}), Reply::of(1));
    EXPECT_TRUE(heard.wait_for("two"));
    EXPECT_EQ(client.counters().messages.value(), 2);
}

TEST(RedisCluster, SeedsThatAreGoneAreSkipped) {
    RedisCluster cluster(3, 0, calm);
    ClientOptions options = options_for(cluster);
    std::vector<Address> seeds;
    seeds.reserve(4);
    for (int i = 0; i < 3; ++i) seeds.push_back(RedisServer().address());
    seeds.push_back(cluster.primary(2).address());
    options.url.hosts = seeds;
    ClientThread client(std::move(options));
    EXPECT_EQ(client.call({"SET", "room", "1"}, minutes(1)).trouble, Trouble::none);
}

TEST(RedisCluster, AServerThatIsNoClusterIsSaid) {
    RedisServer server;
    ClientOptions options = options_for(server);
    options.url.cluster = true;
    ClientThread client(std::move(options));
    const CallResult answer = client.call({"GET", "a"});
    EXPECT_EQ(answer.trouble, Trouble::refused);
    EXPECT_TRUE(answer.reply.text.find("cluster support disabled") != std::string::npos);
    EXPECT_TRUE(client.said().contains("it does not tell the Cluster"));
    EXPECT_FALSE(client.is_reachable());
}

TEST(RedisCluster, ANodeOfAClusterWithAPlainUrlIsSaid) {
    RedisCluster cluster(3, 0, calm);
    ClientThread client(options_for(cluster.primary(0)));
    const int owner = cluster.owner_of(slot_of("foo"));
    ASSERT_NE(owner, 0);
    EXPECT_EQ(client.call({"GET", "foo"}).trouble, Trouble::refused);
    EXPECT_TRUE(client.said().contains("the URL must be redis+cluster://"));
}

} // namespace
} // namespace anteroom::redis
