// What only stores can do that several processes share: take over, find each other, read again.
#include <gtest/gtest.h>

#include "store/redis/redis_server_testing.h"
#include "store/shared/keys.h"
#include "store/shared/redis_store.h"
#include "tests/contract/process.h"

namespace anteroom::contract {
namespace {

using redis::Reply;

// Three processes on one Redis, which a test may disturb.
struct SharedRooms : testing::Test {
    SharedRooms() {
        for (std::unique_ptr<Process>& process : processes) process = another();
    }

    std::unique_ptr<Process> another() {
        return std::make_unique<Process>(
            [this](const Clock& clock, StoreListener& listener) -> std::unique_ptr<Store> {
                shared::RedisOptions options{.url = {.hosts = {server.address()}},
                                             .replicas = 0,
                                             .keys_mark = mark,
                                             .snapshot_facts = 40,
                                             .say = [](const std::string& line) {
                                                 if (std::getenv("ANTEROOM_TEST_SAY"))
                                                     std::fprintf(stderr, "%s\n", line.c_str());
                                             }};
                return std::make_unique<shared::RedisStore>(clock, listener, std::move(options));
            });
    }
    Reply ask(const std::vector<std::string>& words) { return server.ask(words); }
    // Everybody has got this far.
    void await_all(std::string_view id, std::uint64_t sequence) {
        for (const std::unique_ptr<Process>& process : processes)
            Process::eventually([&] { return process->sequence(id) >= sequence; });
    }
    void expect_equal_copies(std::string_view id) {
        std::uint64_t sequence = 0;
        for (const std::unique_ptr<Process>& process : processes)
            sequence = std::max(sequence, process->sequence(id));
        await_all(id, sequence);
        for (const std::unique_ptr<Process>& process : processes)
            EXPECT_EQ(process->digest(id), processes[0]->digest(id));
    }

    static Join join(std::uint64_t who) { return {.visitor = {.high = who, .low = who}}; }
    static Number number_of(const Outcome& outcome) {
        const auto* standing = std::get_if<Standing>(&outcome);
        EXPECT_TRUE(standing);
        return standing ? standing->number : 0;
    }

    std::string mark = "mark";
    redis::testing::RedisServer server;
    std::array<std::unique_ptr<Process>, 3> processes;
};

TEST_F(SharedRooms, WhoIsReplacedReadsTheRoomAgainAndNothingIsLost) {
    processes[0]->make("r");
    for (std::uint64_t who = 1; who <= 20; ++who)
        EXPECT_EQ(number_of(processes[who % 3]->insist("r", join(who))), who);
    // As if it had been stopped for long, and another one had begun to write.
    ask({"SET", "{r}:writer", "somebody"});
    const Outcome refused = processes[0]->ask("r", join(100));
    EXPECT_EQ(refused, Outcome(Refused{Reason::unavailable}));
    ask({"DEL", "{r}:writer"});
    for (std::uint64_t who = 21; who <= 40; ++who)
        EXPECT_EQ(number_of(processes[who % 3]->insist("r", join(who))), who);
    EXPECT_EQ(number_of(processes[1]->insist("r", join(7))), 7u);
    expect_equal_copies("r");
}

TEST_F(SharedRooms, AnotherOneWritesWhenTheWriterEnds) {
    processes[0]->make("r");
    EXPECT_EQ(number_of(processes[0]->insist("r", join(1))), 1u);
    for (std::size_t i = 0; i < processes.size(); ++i) {
        processes[i].reset();
        Process& next = *processes[(i + 1) % processes.size()];
        EXPECT_EQ(number_of(next.insist("r", join(i + 2))), i + 2);
        processes[i] = another();
        EXPECT_EQ(processes[i]->fault(), "");
        EXPECT_EQ(number_of(processes[i]->insist("r", join(1))), 1u);
    }
    expect_equal_copies("r");
}

TEST_F(SharedRooms, ALateComerReadsASnapshotAndWhatFollows) {
    processes[0]->make("r", {.rules = {.capacity = 3}});
    for (std::uint64_t who = 1; who <= 300; ++who) processes[who % 3]->insist("r", join(who));
    Process::eventually([&] { return !ask({"HGET", "{r}:snapshot", "position"}).is_nil(); });
    processes[1]->insist("r", Leave{200});
    processes[2] = another();
    EXPECT_EQ(processes[2]->fault(), "");
    expect_equal_copies("r");
    EXPECT_EQ(number_of(processes[2]->insist("r", join(301))), 301u);
    // An old snapshot goes when there is a new one.
    EXPECT_EQ(ask({"KEYS", "{r}:snapshot:*"}).list.size(), 1u);
}

TEST_F(SharedRooms, WhatASnapshotHoldsIsNotNeededInTheLog) {
    processes[0]->make("r");
    for (std::uint64_t who = 1; who <= 60; ++who) processes[0]->insist("r", join(who));
    const auto position = [&] { return ask({"HGET", "{r}:snapshot", "position"}).text; };
    Process::eventually([&] { return !position().empty(); });
    ask({"XTRIM", "{r}:log", "MINID", std::to_string(std::stoull(position()) + 1)});
    processes[2] = another();
    EXPECT_EQ(processes[2]->fault(), "");
    expect_equal_copies("r");
}

TEST_F(SharedRooms, OneRoomIsMadeByTwoAtOnce) {
    for (int round = 0; round < 10; ++round) {
        const std::string id = "r" + std::to_string(round);
        processes[0]->make(id);
        processes[1]->make(id); // Neither knows of the other yet.
        const Number first = number_of(processes[0]->insist(id, join(1)));
        const Number second = number_of(processes[1]->insist(id, join(2)));
        EXPECT_NE(first, second);
        EXPECT_EQ(number_of(processes[2]->insist(id, join(1))), first);
        const std::uint32_t index = processes[0]->room(id)->index();
        for (const std::unique_ptr<Process>& process : processes)
            Process::eventually([&] { return process->room(id)->index() == index; });
        expect_equal_copies(id);
    }
}

TEST_F(SharedRooms, ARemovedRoomIsGoneEverywhereAndMayComeAgain) {
    processes[0]->make("r");
    EXPECT_EQ(number_of(processes[2]->insist("r", join(1))), 1u);
    const std::uint32_t index = processes[2]->room("r")->index();
    const std::shared_ptr<HostedRoom> room = processes[1]->rooms().remove("r");
    std::promise<void> done;
    processes[1]->store().remove_room(*room, nullptr, [&] { done.set_value(); });
    done.get_future().wait();
    for (const std::unique_ptr<Process>& process : processes)
        Process::eventually([&] { return process->rooms().share("r") == nullptr; });
    Process::eventually([&] { return ask({"HLEN", "{anteroom rooms}:index"}).integer == 0; });
    EXPECT_EQ(ask({"EXISTS", "{r}:log", "{r}:queue", "{r}:members", "{r}:writer"}).integer, 0);

    processes[2]->make("r");
    EXPECT_EQ(number_of(processes[0]->insist("r", join(5))), 1u);
    EXPECT_NE(processes[0]->room("r")->index(), index); // Old tickets stay invalid.
    expect_equal_copies("r");
}

TEST_F(SharedRooms, PeopleFindTheLineInSortedSets) {
    processes[0]->make("r", {.rules = {.capacity = 2}});
    for (std::uint64_t who = 1; who <= 9; ++who)
        processes[who % 3]->insist("r", join(who), "v" + std::to_string(who));
    EXPECT_EQ(ask({"ZCARD", "{r}:queue"}).integer, 7);
    EXPECT_EQ(ask({"ZCARD", "{r}:active"}).integer, 2);
    EXPECT_EQ(ask({"GET", "{r}:threshold"}).text, "2");
    for (std::uint64_t who = 3; who <= 9; ++who) {
        const Outcome outcome = processes[who % 3]->insist("r", Touch{who});
        EXPECT_EQ(ask({"ZRANK", "{r}:queue", "v" + std::to_string(who)}).integer,
                  static_cast<std::int64_t>(std::get<Standing>(outcome).ahead));
        EXPECT_EQ(ask({"ZSCORE", "{r}:queue", "v" + std::to_string(who)}).text,
                  std::to_string(who));
    }
    processes[1]->insist("r", Finish{1});
    processes[1]->insist("r", Tick{});
    EXPECT_EQ(ask({"ZRANGE", "{r}:queue", "0", "0"}).list.at(0).text, "v4");
    EXPECT_TRUE(ask({"ZSCORE", "{r}:active", "v1"}).is_nil());
    EXPECT_FALSE(ask({"ZSCORE", "{r}:active", "v3"}).is_nil());
    processes[2]->insist("r", Clear{});
    EXPECT_EQ(ask({"EXISTS", "{r}:queue", "{r}:active", "{r}:members"}).integer, 0);
}

TEST_F(SharedRooms, TheWriterHearsWhoWasSeenElsewhere) {
    processes[0]->make("r", {.rules = {.capacity = 0}});
    processes[0]->insist("r", join(1));
    await_all("r", 2);
    const auto seen_by_the_writer = [&] {
        Instant seen;
        HostedRoom::Writing writing(*processes[0]->room("r"));
        writing.room().for_each_live([&](Number, const Record& record) { seen = record.seen(); });
        return seen;
    };
    const Instant before = seen_by_the_writer();
    Process::eventually([&] {
        EXPECT_TRUE(processes[2]->room("r")->touch(1, processes[2]->clock().now()));
        return seen_by_the_writer() > before;
    });
}

TEST_F(SharedRooms, WhoeverHasOtherKeysIsRefused) {
    mark = "another";
    const std::unique_ptr<Process> stranger = another();
    EXPECT_NE(stranger->fault().find("other keys"), std::string::npos) << stranger->fault();
}

TEST_F(SharedRooms, AnEmptiedRedisIsAnEmptyHouse) {
    processes[0]->make("r");
    EXPECT_EQ(number_of(processes[1]->insist("r", join(1))), 1u);
    ask({"FLUSHALL"});
    for (const std::unique_ptr<Process>& process : processes)
        Process::eventually([&] { return process->rooms().share("r") == nullptr; });
    processes[2]->make("r");
    EXPECT_EQ(number_of(processes[0]->insist("r", join(1))), 1u);
}

// Who made it died before saying so; or a replica that had not heard of it took over.
TEST_F(SharedRooms, ARoomThatTheRegistryLacksIsEnteredAgain) {
    processes[0]->make("r");
    processes[0]->insist("r", join(1));
    await_all("r", 2);
    const Reply version = ask({"GET", shared::registry_version});
    ask({"HDEL", shared::registry_rooms, "r"});
    Process::eventually([&] { return !ask({"HGET", shared::registry_rooms, "r"}).is_nil(); });
    const std::unique_ptr<Process> late = another();
    EXPECT_EQ(number_of(late->insist("r", join(1))), 1u);
    EXPECT_NE(ask({"GET", shared::registry_version}), version);
}

TEST_F(SharedRooms, WithoutRedisNothingIsDoneAndAfterwardsEverythingGoesOn) {
    processes[0]->make("r");
    EXPECT_EQ(number_of(processes[1]->insist("r", join(1))), 1u);
    Process::eventually([&] { return !processes[1]->store().may_have("elsewhere"); });
    server.freeze();
    Process::eventually([&] { return !processes[0]->store().is_writable(); });
    // Somebody may make a room now, and nobody here hears of it.
    Process::eventually([&] { return processes[1]->store().may_have("elsewhere"); });
    EXPECT_EQ(processes[1]->ask("r", join(2)), Outcome(Refused{Reason::unavailable}));
    Process::eventually([&] {
        return processes[1]->room("r")->age(processes[1]->clock().now()) > limits::age_untold;
    });
    EXPECT_EQ(processes[1]->room("r")->view().standing(1).number, 1u); // The copy is there.
    server.thaw();
    for (std::size_t i = 0; i < processes.size(); ++i) {
        Process::eventually([&] { return processes[i]->store().is_writable(); });
        number_of(processes[i]->insist("r", join(10 + i)));
    }
    Process::eventually([&] { return !processes[1]->store().may_have("elsewhere"); });
    expect_equal_copies("r");
    EXPECT_EQ(processes[0]->room("r")->age(processes[0]->clock().now()).count / 60'000, 0);
}

} // namespace
} // namespace anteroom::contract
