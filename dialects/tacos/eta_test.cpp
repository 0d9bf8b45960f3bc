#include "dialects/tacos/eta.h"

#include <gtest/gtest.h>

#include <limits>

namespace anteroom::tacos {
namespace {

constexpr Millis over{-4'000}; // The minimum wait, for four seconds.

TEST(TacosEta, IsThePositionByTheMeasuredPace) {
    EXPECT_EQ(eta_seconds(300, 50, over), 6);
    EXPECT_EQ(eta_seconds(301, 50, over), 6) << "whole seconds";
    EXPECT_EQ(eta_seconds(350, 50, over), 7);
    EXPECT_EQ(eta_seconds(3, 0.5, over), 6);
}

TEST(TacosEta, IsBetweenASecondAndTenMinutes) {
    EXPECT_EQ(eta_seconds(1, 50, over), 1);
    EXPECT_EQ(eta_seconds(1'000'000, 50, over), 600);
    EXPECT_EQ(eta_seconds(std::numeric_limits<std::uint64_t>::max(), 0.001, over), 600);
    EXPECT_EQ(eta_seconds(1, 50, hours(1)), 600);
}

TEST(TacosEta, IsTwoSecondsEachBeforeAnythingIsMeasured) {
    EXPECT_EQ(eta_seconds(3, 0, over), 6);
    EXPECT_EQ(eta_seconds(300, 0, over), 600);
    EXPECT_EQ(eta_seconds(std::numeric_limits<std::uint64_t>::max(), 0, over), 600);
}

TEST(TacosEta, IsNotBeforeTheMinimumWaitIsOver) {
    EXPECT_EQ(eta_seconds(3, 50, Millis{4'300}), 4);
    EXPECT_EQ(eta_seconds(300, 50, Millis{4'300}), 6);
}

} // namespace
} // namespace anteroom::tacos
