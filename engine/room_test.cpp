// The rules of a room, one sentence each. The model (tests/model) and the simulator (sim/) prove
// them in general; these tests say what they are.
#include "engine/room.h"

#include <gtest/gtest.h>

#include "engine/test_world.h"

namespace anteroom {
namespace {

// Whoever is not swept counts as present; presence_test.cpp has the others.
Settings everybody_present() {
    Settings settings;
    settings.presence = settings.idle;
    return settings;
}

Settings one_slot() {
    Settings settings = everybody_present();
    settings.capacity = 1;
    return settings;
}

TEST(Room, FreedSlotGoesToTheHeadOfTheLine) {
    World world(one_slot());
    const Number ann = world.join("ann");
    const Number bob = world.join("bob");
    const Number eve = world.join("eve");
    EXPECT_EQ(world.state(ann), VisitorState::active);
    EXPECT_EQ(world.ahead(eve), 1u);
    world.apply(Finish{ann});
    world.pass(seconds(1));
    EXPECT_EQ(world.state(ann), VisitorState::finished);
    EXPECT_EQ(world.state(bob), VisitorState::called);
    EXPECT_EQ(world.ahead(eve), 0u);
    world.expect_replay_is_equal();
}

TEST(Room, JoiningTwiceGivesTheSamePlace) {
    World world(one_slot());
    world.join("ann");
    const Outcome first = world.apply(Join{.visitor = world.key("bob")});
    const Outcome second = world.apply(Join{.visitor = world.key("bob")});
    EXPECT_TRUE(std::get<Standing>(first).is_new);
    EXPECT_FALSE(std::get<Standing>(second).is_new);
    EXPECT_EQ(std::get<Standing>(first).number, std::get<Standing>(second).number);
    EXPECT_EQ(world.room.issued(), 2u);
}

TEST(Room, WhoEndedAndComesBackStandsAtTheEnd) {
    World world(one_slot());
    const Number first = world.join("ann");
    const Number bob = world.join("bob");
    world.apply(Finish{first});
    const Number second = world.join("ann");
    EXPECT_EQ(second, 3u);
    EXPECT_EQ(world.state(first), VisitorState::finished);
    EXPECT_NE(world.state(bob), VisitorState::waiting); // The free slot went to him first.
    EXPECT_EQ(world.state(second), VisitorState::waiting);
}

TEST(Room, LeavingHasAGracePeriodInWhichTheSamePlaceIsRestored) {
    World world(one_slot());
    world.join("ann");
    const Number bob = world.join("bob");
    const Number eve = world.join("eve");
    world.apply(Leave{bob});
    EXPECT_EQ(world.ahead(eve), 1u); // The place is kept, so it still counts.
    world.pass(seconds(9));
    EXPECT_EQ(world.join("bob"), bob);
    EXPECT_EQ(world.ahead(bob), 0u);
    EXPECT_EQ(world.ahead(eve), 1u);
    world.apply(Leave{bob});
    world.pass(seconds(10));
    EXPECT_EQ(world.state(bob), VisitorState::left);
    EXPECT_EQ(world.ahead(eve), 0u);
    EXPECT_EQ(world.join("bob"), 4u);
    world.expect_replay_is_equal();
}

TEST(Room, WhoIsAwayWhenTheTurnComesIsPassedByAndKeepsThePlace) {
    World world(one_slot());
    const Number ann = world.join("ann");
    const Number bob = world.join("bob");
    const Number eve = world.join("eve");
    world.apply(Leave{bob});
    world.apply(Finish{ann});
    world.pass(seconds(2));
    EXPECT_EQ(world.state(eve), VisitorState::called);
    EXPECT_EQ(world.join("bob"), bob);
    EXPECT_EQ(world.ahead(bob), 0u);
}

TEST(Room, TheSilentAreSweptAndNoLongerCountAsAhead) {
    Settings settings = one_slot();
    settings.lease = settings.lease_max = hours(1);
    World world(settings);
    world.join("ann");
    const Number bob = world.join("bob");
    const Number eve = world.join("eve");
    world.pass_with(minutes(10) + seconds(30), {eve});
    EXPECT_EQ(world.state(bob), VisitorState::expired);
    EXPECT_EQ(world.state(eve), VisitorState::waiting);
    EXPECT_EQ(world.ahead(eve), 0u);
}

TEST(Room, AnAbsentHeadNeverBlocksAnybody) {
    Settings settings = one_slot();
    settings.idle = minutes(1);
    settings.sweep_interval = hours(1); // The doorman must not wait for the sweeper.
    settings.lease = settings.lease_max = hours(1);
    World world(settings);
    const Number ann = world.join("ann");
    const Number bob = world.join("bob");
    const Number eve = world.join("eve");
    world.pass_with(minutes(2), {ann, eve});
    EXPECT_EQ(world.state(bob), VisitorState::waiting);
    world.apply(Finish{ann});
    world.pass(seconds(1));
    EXPECT_EQ(world.state(bob), VisitorState::waiting);
    EXPECT_EQ(world.state(eve), VisitorState::called);
    world.pass_with(hours(1), {eve});
    EXPECT_EQ(world.state(bob), VisitorState::expired);
}

TEST(Room, AnUnclaimedCallIsGivenToTheNext) {
    Settings settings = one_slot();
    settings.lease_start = LeaseStart::at_claim;
    settings.claim_window = seconds(30);
    World world(settings);
    const Number ann = world.join("ann");
    const Number bob = world.join("bob");
    const Number eve = world.join("eve");
    world.apply(Finish{ann});
    world.pass(seconds(29));
    EXPECT_EQ(world.state(bob), VisitorState::called);
    world.pass(seconds(2));
    EXPECT_EQ(world.state(bob), VisitorState::waiting);
    EXPECT_EQ(world.state(eve), VisitorState::called);
}

TEST(Room, ALeaseSlidesWithActivityUpToItsMaximum) {
    Settings settings = one_slot();
    settings.lease = minutes(10);
    settings.lease_max = minutes(30);
    World world(settings);
    const Number ann = world.join("ann");
    world.pass_with(minutes(29), {ann});
    EXPECT_EQ(world.state(ann), VisitorState::active);
    world.pass_with(minutes(1), {ann});
    EXPECT_EQ(world.state(ann), VisitorState::expired);
    EXPECT_EQ(world.room.inside(), 0u);
}

TEST(Room, ALeaseMayStartAtTheCallOrAtTheClaim) {
    for (const LeaseStart start : {LeaseStart::at_call, LeaseStart::at_claim}) {
        Settings settings = one_slot();
        settings.lease_start = start;
        settings.lease = settings.lease_max = minutes(10);
        settings.claim_window = minutes(5);
        settings.claim_by_look = false;
        World world(settings);
        const Number ann = world.join("ann");
        world.pass(minutes(4));
        world.apply(Claim{ann});
        const Instant from = start == LeaseStart::at_call ? world.now - minutes(4) : world.now;
        EXPECT_EQ(world.room.standing(ann).until, from + minutes(10));
    }
}

TEST(Room, ACapacityBelowWhatIsInsideThrowsNobodyOut) {
    Settings settings;
    settings.capacity = 3;
    World world(settings);
    const Number ann = world.join("ann");
    const Number bob = world.join("bob");
    world.join("cat");
    const Number eve = world.join("eve");
    settings.capacity = 1;
    world.configure(settings);
    EXPECT_EQ(world.room.inside(), 3u);
    world.apply(Finish{ann});
    world.apply(Finish{bob});
    world.pass(seconds(5));
    EXPECT_EQ(world.state(eve), VisitorState::waiting);
    EXPECT_EQ(world.room.inside(), 1u);
}

TEST(Room, NobodyIsCalledWithCapacityZeroAndEverybodyFitsInTheLargest) {
    Settings settings = everybody_present();
    settings.capacity = 0;
    World world(settings);
    const Number ann = world.join("ann");
    world.pass(seconds(60));
    EXPECT_EQ(world.state(ann), VisitorState::waiting);
    settings.capacity = limits::count_max;
    settings.admit_batch = limits::count_max;
    world.configure(settings);
    for (int i = 0; i < 1'000; ++i) world.join("v" + std::to_string(i));
    world.pass(seconds(1));
    EXPECT_EQ(world.room.inside(), 1'001u);
}

TEST(Room, HigherLanesGoFirst) {
    Settings settings = one_slot();
    settings.lanes = 2;
    World world(settings);
    const Number ann = world.join("ann", 1);
    const Number bob = world.join("bob", 1);
    const Number vip = world.join("vip", 0);
    EXPECT_EQ(world.ahead(bob), 1u);
    world.apply(Finish{ann});
    world.pass(seconds(1));
    EXPECT_EQ(world.state(vip), VisitorState::called);
    EXPECT_EQ(world.state(bob), VisitorState::waiting);
    EXPECT_EQ(world.refusal(Join{.visitor = world.key("cat"), .lane = 2}), Reason::unknown_lane);
}

TEST(Room, OnlyTheFirstSoManyMayEnter) {
    Settings settings;
    settings.admit_on_join = false;
    settings.claim_by_look = false;
    settings.called_max = 2;
    World world(settings);
    const Number ann = world.join("ann");
    const Number bob = world.join("bob");
    const Number eve = world.join("eve");
    world.pass(seconds(1));
    EXPECT_EQ(world.state(bob), VisitorState::called);
    EXPECT_EQ(world.refusal(Claim{eve}), Reason::not_called);
    world.apply(Claim{ann});
    world.pass(seconds(1));
    EXPECT_EQ(world.state(eve), VisitorState::called);
}

TEST(Room, WhoIsCalledStandsBeforeTheOthersUntilComingIn) {
    Settings settings;
    settings.admit_on_join = false;
    settings.claim_by_look = false;
    settings.called_max = 2;
    settings.leave_grace = Millis{0};
    World world(settings);
    const Number ann = world.join("ann");
    const Number bob = world.join("bob");
    const Number eve = world.join("eve");
    const auto before = [&](const Room& room, Number number) {
        return room.outside_before(room.standing(number));
    };
    EXPECT_EQ(before(world.room, eve), 2u);
    world.pass(seconds(1));
    EXPECT_EQ(world.ahead(eve), 0u);
    EXPECT_EQ(before(world.room, eve), 2u) << "called is not yet in";
    EXPECT_EQ(before(world.room, bob), 1u);
    world.apply(Claim{ann});
    EXPECT_EQ(before(world.room, bob), 0u);

    std::vector<std::string> pieces;
    world.room.begin_snapshot();
    while (world.room.take_snapshot(pieces, 1'000)) {
    }
    Room again;
    for (const std::string& piece : pieces) ASSERT_TRUE(again.restore(piece));
    EXPECT_EQ(before(again, eve), 1u);

    world.apply(Leave{bob});
    EXPECT_EQ(before(world.room, eve), 0u);
    world.expect_replay_is_equal();
}

TEST(Room, NobodyIsCalledBeforeTheMinimumWait) {
    Settings settings;
    settings.wait_min = seconds(5);
    World world(settings);
    const Number ann = world.join("ann");
    world.pass(Millis{4'999});
    EXPECT_EQ(world.state(ann), VisitorState::waiting);
    world.pass(Millis{1});
    EXPECT_EQ(world.state(ann), VisitorState::called);
}

TEST(Room, AFullLineRefusesAndNothingIsLost) {
    Settings settings = one_slot();
    settings.waiting_max = 1;
    World world(settings);
    world.join("ann");
    const Number bob = world.join("bob");
    EXPECT_EQ(world.refusal(Join{.visitor = world.key("eve")}), Reason::room_full);
    EXPECT_EQ(world.join("bob"), bob);
    EXPECT_EQ(world.room.issued(), 2u);
}

TEST(Room, PausedKeepsPlacesAndCallsNobodyAndResumesToWhatItWas) {
    World world(one_slot());
    const Number ann = world.join("ann");
    const Number bob = world.join("bob");
    world.apply(SetState{RoomState::draining});
    world.apply(SetState{RoomState::paused});
    world.apply(Finish{ann});
    world.pass(seconds(30));
    EXPECT_EQ(world.state(bob), VisitorState::waiting);
    EXPECT_EQ(world.refusal(CallNext{1}), Reason::room_paused);
    world.apply(Resume{});
    EXPECT_EQ(world.room.state(), RoomState::draining);
    world.pass(seconds(1));
    EXPECT_EQ(world.state(bob), VisitorState::called);
    EXPECT_EQ(world.refusal(Join{.visitor = world.key("eve")}), Reason::room_draining);
    EXPECT_EQ(world.refusal(Resume{}), Reason::not_paused);
}

TEST(Room, PassthroughLetsEverybodyInAndTheLimitHoldsAgainAfterwards) {
    World world(one_slot());
    for (int i = 0; i < 50; ++i) world.join("v" + std::to_string(i));
    world.apply(SetState{RoomState::passthrough});
    world.pass(Millis{1});
    EXPECT_EQ(world.room.inside(), 50u);
    EXPECT_EQ(world.state(world.join("late")), VisitorState::active);
    world.apply(SetState{RoomState::open});
    EXPECT_EQ(world.state(world.join("later")), VisitorState::waiting);
}

TEST(Room, AnOperatorsCallIgnoresThePaceButNotTheCapacity) {
    Settings settings;
    settings.capacity = 5;
    settings.admit_batch = 1;
    settings.admit_interval = hours(1);
    World world(settings);
    for (int i = 0; i < 10; ++i) world.join("v" + std::to_string(i));
    EXPECT_EQ(world.room.inside(), 1u);
    EXPECT_EQ(std::get<Done>(world.apply(CallNext{100})).called, 4u);
    EXPECT_EQ(world.refusal(CallNext{0}), Reason::bad_count);
    EXPECT_EQ(world.refusal(CallNext{-3}), Reason::bad_count);
}

TEST(Room, ClearEndsEverybodyAndNumbersGoOn) {
    World world(one_slot());
    world.join("ann");
    const Number bob = world.join("bob");
    EXPECT_EQ(std::get<Done>(world.apply(Clear{})).expired, 2u);
    EXPECT_EQ(world.state(bob), VisitorState::expired);
    EXPECT_EQ(world.room.waiting() + world.room.inside(), 0u);
    EXPECT_EQ(world.join("ann"), 3u);
    world.expect_replay_is_equal();
}

TEST(Room, TimeThatGoesBackCountsAsNoTime) {
    World world(one_slot());
    const Number ann = world.join("ann");
    world.now = world.now - hours(10);
    world.apply(Touch{ann});
    world.apply(Tick{});
    EXPECT_EQ(world.state(ann), VisitorState::active);
    EXPECT_EQ(world.room.standing(ann).until, Instant{1'000'000} + minutes(10));
}

TEST(Room, AfterTheServerWasAwayNobodyIsBlamedForTheSilence) {
    Settings settings;
    settings.capacity = 1;
    settings.lease_max = hours(24);
    World world(settings);
    const Number ann = world.join("ann");
    const Number bob = world.join("bob");
    world.now = world.now + hours(1);
    world.apply(Wake{});
    world.pass(seconds(30));
    EXPECT_EQ(world.state(ann), VisitorState::active);
    EXPECT_EQ(world.state(bob), VisitorState::waiting);
    world.pass(minutes(11));
    EXPECT_EQ(world.state(ann), VisitorState::expired);
}

TEST(Room, TellsWhatBecameOfANumberLongAfterItsRecordIsGone) {
    Settings settings;
    settings.capacity = limits::count_max;
    settings.admit_batch = limits::count_max;
    World world(settings);
    const Number ann = world.join("ann");
    world.apply(Finish{ann});
    for (int i = 0; i < 1'000; ++i) world.apply(Leave{world.join("v" + std::to_string(i))});
    EXPECT_EQ(world.state(ann), VisitorState::finished);
    EXPECT_EQ(world.state(500), VisitorState::left);
    world.pass(hours(25));
    world.apply(Tick{});
    EXPECT_EQ(world.state(ann), VisitorState::unknown);
}

TEST(Room, UnknownNumbersAreRefusedByEveryCommand) {
    World world;
    for (const Number number : {Number{0}, Number{7}, Number{UINT64_MAX}}) {
        EXPECT_EQ(world.refusal(Touch{number}), Reason::unknown_number);
        EXPECT_EQ(world.refusal(Claim{number}), Reason::unknown_number);
        EXPECT_EQ(world.refusal(Finish{number}), Reason::unknown_number);
        EXPECT_EQ(world.refusal(Leave{number}), Reason::unknown_number);
    }
    EXPECT_EQ(world.room.sequence(), 0u);
}

TEST(Room, APassIsExchangedOnce) {
    Settings settings = one_slot();
    settings.claim_by_look = false;
    World world(settings);
    const Number ann = world.join("ann"), bob = world.join("bob");
    EXPECT_FALSE(world.room.standing(ann).redeemed);
    const auto session = std::get<Standing>(world.apply(Redeem{ann}));
    EXPECT_EQ(session.state, VisitorState::active); // Whoever uses the pass has come.
    EXPECT_TRUE(session.redeemed);
    EXPECT_EQ(world.refusal(Redeem{ann}), Reason::redeemed);
    EXPECT_EQ(world.refusal(Redeem{bob}), Reason::not_called);
    EXPECT_EQ(world.refusal(Redeem{99}), Reason::unknown_number);
    world.apply(Touch{ann});
    EXPECT_TRUE(world.room.standing(ann).redeemed);
    world.apply(Finish{ann});
    EXPECT_EQ(world.refusal(Redeem{ann}), Reason::not_called);
    // Another visit has another pass.
    world.pass(seconds(1));
    world.apply(Finish{bob});
    EXPECT_TRUE(std::get<Standing>(world.apply(Redeem{world.join("ann")})).redeemed);
    world.expect_replay_is_equal();
}

TEST(Room, ALeaseThatWasSetEndsThenHoweverOftenSeen) {
    Settings settings = one_slot();
    settings.claim_window = minutes(2);
    settings.lease = minutes(10);
    settings.lease_max = minutes(10);
    World world(settings);
    const Number ann = world.join("ann"), bob = world.join("bob");
    world.pass(minutes(1));
    const Instant until = world.now + minutes(5);
    EXPECT_EQ(std::get<Standing>(world.apply(SetLease{ann, minutes(5)})).until, until);
    world.pass(minutes(4));
    world.apply(Touch{ann});
    EXPECT_EQ(world.room.standing(ann).until, until);
    world.expect_replay_is_equal();
    world.pass(minutes(2));
    EXPECT_EQ(world.state(ann), VisitorState::expired);
    EXPECT_NE(world.state(bob), VisitorState::waiting);
    EXPECT_EQ(world.refusal(SetLease{ann, minutes(5)}), Reason::not_called);
    world.expect_replay_is_equal();
}

TEST(Room, ALeaseThatIsSetLateIsLonger) {
    Settings settings = one_slot();
    settings.lease = minutes(10);
    settings.lease_max = minutes(10);
    World world(settings);
    const Number ann = world.join("ann"), bob = world.join("bob");
    world.pass(minutes(9));
    world.apply(SetLease{ann, minutes(5)});
    world.pass(minutes(4));
    EXPECT_EQ(world.state(ann), VisitorState::active);
    EXPECT_EQ(world.refusal(SetLease{bob, minutes(5)}), Reason::not_called);
    EXPECT_EQ(world.refusal(SetLease{99, minutes(5)}), Reason::unknown_number);
    EXPECT_EQ(world.refusal(SetLease{ann, minutes(11)}), Reason::bad_lease);
    EXPECT_EQ(world.refusal(SetLease{ann, Millis{0}}), Reason::bad_lease);
    world.expect_replay_is_equal();
}

TEST(Room, FactsThatCannotFollowAreRefusedByReplay) {
    World world(one_slot());
    world.join("ann");
    world.join("bob");
    const auto refuses = [&](std::uint64_t sequence, Instant at, const Happening& what) {
        const std::uint64_t before = world.room.digest();
        const bool taken = world.room.replay(Fact{.sequence = sequence, .at = at, .what = what});
        return !taken && world.room.digest() == before;
    };
    const std::uint64_t next = world.room.sequence() + 1;
    EXPECT_TRUE(refuses(next + 1, world.now, Called{2}));
    EXPECT_TRUE(refuses(next, world.now - seconds(1), Called{2}));
    EXPECT_TRUE(refuses(next, world.now, Called{1}));
    EXPECT_TRUE(refuses(next, world.now, Called{9}));
    EXPECT_TRUE(refuses(next, world.now, Joined{.number = 2, .visitor = world.key("eve")}));
    EXPECT_TRUE(refuses(next, world.now, Joined{.number = 3, .visitor = world.key("bob")}));
    EXPECT_TRUE(refuses(next, world.now, Advanced{5}));
    EXPECT_TRUE(refuses(next, world.now, Activated{7}));
    EXPECT_TRUE(refuses(next, world.now, Redeemed{2}));
    EXPECT_TRUE(refuses(next, world.now, LeaseSet{2, world.now + seconds(1)}));
    Settings bad;
    bad.capacity = -1;
    EXPECT_TRUE(refuses(next, world.now, Configured{bad}));
    EXPECT_FALSE(refuses(next, world.now, Left{2}));
}

} // namespace
} // namespace anteroom
