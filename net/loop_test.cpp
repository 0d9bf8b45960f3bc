#include "net/loop.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "net/completion.h"
#include "net/task.h"
#include "net/testing.h"

namespace anteroom::net {

namespace {

Task<int> twice(Loop& loop, int value) {
    co_await sleep_for(loop, Millis{1});
    co_return value * 2;
}

Task<void> add_up(Loop& loop, int* sum) {
    for (int i = 0; i < 3; ++i) *sum += co_await twice(loop, i);
    loop.stop();
}

Task<void> wait_for(Completion<int>* completion, Millis deadline, std::optional<int>* got,
                    Loop* loop) {
    *got = co_await completion->within(deadline);
    loop->stop();
}

struct Witness {
    explicit Witness(bool* flag) : destroyed(flag) {}
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;
    ~Witness() { *destroyed = true; }
    bool* destroyed;
};

Task<void> wait_for_ever(Loop& loop, bool* destroyed) {
    const Witness witness(destroyed);
    co_await sleep_for(loop, hours(1));
}

} // namespace

TEST(Loop, RunsPostedJobsInOrder) {
    Loop loop;
    std::vector<int> order;
    std::thread other([&] {
        for (int i = 0; i < 1'000; ++i) loop.post([&order, i] { order.push_back(i); });
        loop.stop();
    });
    loop.run();
    other.join();
    ASSERT_EQ(order.size(), 1'000u);
    for (int i = 0; i < 1'000; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(Loop, AlarmsFireInTheOrderOfTheirTimes) {
    Loop loop;
    std::string order;
    const Alarm late = loop.after(Millis{20}, [&] {
        order += "b";
        loop.stop();
    });
    const Alarm early = loop.after(Millis{1}, [&] { order += "a"; });
    loop.run();
    EXPECT_EQ(order, "ab");
}

TEST(Loop, DroppedAlarmDoesNotFire) {
    Loop loop;
    bool fired = false;
    Alarm dropped = loop.after(Millis{1}, [&] { fired = true; });
    dropped = Alarm();
    const Alarm end = loop.after(Millis{10}, [&] { loop.stop(); });
    loop.run();
    EXPECT_FALSE(fired);
}

TEST(Loop, RepeatedAlarmMayDropItself) {
    Loop loop;
    int count = 0;
    Alarm tick;
    tick = loop.every(Millis{1}, [&] {
        if (++count < 3) return;
        tick = Alarm();
        loop.stop();
    });
    loop.run();
    EXPECT_EQ(count, 3);
}

TEST(Loop, CallsTheTurnHookAfterEveryBatchOfWork) {
    Loop loop;
    bool worked = false;
    bool seen_after_work = false;
    loop.on_turn([&] {
        if (!worked) return;
        seen_after_work = true;
        loop.stop();
    });
    loop.post([&] { worked = true; });
    loop.run();
    EXPECT_TRUE(seen_after_work);
}

TEST(Loop, SoonRunsAfterTheCallerAndBeforeTheNextSleep) {
    Loop loop;
    std::string order;
    loop.post([&] {
        loop.soon([&] {
            order += "b";
            loop.soon([&] {
                order += "c";
                loop.stop();
            });
        });
        order += "a";
    });
    loop.run();
    EXPECT_EQ(order, "abc");
}

TEST(Loop, AlarmsFireThoughThereIsAlwaysWork) {
    Loop loop;
    bool fired = false;
    Alarm alarm;
    std::function<void()> work = [&] {
        if (!fired) loop.soon([&] { work(); });
    };
    loop.soon([&] {
        work();
        alarm = loop.after(Millis{2}, [&] {
            fired = true;
            loop.stop();
        });
    });
    loop.run();
    EXPECT_TRUE(fired);
}

TEST(Loop, MeasuresHowLongItWasBusy) {
    Loop loop;
    loop.post([&] {
        const std::uint64_t start = uv_hrtime();
        while (uv_hrtime() - start < 30'000'000) {
        }
        loop.stop();
    });
    loop.run();
    EXPECT_GE(loop.take_lag_max(), Millis{20});
    EXPECT_EQ(loop.take_lag_max(), Millis{0});
}

TEST(Loop, WorkThatWasMadeReadyCountsAsBusy) {
    Loop loop;
    loop.post([&] {
        loop.soon([&] {
            const std::uint64_t start = uv_hrtime();
            while (uv_hrtime() - start < 30'000'000) {
            }
            loop.stop();
        });
    });
    loop.run();
    EXPECT_GE(loop.take_lag_max(), Millis{20});
}

TEST(Task, AwaitsTasksAndTimers) {
    Loop loop;
    int sum = 0;
    spawn(loop, add_up(loop, &sum));
    loop.run();
    EXPECT_EQ(sum, 6);
}

TEST(Task, SpawnedTaskThatNeverEndsDiesWithItsLoop) {
    bool destroyed = false;
    {
        Loop loop;
        spawn(loop, wait_for_ever(loop, &destroyed));
        EXPECT_FALSE(destroyed);
    }
    EXPECT_TRUE(destroyed);
}

TEST(Completion, DeliversAValueFromACallback) {
    Loop loop;
    Completion<int> completion(loop);
    std::optional<int> got;
    spawn(loop, wait_for(&completion, seconds(60), &got, &loop));
    loop.post([&] { completion.complete(7); });
    loop.run();
    EXPECT_EQ(got, 7);
}

TEST(Completion, GivesUpAtTheDeadline) {
    Loop loop;
    Completion<int> completion(loop);
    std::optional<int> got = 1;
    spawn(loop, wait_for(&completion, Millis{5}, &got, &loop));
    loop.run();
    EXPECT_EQ(got, std::nullopt);
    completion.complete(7); // Too late, and harmless.
}

} // namespace anteroom::net
