#include "service/apply.h"

#include <gtest/gtest.h>

#include "service/memory_store.h"

namespace anteroom {
namespace {

constexpr Instant noon{1'700'000'000'000};

struct Heard final : StoreListener {
    void happened(HostedRoom& room, std::span<const Fact> facts) override {
        count += facts.size();
        for (Number number = 1; number <= room.view().issued(); ++number)
            could_tell = could_tell && room.may_tell(room.view().standing(number));
    }
    void due(HostedRoom&, Instant at) override { due_at = at; }

    std::size_t count = 0;
    bool could_tell = true;
    std::optional<Instant> due_at;
};

struct ApplyTest : testing::Test {
    Applied apply(const Command& command, Settles settles = Settles::later) {
        HostedRoom::Writing writing(*room);
        return apply_command(writing, command, noon, settles);
    }
    bool may_tell(Number number) const { return room->may_tell(room->view().standing(number)); }

    Quiet quiet{1};
    std::shared_ptr<HostedRoom> room = std::make_shared<HostedRoom>("r", 0, Profile{}, quiet);
    Heard heard;
};

TEST_F(ApplyTest, WhatACommandDidMayBeToldWhenItIsSettled) {
    settle_facts(*room, apply(Configure{{.capacity = 0}}).facts, heard);
    const Applied joined = apply(Join{.visitor = {.high = 1, .low = 1}});
    EXPECT_EQ(std::get<Standing>(joined.outcome).number, 1u);
    EXPECT_TRUE(may_tell(1)) << "nobody relies on waiting";
    settle_facts(*room, apply(Configure{{.capacity = 1}}).facts, heard);
    const Applied called = apply(CallNext{1});
    ASSERT_EQ(room->view().standing(1).state, VisitorState::called);
    EXPECT_FALSE(may_tell(1));
    EXPECT_TRUE(called.due) << "the lease ends some time";
    settle_facts(*room, joined.facts, heard);
    EXPECT_FALSE(may_tell(1)) << "the call is not durable yet";
    heard.count = 0;
    heard.could_tell = true;
    settle_facts(*room, called.facts, heard);
    EXPECT_TRUE(may_tell(1));
    EXPECT_EQ(heard.count, called.facts.size());
    EXPECT_TRUE(heard.could_tell) << "the listener hears of facts that may be told";
}

TEST_F(ApplyTest, AStoreThatKeepsNothingSettlesAtOnce) {
    apply(Configure{{.capacity = 1}}, Settles::at_once);
    apply(Join{.visitor = {.high = 1, .low = 1}}, Settles::at_once);
    ASSERT_EQ(room->view().standing(1).state, VisitorState::active);
    EXPECT_TRUE(may_tell(1));
}

TEST_F(ApplyTest, AnAnswerWaitsForItsFactsAndForThoseItRestsOn) {
    const Delivery awaited{.done = [](const Outcome&) {}};
    const Applied configured = apply(Configure{{.capacity = 1}});
    EXPECT_TRUE(must_wait(*room, configured.facts, {}));
    EXPECT_FALSE(must_wait(*room, {}, awaited));
    room->unsettled().wait();
    EXPECT_TRUE(must_wait(*room, {}, awaited));
    EXPECT_FALSE(must_wait(*room, {}, {})) << "nobody asks";
    room->unsettled().end_waiting();
    EXPECT_FALSE(must_wait(*room, {}, awaited));
}

TEST_F(ApplyTest, ACopyThatReplaysTheFactsMayTellThemWhenTheyAreSettled) {
    Facts facts;
    for (const Command& command :
         {Command{Configure{{.capacity = 1}}}, Command{Join{.visitor = {.high = 1, .low = 1}}}}) {
        const Applied applied = apply(command, Settles::at_once);
        facts.insert(facts.end(), applied.facts.begin(), applied.facts.end());
    }
    const auto copy = std::make_shared<HostedRoom>("r", 0, Profile{}, quiet);
    {
        HostedRoom::Writing writing(*copy);
        EXPECT_TRUE(replay_facts(writing, facts));
        EXPECT_FALSE(replay_facts(writing, {&facts.back(), 1})) << "who is inside is not called";
        copy->unsettled().settled({&facts.back(), 1});
    }
    const Standing standing = copy->view().standing(1);
    ASSERT_EQ(standing.state, VisitorState::active);
    EXPECT_FALSE(copy->may_tell(standing));
    settle_facts(*copy, facts, heard);
    EXPECT_TRUE(copy->may_tell(standing));
}

TEST_F(ApplyTest, MemoryStoreSettlesAtOnceAndTellsTheListener) {
    const Clock clock;
    MemoryStore store(clock, heard);
    store.open_room(*room, {.capacity = 1});
    VisitorState state = VisitorState::unknown;
    store.submit(*room, Join{.visitor = {.high = 1, .low = 1}}, nullptr,
                 [&](const Outcome& outcome) { state = std::get<Standing>(outcome).state; }, {});
    EXPECT_EQ(state, VisitorState::active);
    EXPECT_EQ(heard.count, 4u) << "configured, joined, called, claimed";
    EXPECT_TRUE(heard.due_at);
    EXPECT_TRUE(may_tell(1));
}

} // namespace
} // namespace anteroom
