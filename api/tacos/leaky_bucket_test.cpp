#include "api/tacos/leaky_bucket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace anteroom::api::tacos {
namespace {

const Instant start{1'000'000};
constexpr std::uint32_t room = 7;

// The most that any window of this length sees, of moments in order.
std::size_t most_within(const std::vector<Instant>& moments, Millis window) {
    std::size_t most = 0, first = 0;
    for (std::size_t last = 0; last < moments.size(); ++last) {
        while (moments[first] + window <= moments[last]) ++first;
        most = std::max(most, last - first + 1);
    }
    return most;
}

// People who come at these moments, in order, and come back when they are told; a little late,
// as loops are.
struct Crowd {
    explicit Crowd(std::int64_t rate) : rate_milli(rate) {}

    std::vector<Instant> enter(const std::vector<Instant>& arrivals, Millis late_max = {},
                               Millis hold_max = hours(1)) {
        struct Person {
            Instant came;
            bool has_waited;
        };
        std::multimap<Instant, Person> due;
        for (const Instant at : arrivals) due.insert({at, {.came = at, .has_waited = false}});
        std::vector<Instant> entered;
        Instant now = instant_min;
        while (!due.empty()) {
            const Person person = due.begin()->second;
            const Millis late{std::uniform_int_distribution<std::int64_t>(0, late_max.count)(lots)};
            now = std::max(now, due.begin()->first + late);
            due.erase(due.begin());
            const LeakyBucket::Turn turn = bucket.take({.room = room,
                                                        .rate_milli = rate_milli,
                                                        .now = now,
                                                        .deadline = person.came + hold_max,
                                                        .has_waited = person.has_waited});
            if (!turn.has_come) {
                due.insert({turn.at, {.came = person.came, .has_waited = true}});
                continue;
            }
            entered.push_back(now);
            held_max = std::max(held_max, now - person.came);
        }
        return entered;
    }

    LeakyBucket bucket;
    std::int64_t rate_milli;
    Millis held_max;
    std::mt19937_64 lots{1};
};

TEST(TacosLeakyBucket, ACrowdGoesInFiftyASecond) {
    Crowd crowd(50'000);
    const std::vector<Instant> entered = crowd.enter(std::vector<Instant>(150, start));
    EXPECT_EQ(most_within(entered, seconds(1)), 50u);
    EXPECT_EQ(entered[49], start);
    EXPECT_EQ(entered[50], start + seconds(1));
    EXPECT_EQ(entered[99], start + seconds(1));
    EXPECT_EQ(entered[149], start + seconds(2));
}

TEST(TacosLeakyBucket, NoSecondEverSeesMoreThanTheRate) {
    for (const std::int64_t rate_milli : {400, 1'000, 1'500, 50'000, 50'500, 150'000, 3'000'000}) {
        Crowd crowd(rate_milli);
        std::vector<Instant> arrivals;
        Instant at = start;
        const std::int64_t people = std::min<std::int64_t>(5'000, rate_milli / 100 + 20);
        for (std::int64_t i = 0; i < people; ++i) {
            // Crowds and silences.
            if (crowd.lots() % 100 == 0)
                at = at + Millis{static_cast<std::int64_t>(crowd.lots() % 2'000)};
            arrivals.push_back(at);
        }
        const std::vector<Instant> entered = crowd.enter(arrivals, Millis{300});
        EXPECT_EQ(entered.size(), arrivals.size());
        EXPECT_LE(most_within(entered, seconds(1)),
                  static_cast<std::size_t>((rate_milli + 999) / 1'000))
            << rate_milli;
    }
}

TEST(TacosLeakyBucket, TheRateIsReached) {
    Crowd crowd(50'000);
    std::vector<Instant> arrivals;
    for (int i = 0; i < 1'000; ++i) arrivals.push_back(start + Millis{i * 20});
    const std::vector<Instant> entered = crowd.enter(arrivals);
    EXPECT_EQ(entered, arrivals) << "who comes at the pace is not held";
}

TEST(TacosLeakyBucket, WhoWouldBeHeldForTooLongGoesAtOnce) {
    Crowd crowd(1'000);
    const std::vector<Instant> entered =
        crowd.enter(std::vector<Instant>(20, start), {}, seconds(5));
    EXPECT_EQ(std::ranges::count(entered, start), 15) << "the first, and those after the sixth";
    EXPECT_EQ(entered.back(), start + seconds(5));
    EXPECT_EQ(crowd.held_max, seconds(5));
}

TEST(TacosLeakyBucket, WithoutARateNobodyIsHeldNorRemembered) {
    Crowd crowd(0);
    EXPECT_EQ(crowd.enter(std::vector<Instant>(1'000, start)).back(), start);
    EXPECT_EQ(crowd.bucket.size(), 0u);
}

TEST(TacosLeakyBucket, ARateThatIsTakenAwayLetsThoseWhoWaitIn) {
    LeakyBucket bucket;
    const auto take = [&](std::int64_t rate_milli, bool has_waited) {
        return bucket.take({.room = room,
                            .rate_milli = rate_milli,
                            .now = start,
                            .deadline = start + seconds(5),
                            .has_waited = has_waited});
    };
    EXPECT_TRUE(take(1'000, false).has_come);
    EXPECT_EQ(take(1'000, false).at, start + seconds(1));
    EXPECT_EQ(take(1'000, false).at, start + seconds(2)) << "after the one who waits";
    bucket.give_up(room);
    EXPECT_TRUE(take(0, true).has_come);
    EXPECT_EQ(take(1'000, false).at, start + seconds(1)) << "nobody waits any more";
}

TEST(TacosLeakyBucket, WhoWasSlowToGoInCountsFromThen) {
    LeakyBucket bucket;
    const auto take = [&](Instant now, bool has_waited = false) {
        return bucket.take({.room = room,
                            .rate_milli = 2'000,
                            .now = now,
                            .deadline = instant_max,
                            .has_waited = has_waited});
    };
    take(start);
    take(start);
    bucket.amend(room, start, start + Millis{300});
    EXPECT_EQ(take(start + Millis{300}).at, start + seconds(1)) << "the first was not slow";
    EXPECT_TRUE(take(start + seconds(1), true).has_come);
    EXPECT_EQ(take(start + seconds(1)).at, start + Millis{1'300});
}

TEST(TacosLeakyBucket, AClockThatGoesBackBreaksNothing) {
    LeakyBucket bucket;
    std::size_t held = 0;
    for (std::int64_t i = 0; i < 100; ++i) {
        const Instant now = start - Millis{i % 3};
        const auto turn = bucket.take(
            {.room = room, .rate_milli = 50'000, .now = now, .deadline = start + seconds(5)});
        if (turn.has_come) continue;
        ++held;
        EXPECT_GE(turn.at, start + seconds(1));
    }
    EXPECT_EQ(held, 50u);
}

TEST(TacosLeakyBucket, EventsAreBoundedAndIdleOnesForgotten) {
    LeakyBucket bucket(3);
    const auto enter = [&](std::uint32_t event, Instant now) {
        return bucket.take(
            {.room = event, .rate_milli = 1'000, .now = now, .deadline = instant_max});
    };
    for (std::uint32_t event = 0; event < 10; ++event) {
        EXPECT_TRUE(enter(event, start).has_come);
        EXPECT_LE(bucket.size(), 3u);
    }
    EXPECT_TRUE(enter(9, start).has_come) << "not known: not held";
    EXPECT_FALSE(enter(0, start).has_come) << "known, and somebody waits now";
    enter(20, start + minutes(1));
    EXPECT_EQ(bucket.size(), 2u) << "the one in which somebody waits, and the new one";
}

TEST(TacosLeakyBucket, ManyThreadsShareIt) {
    LeakyBucket bucket;
    std::atomic<int> entered{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 1'000; ++i)
                entered += bucket
                               .take({.room = room,
                                      .rate_milli = 50'000,
                                      .now = start,
                                      .deadline = instant_max})
                               .has_come;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(entered, 50);
}

} // namespace
} // namespace anteroom::api::tacos
