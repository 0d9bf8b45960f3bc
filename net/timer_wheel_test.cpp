#include "net/timer_wheel.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace anteroom::net {

namespace {

// A timer that writes down when it fired.
struct Probe {
    explicit Probe(const Instant& clock) : now(clock) {}
    static void fire(void* self) {
        auto& probe = *static_cast<Probe*>(self);
        probe.fired.push_back(probe.now.ms);
    }
    const Instant& now;
    std::vector<std::int64_t> fired;
    Timer timer{this, &Probe::fire};
};

// Goes to a point in time the way a loop does: from one wake-up to the next.
void run_until(TimerWheel& wheel, Instant& now, Instant end) {
    while (true) {
        const auto next = wheel.next();
        if (!next || *next > end) break;
        now = *next;
        wheel.advance(now);
    }
    now = end;
    wheel.advance(now);
}

} // namespace

TEST(TimerWheel, FiresAtTheMillisecond) {
    for (const std::int64_t span : {1, 2, 63, 64, 65, 4'095, 4'096, 60'000, 262'144, 20'000'000}) {
        Instant now{1'000'003};
        TimerWheel wheel(now);
        Probe probe(now);
        wheel.arm(probe.timer, now + Millis{span});
        run_until(wheel, now, now + Millis{span - 1});
        EXPECT_TRUE(probe.fired.empty()) << span;
        run_until(wheel, now, now + Millis{1});
        EXPECT_EQ(probe.fired, std::vector<std::int64_t>{1'000'003 + span}) << span;
        EXPECT_FALSE(wheel.next().has_value());
    }
}

TEST(TimerWheel, PushedBackTimerFiresOnlyAtTheNewTime) {
    Instant now{0};
    TimerWheel wheel(now);
    Probe probe(now);
    wheel.arm(probe.timer, Instant{100});
    wheel.arm(probe.timer, Instant{5'000});
    run_until(wheel, now, Instant{4'999});
    EXPECT_TRUE(probe.fired.empty());
    run_until(wheel, now, Instant{5'000});
    EXPECT_EQ(probe.fired, std::vector<std::int64_t>{5'000});
}

TEST(TimerWheel, PulledForwardTimerFiresSooner) {
    Instant now{0};
    TimerWheel wheel(now);
    Probe probe(now);
    wheel.arm(probe.timer, Instant{60'000});
    wheel.arm(probe.timer, Instant{10});
    run_until(wheel, now, Instant{100'000});
    EXPECT_EQ(probe.fired, std::vector<std::int64_t>{10});
}

TEST(TimerWheel, TimeThatHasPassedFiresAtTheNextAdvance) {
    Instant now{500};
    TimerWheel wheel(now);
    Probe probe(now);
    wheel.arm(probe.timer, Instant{3});
    now = Instant{501};
    wheel.advance(now);
    EXPECT_EQ(probe.fired.size(), 1u);
}

TEST(TimerWheel, ForEverNeverFires) {
    Instant now{0};
    TimerWheel wheel(now);
    Probe probe(now);
    wheel.arm(probe.timer, instant_max);
    run_until(wheel, now, Instant{hours(24 * 365).count});
    EXPECT_TRUE(probe.fired.empty());
}

TEST(TimerWheel, FiringMayDestroyOtherTimersOfTheSameInstant) {
    Instant now{0};
    TimerWheel wheel(now);
    auto victim = std::make_unique<Probe>(now);
    struct Killer {
        std::unique_ptr<Probe>& victim;
        Timer timer{this, [](void* self) { static_cast<Killer*>(self)->victim.reset(); }};
    } killer{victim};
    wheel.arm(killer.timer, Instant{10});
    wheel.arm(victim->timer, Instant{10});
    run_until(wheel, now, Instant{20});
    EXPECT_EQ(victim, nullptr);
}

TEST(TimerWheel, AgreesWithAPlainListOverRandomOperations) {
    std::mt19937 random(7);
    Instant now{12'345};
    TimerWheel wheel(now);
    std::vector<std::unique_ptr<Probe>> probes;
    std::vector<std::int64_t> expected(50, -1);
    for (std::size_t i = 0; i < expected.size(); ++i)
        probes.push_back(std::make_unique<Probe>(now));
    for (int round = 0; round < 20'000; ++round) {
        const std::size_t pick = random() % expected.size();
        if (random() % 4 == 0) {
            probes[pick]->timer.cancel();
            expected[pick] = -1;
        } else {
            const Millis span{1 + static_cast<std::int64_t>(random() % (1u << (random() % 20)))};
            wheel.arm(probes[pick]->timer, now + span);
            expected[pick] = (now + span).ms;
        }
        run_until(wheel, now, now + Millis{static_cast<std::int64_t>(random() % 200)});
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const bool due = expected[i] >= 0 && expected[i] <= now.ms;
            ASSERT_EQ(probes[i]->fired.size(), due ? 1u : 0u) << "round " << round;
            if (!due) continue;
            ASSERT_EQ(probes[i]->fired.front(), expected[i]);
            probes[i]->fired.clear();
            expected[i] = -1;
        }
    }
}

} // namespace anteroom::net
