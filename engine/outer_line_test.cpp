#include "engine/outer_line.h"

#include <gtest/gtest.h>

#include "engine/test_world.h"

namespace anteroom {
namespace {

struct OuterWorld : World {
    explicit OuterWorld(Settings settings = {}) : World(settings) { apply(Activate{}); }
    OuterPlace place(Number number) const { return {room.outer().generation(), number}; }
};

TEST(OuterLine, NumbersStartAtOneAndAVisitorHasOne) {
    OuterWorld world;
    EXPECT_EQ(world.take_number("ann"), 1u);
    EXPECT_EQ(world.take_number("bob"), 2u);
    EXPECT_EQ(world.take_number("ann"), 1u);
    EXPECT_EQ(world.room.outer().issued(), 2u);
}

TEST(OuterLine, AdvancesByBatchAndIntervalButNeverBeyondWhatWasIssued) {
    OuterWorld world;
    for (int i = 0; i < 700; ++i) world.take_number("v" + std::to_string(i));
    world.pass(Millis{9'999});
    EXPECT_EQ(world.room.outer().serving(), 0u);
    world.pass(Millis{1});
    EXPECT_EQ(world.room.outer().serving(), 500u);
    world.pass(seconds(10));
    EXPECT_EQ(world.room.outer().serving(), 700u);
    world.pass(minutes(10));
    EXPECT_EQ(world.room.outer().serving(), 700u);
    EXPECT_FALSE(std::get<OuterStanding>(world.apply(TakeNumber{world.key("late")})).released);
}

TEST(OuterLine, AdvancesByHand) {
    OuterWorld world;
    for (int i = 0; i < 3; ++i) world.take_number("v" + std::to_string(i));
    EXPECT_EQ(std::get<Done>(world.apply(Advance{2})).advanced, 2u);
    EXPECT_TRUE(world.room.outer().standing(world.place(2))->released);
    EXPECT_FALSE(world.room.outer().standing(world.place(3))->released);
    EXPECT_EQ(std::get<Done>(world.apply(Advance{500})).advanced, 1u);
    EXPECT_EQ(world.refusal(Advance{0}), Reason::bad_count);
    EXPECT_EQ(world.refusal(Advance{-500}), Reason::bad_count);
}

TEST(OuterLine, NumbersOfAnOlderGenerationAreUnknown) {
    OuterWorld world;
    world.take_number("ann");
    world.apply(Advance{1});
    const OuterPlace old = world.place(1);
    world.apply(Activate{});
    EXPECT_EQ(world.room.outer().standing(old), std::nullopt);
    EXPECT_EQ(world.take_number("bob"), 1u);
    EXPECT_EQ(world.refusal(Join{.visitor = world.key("ann"), .outer = old}),
              Reason::outer_unknown);
    world.expect_replay_is_equal();
}

TEST(OuterLine, RemembersWhenTheFirstPassWasGiven) {
    OuterWorld world;
    world.take_number("ann");
    const Instant taken = world.now;
    world.pass(Millis{90'500});
    EXPECT_EQ(world.room.outer().first_pass(1, world.now), taken + seconds(90));
    world.pass(hours(1));
    EXPECT_EQ(world.room.outer().first_pass(1, world.now), taken + seconds(90));
    world.take_number("bob");
    EXPECT_EQ(world.room.outer().first_pass(2, world.now), world.now);
}

TEST(OuterLine, AnOrderLeadsBackToItsPlace) {
    OuterWorld world;
    for (const char* name : {"ann", "bob"}) world.take_number(name);
    world.apply(Advance{2});
    const auto joined = std::get<Standing>(
        world.apply(Join{.visitor = world.key("user"), .outer = world.place(2)}));
    EXPECT_EQ(joined.line % 2, 0);
    EXPECT_EQ(world.room.outer().place_of(joined.order), world.place(2));
    EXPECT_EQ(world.room.outer().place_of(joined.order + 1), std::nullopt);
    world.apply(Activate{});
    EXPECT_EQ(world.room.outer().place_of(joined.order), std::nullopt);
    world.take_number("cyd");
    EXPECT_EQ(world.room.outer().place_of(joined.order), std::nullopt);
    EXPECT_EQ(world.room.outer().place_of(joined.order + 1), world.place(1));
}

TEST(OuterLine, PlacesExpireAfterTheirLifetime) {
    OuterWorld world;
    world.take_number("ann");
    world.pass(hours(12));
    world.take_number("bob");
    world.pass(hours(12));
    EXPECT_EQ(world.room.outer().standing(world.place(1)), std::nullopt);
    EXPECT_NE(world.room.outer().standing(world.place(2)), std::nullopt);
    EXPECT_EQ(world.take_number("ann"), 3u);
    world.expect_replay_is_equal();
}

TEST(OuterLine, WhileItIsActiveTheInnerLineIsEnteredThroughItOnly) {
    OuterWorld world;
    world.take_number("ann");
    EXPECT_EQ(world.refusal(Join{.visitor = world.key("user")}), Reason::outer_required);
    const Join early{.visitor = world.key("user"), .outer = world.place(1)};
    EXPECT_EQ(world.refusal(early), Reason::outer_not_released);
    const Join invented{.visitor = world.key("user"), .outer = world.place(2)};
    EXPECT_EQ(world.refusal(invented), Reason::outer_unknown);
    world.apply(Advance{1});
    EXPECT_EQ(world.join("user", world.place(1)), 1u);
    const Join copied{.visitor = world.key("other"), .outer = world.place(1)};
    EXPECT_EQ(world.refusal(copied), Reason::outer_taken);
}

TEST(OuterLine, InactiveItLetsEverybodyOn) {
    OuterWorld world;
    world.take_number("ann");
    world.apply(Deactivate{});
    EXPECT_TRUE(world.room.outer().standing(world.place(1))->released);
    EXPECT_EQ(world.refusal(TakeNumber{world.key("bob")}), Reason::outer_inactive);
    EXPECT_EQ(world.join("walk-up"), 1u);
}

TEST(OuterLine, TheInnerLineFollowsTheOuterNumbersThenArrival) {
    Settings settings;
    settings.capacity = 0;
    OuterWorld world(settings);
    for (int i = 0; i < 3; ++i) world.take_number("v" + std::to_string(i));
    world.apply(Advance{3});
    const Number third = world.join("c", world.place(3));
    const Number first = world.join("a", world.place(1));
    world.apply(Deactivate{});
    const Number walk_up = world.join("w");
    const Number second = world.join("b", world.place(2));
    EXPECT_EQ(world.ahead(first), 0u);
    EXPECT_EQ(world.ahead(second), 1u);
    EXPECT_EQ(world.ahead(third), 2u);
    EXPECT_EQ(world.ahead(walk_up), 3u);
    world.apply(Activate{});
    world.take_number("v9");
    world.apply(Advance{1});
    // A newer generation stands behind an older one, though its number is smaller.
    EXPECT_EQ(world.ahead(world.join("d", world.place(1))), 3u);
    world.expect_replay_is_equal();
}

TEST(OuterLine, AnOrderBringsSomebodyInOnlyOnce) {
    Settings settings;
    settings.capacity = 1;
    OuterWorld world(settings);
    world.take_number("x");
    world.take_number("y");
    world.apply(Advance{2});
    const Number first = world.join("a", world.place(1));
    EXPECT_EQ(world.state(first), VisitorState::active);
    const Number other = world.join("b", world.place(2));
    world.apply(Finish{first});
    world.pass(seconds(1));
    EXPECT_EQ(world.state(other), VisitorState::called);
    // The same user may come again with the same number, but at the end of the line.
    const Number again = world.join("a", world.place(1));
    EXPECT_EQ(world.room.standing(again).order, again);
    world.expect_replay_is_equal();
}

} // namespace
} // namespace anteroom
