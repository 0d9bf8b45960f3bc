#include "service/window_limiter.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>

namespace anteroom {
namespace {

constexpr Instant start{1'700'000'000'000};

TEST(WindowLimiter, LetsSoManyThroughAndThenSaysWhen) {
    WindowLimiter limiter(120);
    for (int i = 0; i < 120; ++i) EXPECT_EQ(limiter.wait_seconds("user:a", start), 0);
    const std::int64_t wait = limiter.wait_seconds("user:a", start + seconds(20));
    EXPECT_EQ(wait, 41);
    EXPECT_EQ(limiter.wait_seconds("user:b", start), 0); // Everybody has a window.
    EXPECT_GT(limiter.wait_seconds("user:a", start + seconds(60)), 0);
    EXPECT_EQ(limiter.wait_seconds("user:a", start + seconds(20 + wait)), 0);
}

TEST(WindowLimiter, WhoIsRefusedLosesNothing) {
    WindowLimiter limiter(1);
    EXPECT_EQ(limiter.wait_seconds("a", start), 0);
    for (int i = 1; i <= 60; ++i) EXPECT_GT(limiter.wait_seconds("a", start + seconds(i)), 0);
    EXPECT_EQ(limiter.wait_seconds("a", start + seconds(61)), 0);
}

TEST(WindowLimiter, NoWindowOfAMinuteEverHasMore) {
    std::mt19937_64 random(7);
    constexpr std::uint32_t limit = 30;
    WindowLimiter limiter(limit);
    std::deque<Instant> let_through;
    Instant now = start;
    int most = 0;
    for (int i = 0; i < 20'000; ++i) {
        now = now + Millis{static_cast<std::int64_t>(random() % 900)};
        while (!let_through.empty() && let_through.front() + seconds(60) <= now)
            let_through.pop_front();
        const std::int64_t wait = limiter.wait_seconds("c", now);
        if (wait == 0) let_through.push_back(now);
        most = std::max(most, static_cast<int>(let_through.size()));
        ASSERT_LE(let_through.size(), limit);
        if (wait > 0) {
            // And when it says when, that holds.
            ASSERT_LE(wait, 61);
            if (random() % 10 == 0) {
                now = now + seconds(wait);
                while (!let_through.empty() && let_through.front() + seconds(60) <= now)
                    let_through.pop_front();
                ASSERT_EQ(limiter.wait_seconds("c", now), 0);
                let_through.push_back(now);
            }
        }
    }
    EXPECT_EQ(most, static_cast<int>(limit));
}

TEST(WindowLimiter, ForgetsTheSilentAndRefusesRatherThanGrow) {
    WindowLimiter limiter(5);
    int refused = 0;
    for (int i = 0; i < 400'000; ++i)
        refused += limiter.wait_seconds("client-" + std::to_string(i), start) > 0;
    EXPECT_GT(refused, 0);
    EXPECT_LE(limiter.clients(), 16u * 16'384u);
    EXPECT_EQ(limiter.wait_seconds("a-new-one", start + seconds(120)), 0);
}

TEST(WindowLimiter, AClockThatGoesBackGivesNothingAway) {
    WindowLimiter limiter(2);
    EXPECT_EQ(limiter.wait_seconds("a", start), 0);
    EXPECT_EQ(limiter.wait_seconds("a", start - seconds(30)), 0);
    EXPECT_GT(limiter.wait_seconds("a", start - seconds(100)), 0);
}

TEST(WindowLimiter, ZeroIsNoLimit) {
    WindowLimiter limiter(0);
    for (int i = 0; i < 10'000; ++i) EXPECT_EQ(limiter.wait_seconds("a", start), 0);
}

} // namespace
} // namespace anteroom
