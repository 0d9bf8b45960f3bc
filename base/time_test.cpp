#include "base/time.h"

#include <gtest/gtest.h>

#include <limits>

namespace anteroom {
namespace {

constexpr Millis millis_min{std::numeric_limits<std::int64_t>::min()};
constexpr Millis millis_max{std::numeric_limits<std::int64_t>::max()};

TEST(Time, AddsAndSubtractsSpans) {
    constexpr Instant noon{43'200'000};
    static_assert(noon + minutes(5) - minutes(5) == noon);
    EXPECT_EQ((noon + seconds(2)).ms, 43'202'000);
    EXPECT_EQ((noon - seconds(2)).ms, 43'198'000);
    EXPECT_EQ((noon + hours(1)) - noon, minutes(60));
    EXPECT_EQ(noon - (noon + hours(1)), minutes(-60));
}

TEST(Time, OrdersInstantsAndSpans) {
    EXPECT_LT(Instant{1}, Instant{2});
    EXPECT_LT(instant_min, Instant{0});
    EXPECT_LT(seconds(59), minutes(1));
}

TEST(Time, ForEverCanBeAddedToAnything) {
    EXPECT_EQ(Instant{1} + millis_max, instant_max);
    EXPECT_EQ(instant_max + Millis{1}, instant_max);
    EXPECT_EQ(instant_min - Millis{1}, instant_min);
    EXPECT_EQ(Instant{-2} + millis_min, instant_min);
}

TEST(Time, SubtractingTheSmallestSpanSaturates) {
    EXPECT_EQ(Instant{0} - millis_min, instant_max);
    EXPECT_EQ((Instant{-1} - millis_min).ms, millis_max.count);
    EXPECT_EQ(instant_min - millis_min, Instant{0});
}

TEST(Time, TheDistanceBetweenTheEndsOfTimeSaturates) {
    EXPECT_EQ(instant_max - instant_min, millis_max);
    EXPECT_EQ(instant_min - instant_max, millis_min);
}

TEST(Time, HugeCountsOfUnitsSaturate) {
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 1'000;
    EXPECT_EQ(seconds(huge).count, huge * 1'000);
    EXPECT_EQ(seconds(huge + 1), millis_max);
    EXPECT_EQ(minutes(-huge), millis_min);
    EXPECT_EQ(hours(millis_max.count), millis_max);
    EXPECT_EQ(hours(millis_min.count), millis_min);
}

} // namespace
} // namespace anteroom
