#include "engine/pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace anteroom {
namespace {

Settings pace(std::int64_t batch, Millis interval, std::int64_t rate_milli = 0) {
    Settings settings;
    settings.admit_batch = batch;
    settings.admit_interval = interval;
    settings.rate_milli = rate_milli;
    return settings;
}

// Calls as often as the pacer allows, asked every `step`; returns when.
std::vector<Instant> call_greedily(const Settings& settings, Millis span, Millis step) {
    Pacer pacer;
    pacer.configure(settings, Instant{0});
    std::vector<Instant> calls;
    for (Instant now{0}; now < Instant{span.count}; now = now + step) {
        for (std::int64_t allowed = pacer.allowed(now); allowed > 0; --allowed) {
            if (pacer.allowed(now) == 0) break;
            pacer.record(now);
            calls.push_back(now);
        }
    }
    return calls;
}

// The most calls in any half-open window of this length.
std::size_t most_within(const std::vector<Instant>& calls, Millis window) {
    std::size_t most = 0;
    for (std::size_t first = 0, last = 0; last < calls.size(); ++last) {
        while (calls[first] + window <= calls[last]) ++first;
        most = std::max(most, last - first + 1);
    }
    return most;
}

TEST(Pacer, NoWindowOfAnIntervalSeesMoreThanABatch) {
    for (const std::int64_t step : {1, 7, 250}) {
        const std::vector<Instant> calls =
            call_greedily(pace(100, seconds(1)), seconds(20), Millis{step});
        EXPECT_LE(most_within(calls, seconds(1)), 100u);
        EXPECT_GE(calls.size(), 1'600u);
    }
}

TEST(Pacer, NoWindowOfASecondSeesMoreThanTheRate) {
    for (const std::int64_t rate : {1, 3, 50, 999, 1'000, 12'345}) {
        const std::vector<Instant> calls =
            call_greedily(pace(1'000'000, Millis{1}, rate * 1'000), seconds(10), Millis{1});
        EXPECT_LE(most_within(calls, seconds(1)), static_cast<std::size_t>(rate)) << rate;
        EXPECT_GE(calls.size(), static_cast<std::size_t>(rate * 10 * 98 / 100)) << rate;
    }
}

TEST(Pacer, ARateIsSmoothAndKeptThoughTicksComeLate) {
    const Settings settings = pace(1'000'000, Millis{1}, 50'000);
    EXPECT_LE(most_within(call_greedily(settings, seconds(10), Millis{1}), Millis{100}), 10u);
    // Asked every 90 ms only, it still comes near the rate: a tenth of a second is banked.
    EXPECT_GE(call_greedily(settings, seconds(10), Millis{90}).size(), 450u);
}

TEST(Pacer, FractionsOfACallPerSecondAreExact) {
    const std::vector<Instant> slow =
        call_greedily(pace(100, Millis{1}, 100), seconds(100), Millis{1});
    EXPECT_EQ(slow.size(), 10u); // One in ten seconds.
    const std::vector<Instant> odd =
        call_greedily(pace(100, Millis{1}, 2'500), seconds(100), Millis{1});
    EXPECT_LE(most_within(odd, seconds(2)), 5u);
    EXPECT_GE(odd.size(), 248u);
}

TEST(Pacer, TellsTheFirstMomentOfTheNextCall) {
    Pacer pacer;
    pacer.configure(pace(2, seconds(1), 4'000), Instant{0});
    for (Instant now{0}; now < Instant{20'000};) {
        const Instant next = pacer.next(now);
        ASSERT_GE(next, now);
        ASSERT_TRUE(next == now || pacer.allowed(next - Millis{1}) == 0) << now.ms;
        ASSERT_GT(pacer.allowed(next), 0) << now.ms;
        pacer.record(next);
        now = next;
    }
}

TEST(Pacer, MemoryOfALongWindowIsBoundedAndErrsOnTheSafeSide) {
    const std::vector<Instant> calls =
        call_greedily(pace(50'000, minutes(10)), minutes(30), Millis{10});
    EXPECT_LE(most_within(calls, minutes(10)), 50'000u);
    EXPECT_GE(calls.size(), 100'000u);
}

TEST(Pacer, AFullLongWindowGoesOnAsItsFirstCallsFallOut) {
    Pacer pacer;
    pacer.configure(pace(36'000, hours(1)), Instant{0});
    for (std::int64_t i = 0; i < 36'000; ++i) pacer.record(Instant{i * 100});
    const Instant next = pacer.next(Instant{3'599'900});
    EXPECT_GE(next, Instant{0} + hours(1));
    EXPECT_LE(next, Instant{0} + hours(1) + seconds(1));
    EXPECT_LE(pacer.allowed(next), 20);
}

TEST(Pacer, AnExtremeRateNeitherOverflowsNorBlocks) {
    Pacer pacer;
    pacer.configure(pace(limits::count_max, hours(1), limits::rate_milli_max), Instant{0});
    EXPECT_GT(pacer.allowed(Instant{0}), 0);
    EXPECT_GT(pacer.allowed(instant_max), 0);
    pacer.record(Instant{0});
    EXPECT_GT(pacer.allowed(Instant{1'000'000'000'000}), 0);
}

} // namespace
} // namespace anteroom
