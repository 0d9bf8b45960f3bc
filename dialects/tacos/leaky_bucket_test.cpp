#include "dialects/tacos/leaky_bucket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace anteroom::tacos {
namespace {

using Turn = LeakyBucket::Turn;
using Was = LeakyBucket::Was;

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
            Number number;
            Instant came;
            Was was;
        };
        std::multimap<Instant, Person> due;
        for (const Instant at : arrivals) due.insert({at, {++people, at, Was::nothing}});
        std::vector<Instant> entered;
        Instant now = instant_min;
        while (!due.empty()) {
            Person person = due.begin()->second;
            const Millis late{std::uniform_int_distribution<std::int64_t>(0, late_max.count)(lots)};
            now = std::max(now, due.begin()->first + late);
            due.erase(due.begin());
            const LeakyBucket::Told told = bucket.take({.room = room,
                                                        .number = person.number,
                                                        .rate_milli = rate_milli,
                                                        .now = now,
                                                        .deadline = person.came + hold_max,
                                                        .was = person.was});
            if (told.turn == Turn::come_back) {
                person.was = Was::held;
                due.insert({told.at, person});
                continue;
            }
            EXPECT_EQ(told.turn, Turn::come);
            bucket.settle(room, person.number, told.at, told.at);
            entered.push_back(now);
            held_max = std::max(held_max, now - person.came);
        }
        return entered;
    }

    LeakyBucket bucket;
    Number people = 0;
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

// Calls, one moment after the other.
struct Calls {
    LeakyBucket::Told take(Number number, Was was = Was::nothing) {
        return bucket.take({.room = room,
                            .number = number,
                            .rate_milli = rate_milli,
                            .now = now,
                            .deadline = start + seconds(5),
                            .was = was});
    }
    LeakyBucket bucket;
    std::int64_t rate_milli = 1'000;
    Instant now = start;
};

TEST(TacosLeakyBucket, ARateThatIsTakenAwayLetsThoseWhoWaitIn) {
    Calls calls;
    EXPECT_EQ(calls.take(1).turn, Turn::come);
    EXPECT_EQ(calls.take(2).at, start + seconds(1));
    EXPECT_EQ(calls.take(3).at, start + seconds(2)) << "after the one who waits";
    calls.bucket.give_up(room, 3);
    calls.rate_milli = 0;
    EXPECT_EQ(calls.take(2, Was::held).turn, Turn::come);
    calls.rate_milli = 1'000;
    EXPECT_EQ(calls.take(4).at, start + seconds(1)) << "nobody waits any more";
}

TEST(TacosLeakyBucket, WhoWasSlowToGoInCountsFromThen) {
    Calls calls;
    calls.rate_milli = 2'000;
    calls.take(1);
    calls.take(2);
    calls.bucket.settle(room, 1, start, start);
    calls.bucket.settle(room, 2, start, start + Millis{300});
    calls.now = start + Millis{300};
    EXPECT_EQ(calls.take(3).at, start + seconds(1)) << "the first was not slow";
    calls.now = start + seconds(1);
    EXPECT_EQ(calls.take(3, Was::held).turn, Turn::come);
    EXPECT_EQ(calls.take(4).at, start + Millis{1'300});
}

TEST(TacosLeakyBucket, CallsOfOneVisitorAreOneMoment) {
    Calls calls;
    EXPECT_EQ(calls.take(1).turn, Turn::come);
    EXPECT_EQ(calls.take(2).at, start + seconds(1));
    for (const Number number : {Number{1}, Number{2}}) {
        for (std::size_t i = 0; i < LeakyBucket::followers_max; ++i)
            EXPECT_EQ(calls.take(number).turn, Turn::follow) << "going in, or held";
        EXPECT_EQ(calls.take(number).turn, Turn::crowd);
        EXPECT_EQ(calls.take(number, Was::following).turn, Turn::follow) << "still one of them";
    }
    EXPECT_EQ(calls.take(1).turn, Turn::crowd);
    EXPECT_EQ(calls.take(3).at, start + seconds(2)) << "two moments are taken";

    calls.now = start + seconds(1);
    EXPECT_EQ(calls.take(2, Was::held).turn, Turn::come);
    EXPECT_GT(calls.take(2, Was::following).at, calls.now) << "until it is known what came of it";
    calls.bucket.settle(room, 2, calls.now, instant_min);
    EXPECT_EQ(calls.take(2, Was::following).at, start + seconds(3)) << "nothing: as the first";
    EXPECT_EQ(calls.take(2, Was::following).turn, Turn::follow) << "another of its followers";
    EXPECT_EQ(calls.take(2).turn, Turn::follow);
    calls.bucket.give_up(room, 2);
    EXPECT_EQ(calls.take(4).at, start + seconds(3));
}

TEST(TacosLeakyBucket, WhoGoesInWhileThereIsNoLimitLeavesNobodyBehind) {
    Calls calls;
    calls.take(1);
    calls.bucket.settle(room, 1, start, start);
    EXPECT_EQ(calls.take(2).turn, Turn::come_back);
    calls.rate_milli = 0;
    EXPECT_EQ(calls.take(2).turn, Turn::come) << "another call of the same visitor";
    calls.bucket.settle(room, 2, instant_max, start);
    calls.rate_milli = 1'000;
    EXPECT_EQ(calls.take(3).at, start + seconds(2)) << "after the one who is held still";
    calls.bucket.give_up(room, 2); // Is in, as the held call finds.
    calls.bucket.give_up(room, 2);
    calls.bucket.give_up(room, 3);
    EXPECT_EQ(calls.take(4).at, start + seconds(1)) << "nobody is held";
    // Also when nothing is known of who was held.
    EXPECT_EQ(calls.take(5, Was::held).at, start + seconds(1));
}

TEST(TacosLeakyBucket, AClockThatGoesBackBreaksNothing) {
    Calls calls;
    calls.rate_milli = 50'000;
    std::size_t held = 0;
    for (Number number = 1; number <= 100; ++number) {
        calls.now = start - Millis{static_cast<std::int64_t>(number % 3)};
        const LeakyBucket::Told told = calls.take(number);
        if (told.turn == Turn::come) continue;
        ++held;
        EXPECT_GE(told.at, start - Millis{2} + seconds(1));
    }
    EXPECT_EQ(held, 50u);
}

TEST(TacosLeakyBucket, EventsAreBoundedAndIdleOnesForgotten) {
    LeakyBucket bucket(3);
    const auto enter = [&](std::uint32_t event, Number number, Instant now) {
        const LeakyBucket::Told told = bucket.take({.room = event,
                                                    .number = number,
                                                    .rate_milli = 1'000,
                                                    .now = now,
                                                    .deadline = instant_max});
        if (told.turn == Turn::come) bucket.settle(event, number, told.at, told.at);
        return told.turn;
    };
    for (std::uint32_t event = 0; event < 10; ++event) {
        EXPECT_EQ(enter(event, 1, start), Turn::come);
        EXPECT_LE(bucket.size(), 3u);
    }
    EXPECT_EQ(enter(9, 2, start), Turn::come) << "not known: not held";
    EXPECT_EQ(enter(0, 2, start), Turn::come_back) << "known, and somebody waits now";
    enter(20, 1, start + minutes(1));
    EXPECT_EQ(bucket.size(), 2u) << "the one in which somebody waits, and the new one";
}

TEST(TacosLeakyBucket, ManyThreadsShareIt) {
    LeakyBucket bucket;
    std::atomic<int> entered{0};
    std::atomic<Number> people{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 1'000; ++i)
                entered += bucket
                               .take({.room = room,
                                      .number = ++people,
                                      .rate_milli = 50'000,
                                      .now = start,
                                      .deadline = instant_max})
                               .turn == Turn::come;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(entered, 50);
}

} // namespace
} // namespace anteroom::tacos
