#include "engine/pulse.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/test_world.h"

namespace anteroom {
namespace {

// Everybody's `ahead` as a client computes it from the frame, against the room's own.
void expect_clients_know_their_place(const Room& room) {
    const Pulse pulse = make_pulse(room);
    ASSERT_EQ(pulse.waiting, room.waiting());
    room.for_each_live([&](Number number, const Record&) {
        const Standing standing = room.standing(number);
        if (!is_in_line(standing.state)) return;
        const std::uint64_t computed = ahead_from(pulse, standing.line, standing.order);
        const std::uint64_t off =
            computed > standing.ahead ? computed - standing.ahead : standing.ahead - computed;
        const std::uint64_t in_line = room.everybody(standing.line).rank(standing.order);
        ASSERT_LE(off * 100, in_line < 1'000 ? 0 : standing.ahead) << number;
    });
}

Settings waiting_only() {
    Settings settings;
    settings.capacity = 0;
    settings.lanes = 2;
    settings.leave_grace = Millis{0};
    return settings;
}

VisitorKey key(std::uint64_t i) {
    return {.high = i * 0x9e37'79b9'7f4a'7c15, .low = i};
}

std::uint64_t next_random(std::uint64_t& state) {
    state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return state >> 33;
}

TEST(Pulse, IsExactForTheFirstThousandAndWithinAPercentBehindWithThirtyPercentGone) {
    World world(waiting_only());
    std::uint64_t random = 7;
    for (std::uint64_t i = 0; i < 200'000; ++i)
        world.apply(Join{.visitor = key(i), .lane = static_cast<std::uint8_t>(i % 5 == 0)});
    for (Number number = 1; number <= 200'000; ++number)
        if (next_random(random) % 10 < 3) world.apply(Leave{number});
    expect_clients_know_their_place(world.room);
}

TEST(Pulse, HoldsWhenWholeStretchesAreGone) {
    World world(waiting_only());
    for (std::uint64_t i = 0; i < 60'000; ++i) world.apply(Join{.visitor = key(i)});
    // Everybody of every other stretch, of all lengths: the worst case for guessing in between.
    for (Number number = 1, length = 1; number <= 60'000; length = length * 5 / 3 + 1) {
        for (Number i = 0; i < length && number <= 60'000; ++i) world.apply(Leave{number++});
        number += length;
    }
    expect_clients_know_their_place(world.room);
}

TEST(Pulse, CountsThoseWhoMayStillComeBack) {
    Settings settings = waiting_only();
    settings.leave_grace = seconds(10);
    World world(settings);
    for (std::uint64_t i = 0; i < 5'000; ++i) world.apply(Join{.visitor = key(i)});
    for (Number number = 1; number <= 5'000; number += 3) world.apply(Leave{number});
    EXPECT_EQ(world.room.waiting(), 5'000u);
    expect_clients_know_their_place(world.room);
}

TEST(Pulse, IsSmallHoweverLongTheLine) {
    World world(waiting_only());
    for (std::uint64_t i = 0; i < 300'000; ++i) world.apply(Join{.visitor = key(i)});
    std::uint64_t random = 3;
    for (Number number = 1; number <= 300'000; ++number)
        if (next_random(random) % 10 < 3) world.apply(Leave{number});
    const Pulse pulse = make_pulse(world.room);
    ASSERT_EQ(pulse.lines.size(), 1u);
    EXPECT_LE(pulse.lines[0].runs.size(), 2'000u);
    EXPECT_LE(pulse.lines[0].marks.size(), 320u);
}

TEST(Pulse, AnEmptyRoomHasAnEmptyMap) {
    World world;
    const Pulse pulse = make_pulse(world.room);
    EXPECT_TRUE(pulse.lines.empty());
    EXPECT_EQ(ahead_from(pulse, 1, 42), 0u);
}

} // namespace
} // namespace anteroom
