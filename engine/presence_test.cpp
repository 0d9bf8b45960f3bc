// Who is absent never stands in anybody's way, and loses nothing but time.
#include <gtest/gtest.h>

#include "engine/test_world.h"

namespace anteroom {
namespace {

// Ann is inside and stays; the others wait.
struct Presence : testing::Test {
    static Settings settings() {
        Settings settings;
        settings.capacity = 1;
        settings.lease = settings.lease_max = hours(10);
        return settings;
    }

    World world{settings()};
    Number ann = world.join("ann");
    Number bob = world.join("bob");
    Number eve = world.join("eve");
};

TEST_F(Presence, AFreeSlotGoesToTheFirstWhoIsPresent) {
    world.pass_with(seconds(11), {ann, eve});
    world.apply(Finish{ann});
    world.pass(Millis{1});
    EXPECT_EQ(world.state(bob), VisitorState::waiting);
    EXPECT_EQ(world.state(eve), VisitorState::called);
    world.expect_replay_is_equal();
}

TEST_F(Presence, WhoIsBackIsCalledNextWithTheOldNumber) {
    const Number cat = world.join("cat");
    world.pass_with(seconds(11), {ann, eve, cat});
    world.apply(Finish{ann});
    world.pass(seconds(1));
    ASSERT_EQ(world.state(eve), VisitorState::called);
    EXPECT_EQ(world.ahead(cat), 1u) << "the absent still count, so that ahead never grows";

    EXPECT_FALSE(world.room.touch(bob, world.now)) << "who was passed over needs the writer";
    world.apply(Touch{bob});
    EXPECT_TRUE(world.room.touch(bob, world.now));
    EXPECT_EQ(world.ahead(bob), 0u);
    world.apply(Finish{eve});
    world.pass(seconds(1));
    EXPECT_EQ(world.state(bob), VisitorState::called);
    EXPECT_EQ(world.state(cat), VisitorState::waiting);
}

TEST_F(Presence, LastsThreeTimesAsLongAsTheIntervalThatWasTold) {
    world.room.touch(bob, world.now, seconds(20));
    world.pass_with(seconds(59), {ann, eve});
    EXPECT_TRUE(world.room.is_present(bob, world.now));
    world.apply(Finish{ann});
    world.pass(Millis{1});
    EXPECT_EQ(world.state(bob), VisitorState::called);
}

TEST_F(Presence, EndsAfterThreeTimesTheIntervalThatWasTold) {
    world.room.touch(bob, world.now, seconds(20));
    world.pass_with(seconds(60), {ann, eve});
    EXPECT_FALSE(world.room.is_present(bob, world.now));
    world.apply(Finish{ann});
    world.pass(Millis{1});
    EXPECT_EQ(world.state(eve), VisitorState::called);
}

TEST_F(Presence, IsNeverLongerThanIdleAndMayBeSetForTheRoom) {
    Settings set = settings();
    set.presence = minutes(2);
    set.idle = minutes(1);
    world.configure(set);
    world.room.touch(bob, world.now, seconds(300));
    EXPECT_TRUE(world.room.is_present(bob, world.now + seconds(59)));
    EXPECT_FALSE(world.room.is_present(bob, world.now + minutes(1)));
    set.presence = seconds(9);
    EXPECT_EQ(world.refusal(Configure{set}), Reason::bad_presence);
}

TEST_F(Presence, ALongerPresenceBringsBackWhoWasPassedOver) {
    world.pass_with(seconds(40), {ann, eve});
    EXPECT_EQ(world.room.absent(), 1u) << "the sweeper finds the absent, wherever they stand";
    Settings set = settings();
    set.presence = minutes(5);
    world.configure(set);
    EXPECT_EQ(world.room.absent(), 0u);
    world.apply(Finish{ann});
    world.pass(Millis{1});
    EXPECT_EQ(world.state(bob), VisitorState::called);
}

TEST_F(Presence, AnUnclaimedCallIsNotTheEnd) {
    world.apply(Finish{ann});
    world.pass(Millis{1});
    ASSERT_EQ(world.state(bob), VisitorState::called);
    const Number cat = world.join("cat");
    const std::uint64_t ahead = world.ahead(cat);
    world.pass_with(seconds(30), {eve, cat});
    EXPECT_EQ(world.state(bob), VisitorState::waiting);
    EXPECT_EQ(world.room.standing(bob).missed, 1u);
    EXPECT_NE(world.state(eve), VisitorState::waiting) << "the slot went to the next";
    EXPECT_LT(world.ahead(cat), ahead);
    EXPECT_EQ(world.ahead(bob), 0u);
    EXPECT_EQ(world.room.standing(bob).behind, 1u);
    EXPECT_EQ(world.room.standing(cat).behind, 0u);
    world.expect_replay_is_equal();

    world.apply(Touch{bob});
    world.apply(Finish{eve});
    world.pass(seconds(1));
    EXPECT_EQ(world.state(bob), VisitorState::called);
}

TEST_F(Presence, TheThirdUnclaimedCallEndsTheVisit) {
    world.apply(Finish{ann});
    world.apply(Leave{eve});
    world.pass(Millis{1});
    for (unsigned missed = 1; missed < limits::missed_max; ++missed) {
        world.pass(seconds(31));
        ASSERT_EQ(world.state(bob), VisitorState::waiting);
        ASSERT_EQ(world.room.standing(bob).missed, missed);
        world.apply(Touch{bob});
        world.pass(Millis{1});
        ASSERT_EQ(world.state(bob), VisitorState::called);
    }
    world.pass(seconds(31));
    EXPECT_EQ(world.state(bob), VisitorState::expired);
    EXPECT_EQ(world.room.waiting() + world.room.inside(), 0u);
    world.expect_replay_is_equal();
}

TEST_F(Presence, AnUnclaimedCallOfWhoIsSilentForIdleEndsTheVisit) {
    Settings set = settings();
    set.idle = seconds(20);
    world.configure(set);
    world.apply(Finish{ann});
    world.pass(Millis{1});
    ASSERT_EQ(world.state(bob), VisitorState::called);
    world.pass(seconds(30));
    EXPECT_EQ(world.state(bob), VisitorState::expired);
}

TEST_F(Presence, AStreamKeepsPresentButDoesNotBringBackWhoMissedACall) {
    for (int i = 0; i < 60; ++i) {
        world.pass_with(seconds(1), {ann});
        EXPECT_TRUE(world.room.stay(bob, world.now));
    }
    EXPECT_TRUE(world.room.is_present(bob, world.now));
    world.apply(Finish{ann});
    world.pass(seconds(31));
    ASSERT_EQ(world.room.standing(bob).missed, 1u);
    EXPECT_TRUE(world.room.stay(bob, world.now)) << "nothing to be done: nobody is there";
    EXPECT_FALSE(world.room.is_present(bob, world.now));
    world.apply(Touch{bob});
    EXPECT_TRUE(world.room.is_present(bob, world.now));
}

TEST_F(Presence, AStreamAsksForATouchWhenItsVisitorWasPassedOver) {
    world.pass_with(seconds(40), {ann, eve});
    ASSERT_EQ(world.room.absent(), 1u);
    EXPECT_FALSE(world.room.stay(bob, world.now));
    world.apply(Touch{bob});
    EXPECT_TRUE(world.room.stay(bob, world.now));
}

TEST_F(Presence, AfterAnOutageEverybodyIsPresentForOnePeriod) {
    world.pass_with(seconds(40), {ann, eve});
    world.apply(Wake{});
    world.apply(Finish{ann});
    world.pass(Millis{1});
    EXPECT_EQ(world.state(bob), VisitorState::called);
}

TEST_F(Presence, ACopyKnowsFromACallWhoWasAbsentAndForgetsItWhenItWrites) {
    world.pass_with(seconds(11), {ann, eve});
    world.apply(Finish{ann});
    world.pass(Millis{1});
    Room copy;
    for (const Fact& fact : world.facts) ASSERT_TRUE(copy.replay(fact));
    EXPECT_EQ(copy.absent(), 1u);
    EXPECT_TRUE(copy.touch(bob, world.now)) << "signs of life are passed on to the writer";
    Facts facts;
    copy.apply(Wake{}, world.now, facts);
    EXPECT_EQ(copy.absent(), 0u);
}

TEST_F(Presence, SignsOfLifeFromOtherProcessesBringBackAndClaimNothing) {
    world.pass_with(seconds(40), {ann, eve});
    world.room.greet(bob, world.now, seconds(5));
    EXPECT_EQ(world.room.told(bob), seconds(5));
    EXPECT_EQ(world.room.absent(), 0u);
    world.apply(Finish{ann});
    world.pass(Millis{1});
    world.room.greet(bob, world.now, seconds(5));
    EXPECT_EQ(world.state(bob), VisitorState::called);
    world.room.greet(99, world.now, seconds(5)); // Nobody.
}

TEST_F(Presence, NobodyAbsentUsesUpTheRate) {
    Settings set = settings();
    set.capacity = 100;
    set.rate_milli = 100; // One in ten seconds.
    set.admit_on_join = false;
    world.pass_with(seconds(11), {ann, eve});
    world.configure(set);
    world.pass(Millis{1});
    EXPECT_EQ(world.state(bob), VisitorState::waiting);
    EXPECT_NE(world.state(eve), VisitorState::waiting);
}

TEST_F(Presence, TheEstimateDoesNotWaitForTheAbsent) {
    for (int i = 0; i < 200; ++i) world.join("silent " + std::to_string(i));
    const Number zoe = world.join("zoe");
    world.pass_with(seconds(40), {ann, eve, zoe});
    EXPECT_EQ(world.room.absent(), 201u);
    Settings set = settings();
    set.capacity = limits::count_max;
    set.admit_batch = 1;
    set.admit_interval = seconds(1);
    world.configure(set);
    world.apply(SetState{RoomState::paused});
    world.pass_with(seconds(40), {ann, eve, zoe});
    world.apply(SetState{RoomState::open});
    const Standing standing = world.room.standing(zoe);
    EXPECT_EQ(standing.ahead, 202u);
    ASSERT_TRUE(world.room.wait(standing));
    EXPECT_LE(world.room.wait(standing)->p50_seconds, 5);
    EXPECT_EQ(world.room.wait(standing)->p50_seconds, world.room.wait(standing.ahead)->p50_seconds);
}

TEST_F(Presence, ACopyEstimatesByTheMarksOfTheWriter) {
    for (int i = 0; i < 1'000; ++i) world.join("silent " + std::to_string(i));
    const Number zoe = world.join("zoe");
    EXPECT_TRUE(make_presence_marks(world.room).empty()) << "nobody is absent yet";
    world.pass_with(seconds(40), {ann, eve, zoe});
    const PresenceMarks marks = make_presence_marks(world.room);
    EXPECT_LE(marks.size(), limits::presence_marks_per_line + 1);

    Room copy;
    for (const Fact& fact : world.facts) ASSERT_TRUE(copy.replay(fact));
    const Standing standing = copy.standing(zoe);
    EXPECT_EQ(copy.callable_ahead(standing), 1'002u) << "a copy does not know who is absent";
    copy.follow_presence(marks);
    EXPECT_LE(copy.callable_ahead(standing), 2u);
    EXPECT_EQ(world.room.callable_ahead(standing), 1u);
    const Number late = world.join("late");
    ASSERT_TRUE(copy.replay(world.facts.back()));
    EXPECT_LE(copy.callable_ahead(copy.standing(late)), 3u) << "joined behind the last mark";
    Facts facts;
    copy.apply(Wake{}, world.now, facts);
    EXPECT_EQ(copy.callable_ahead(standing), 1'002u) << "the writer knows itself";
}

TEST(PresenceMarks, InterpolateWithinALineAndKnowNothingOfOthers) {
    const PresenceMarks marks{{.line = 1, .order = 100, .callable = 0},
                              {.line = 1, .order = 200, .callable = 50},
                              {.line = 3, .order = 150, .callable = 50}};
    EXPECT_EQ(callable_before(marks, 1, 50), 0u);
    EXPECT_EQ(callable_before(marks, 1, 150), 25u);
    EXPECT_EQ(callable_before(marks, 1, 210), 60u);
    EXPECT_EQ(callable_before(marks, 3, 150), 50u);
    EXPECT_EQ(callable_before(marks, 0, 1), UINT64_MAX);
    EXPECT_EQ(callable_before({}, 1, 1), UINT64_MAX);
}

TEST_F(Presence, AHundredThousandAbsentArePassedOverInTwoTicks) {
    for (int i = 0; i < 100'000; ++i) world.join("silent " + std::to_string(i));
    const Number zoe = world.join("zoe");
    world.now = world.now + seconds(11);
    world.apply(Touch{zoe});
    world.apply(Finish{ann});
    int ticks = 0;
    while (world.state(zoe) == VisitorState::waiting && ++ticks < 10) world.apply(Tick{});
    EXPECT_EQ(world.state(zoe), VisitorState::called);
    EXPECT_LE(ticks, 3);
}

TEST_F(Presence, MissedCallsOfWhoCarriesAnOuterNumberKeepTheirOrder) {
    World two(settings());
    two.apply(Activate{});
    const Number first = two.take_number("first");
    const Number second = two.take_number("second");
    two.apply(Advance{2});
    const OuterPlace outer_first{.generation = 1, .number = first};
    const OuterPlace outer_second{.generation = 1, .number = second};
    const Number inside = two.join("second", outer_second);
    const Number waits = two.join("first", outer_first);
    two.apply(Finish{inside});
    two.pass(seconds(31));
    ASSERT_EQ(two.room.standing(waits).missed, 1u);
    EXPECT_EQ(two.room.standing(waits).order, 1u);
    two.apply(Touch{waits});
    two.pass(seconds(1));
    EXPECT_EQ(two.state(waits), VisitorState::called);
    two.expect_replay_is_equal();

    std::vector<std::string> pieces;
    two.pass(seconds(30));
    ASSERT_EQ(two.room.standing(waits).missed, 2u);
    two.room.begin_snapshot();
    while (two.room.take_snapshot(pieces, 1'000)) {
    }
    Room again;
    for (const std::string& piece : pieces) ASSERT_TRUE(again.restore(piece));
    EXPECT_EQ(again.digest(), two.room.digest());
    EXPECT_EQ(again.standing(waits), two.room.standing(waits));
}

} // namespace
} // namespace anteroom
