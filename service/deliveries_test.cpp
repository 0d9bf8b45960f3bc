#include "service/deliveries.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "net/testing.h"

namespace anteroom {
namespace {

using net::testing::LoopThread;

std::uint64_t called(const Outcome& outcome) {
    return std::get<Done>(outcome).called;
}

TEST(Deliveries, AreMadeInOrderOnTheirLoops) {
    constexpr std::uint64_t count = 10'000;
    std::array<LoopThread, 3> loops;
    std::array<std::vector<std::uint64_t>, 3> heard;
    Deliveries deliveries;
    for (std::uint64_t i = 0; i < count; ++i) {
        net::Loop& loop = loops[i % loops.size()].loop;
        deliveries.add({.loop = &loop,
                        .done =
                            [&loop, mine = &heard[i % heard.size()]](const Outcome& outcome) {
                                EXPECT_TRUE(loop.is_current());
                                mine->push_back(called(outcome));
                            },
                        .outcome = Done{.called = i}});
    }
    deliveries.send();
    for (LoopThread& loop : loops) loop.run([] {}); // After what was posted before.
    for (std::size_t loop = 0; loop < heard.size(); ++loop) {
        ASSERT_EQ(heard[loop].size(), (count + 2 - loop) / 3);
        for (std::size_t i = 0; i < heard[loop].size(); ++i)
            ASSERT_EQ(heard[loop][i], 3 * i + loop);
    }
}

TEST(Deliveries, OfOneBatchAreOneJobForALoop) {
    LoopThread thread;
    std::string heard;
    thread.run([&] {
        Deliveries deliveries;
        for (const char* word : {"a", "b", "c"})
            deliveries.add(
                {.loop = &thread.loop, .done = [&heard, word](const Outcome&) { heard += word; }});
        deliveries.send();
        EXPECT_EQ(heard, "") << "a batch is posted, also from the loop's own thread";
        thread.loop.post([&] { heard += "|"; });
        deliveries.send(); // Nothing is left.
    });
    thread.run([] {});
    EXPECT_EQ(heard, "abc|");
}

TEST(Deliveries, WithoutALoopAreMadeAtOnceAndWithoutACallbackNever) {
    int heard = 0;
    Deliveries deliveries;
    deliveries.add({.done = [&](const Outcome&) { ++heard; }});
    EXPECT_EQ(heard, 1);
    LoopThread thread;
    deliveries.add({.loop = &thread.loop});
    deliveries.send();
    EXPECT_EQ(heard, 1);
}

TEST(Deliveries, OneIsMadeAtOnceOnItsOwnThreadAndPostedFromAnother) {
    LoopThread thread;
    std::string heard;
    thread.run([&] {
        deliver({.loop = &thread.loop, .done = [&](const Outcome&) { heard += "now"; }});
        EXPECT_EQ(heard, "now");
    });
    deliver({.loop = &thread.loop, .done = [&](const Outcome&) {
                 EXPECT_TRUE(thread.loop.is_current());
                 heard += " later";
             }});
    thread.run([] {});
    EXPECT_EQ(heard, "now later");
}

TEST(Deliveries, WhatIsRefusedIsUnavailableWhateverTheOutcomeWas) {
    std::vector<Delivery> deliveries;
    int refused = 0;
    const auto expect_refused = [&](const Outcome& outcome) {
        EXPECT_EQ(std::get<Refused>(outcome).reason, Reason::unavailable);
        ++refused;
    };
    for (std::uint64_t i = 0; i < 3; ++i)
        deliveries.push_back({.done = expect_refused, .outcome = Done{.called = i}});
    refuse_all(std::move(deliveries));
    refuse({.done = expect_refused, .outcome = Done{}});
    EXPECT_EQ(refused, 4);
}

} // namespace
} // namespace anteroom
