// Waiting times, told the way a visitor hears them.
#include "engine/flow.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "engine/poll.h"
#include "engine/test_world.h"

namespace anteroom {
namespace {

// A sale in which everybody called claims at once and stays for a time that varies around `stay`.
class Sale {
  public:
    Sale(const Settings& settings, std::uint64_t crowd, Millis stay)
        : world_(settings), stay_(stay) {
        for (std::uint64_t i = 0; i < crowd; ++i)
            world_.apply(Join{.visitor = {.high = i * 0x9e37'79b9'7f4a'7c15, .low = i}});
    }

    void run(Millis span) {
        const Instant until = world_.now + span;
        while (world_.now < until) {
            world_.pass(Millis{100});
            note_calls();
            while (!inside_.empty() && inside_.front().until <= world_.now) {
                world_.apply(Finish{inside_.front().number});
                inside_.pop_front();
            }
        }
    }

    // When the visitor was called, or nothing.
    std::optional<Instant> called(Number number) const {
        return number < called_.size() && called_[number].ms > 0 ? std::optional(called_[number])
                                                                 : std::nullopt;
    }
    std::optional<Wait> wait(Number number) { return world_.room.wait(world_.ahead(number)); }
    World& world() { return world_; }
    void set_stay(Millis stay) { stay_ = stay; }

  private:
    struct Inside {
        Instant until;
        Number number;
    };
    void note_calls() {
        for (; noted_ < world_.facts.size(); ++noted_) {
            const auto* call = std::get_if<Called>(&world_.facts[noted_].what);
            if (!call) continue;
            const Number number = call->number;
            if (called_.size() <= number) called_.resize(number + 1);
            called_[number] = world_.facts[noted_].at;
            world_.apply(Claim{number});
            const auto vary = static_cast<std::int64_t>(number * 7'919 % 1'000);
            const Inside inside{world_.now + Millis{stay_.count * (600 + vary * 8 / 10) / 1'000},
                                number};
            const auto later = [](const Inside& a, const Inside& b) { return a.until < b.until; };
            inside_.insert(std::upper_bound(inside_.begin(), inside_.end(), inside, later), inside);
        }
    }

    World world_;
    Millis stay_;
    std::deque<Inside> inside_;
    std::vector<Instant> called_;
    std::size_t noted_ = 0;
};

Settings sale_settings() {
    Settings settings;
    settings.idle = hours(10);
    settings.lease = settings.lease_max = hours(10);
    settings.claim_window = hours(10);
    settings.presence = hours(10);
    return settings;
}

TEST(Wait, IsUnknownWhenNothingMoves) {
    Settings settings = sale_settings();
    settings.capacity = 1;
    World world(settings);
    world.join("ann");
    const Number bob = world.join("bob");
    world.pass(seconds(30));
    EXPECT_EQ(world.room.wait(world.ahead(bob)), std::nullopt); // Nobody has ever come out.
    settings.capacity = 0;
    world.configure(settings);
    EXPECT_EQ(world.room.wait(0), std::nullopt);
    settings.capacity = 5;
    world.configure(settings);
    world.apply(SetState{RoomState::paused});
    EXPECT_EQ(world.room.wait(0), std::nullopt);
}

TEST(Wait, FollowsThePaceThatIsSetBeforeAnythingIsMeasured) {
    Settings settings = sale_settings();
    settings.capacity = limits::count_max;
    settings.admit_on_join = false;
    World world(settings);
    for (int i = 0; i < 1'000; ++i) world.join("v" + std::to_string(i));
    const std::optional<Wait> wait = world.room.wait(999);
    ASSERT_TRUE(wait);
    EXPECT_EQ(wait->p50_seconds, 10); // 100 a second.
    EXPECT_GE(wait->p90_seconds, wait->p50_seconds);
}

// Told at several moments, compared with what then happened.
void expect_honest(Sale& sale, Number asker, Millis step, double tolerance) {
    struct Promise {
        Instant at;
        Wait wait;
    };
    std::vector<Promise> promises;
    while (!sale.called(asker)) {
        sale.run(step);
        ASSERT_LT(promises.size(), 1'000u);
        if (sale.called(asker)) break;
        if (const std::optional<Wait> wait = sale.wait(asker))
            promises.push_back({sale.world().now, *wait});
    }
    ASSERT_GE(promises.size(), 5u);
    for (const Promise& promise : promises) {
        const double truth = static_cast<double>((*sale.called(asker) - promise.at).count) / 1e3;
        const double told = static_cast<double>(promise.wait.p50_seconds);
        EXPECT_LE(std::abs(told - truth), tolerance * truth + 3) << "at " << promise.at.ms;
        EXPECT_GE(promise.wait.p90_seconds, promise.wait.p50_seconds);
    }
}

TEST(Wait, IsHonestWhenSlotsAreShort) {
    Settings settings = sale_settings();
    settings.capacity = 100;
    Sale sale(settings, 3'000, seconds(60)); // About 1.7 a second.
    sale.run(minutes(3));
    expect_honest(sale, 2'500, seconds(30), 0.2);
}

TEST(Wait, IsHonestWhenTheRateIsTheLimit) {
    Settings settings = sale_settings();
    settings.capacity = limits::count_max;
    settings.rate_milli = 5'000;
    Sale sale(settings, 3'000, seconds(60));
    sale.run(seconds(20));
    expect_honest(sale, 2'900, seconds(20), 0.1);
}

TEST(Wait, TakesThoseWhoGiveUpIntoAccount) {
    Settings settings = sale_settings();
    settings.capacity = limits::count_max;
    settings.rate_milli = 1'000;
    settings.leave_grace = Millis{0};
    Sale sale(settings, 4'000, seconds(60));
    // Two in a thousand of those in line give up every second.
    std::uint64_t random = 5;
    const auto quit_some = [&] {
        std::vector<Number> leaving;
        sale.world().room.for_each_live([&](Number number, const Record& record) {
            random = random * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
            if (record.place().state == VisitorState::waiting && number != 3'000 &&
                (random >> 33) % 500 == 0)
                leaving.push_back(number);
        });
        for (const Number number : leaving) sale.world().apply(Leave{number});
    };
    Instant told_at{};
    std::optional<Wait> told;
    while (!sale.called(3'000)) {
        sale.run(seconds(1));
        quit_some();
        if (sale.world().now == Instant{1'000'000} + minutes(4)) {
            told_at = sale.world().now;
            told = sale.wait(3'000);
        }
        ASSERT_LT(sale.world().now, Instant{1'000'000} + hours(2));
    }
    ASSERT_TRUE(told);
    const double truth = static_cast<double>((*sale.called(3'000) - told_at).count) / 1e3;
    EXPECT_NEAR(static_cast<double>(told->p50_seconds), truth, 0.2 * truth);
}

TEST(Wait, OnlyFallsWhileTheRateHolds) {
    Settings settings = sale_settings();
    settings.capacity = 100;
    Sale sale(settings, 2'000, seconds(30));
    sale.run(minutes(2));
    std::int64_t last = INT64_MAX;
    int rises = 0;
    for (int i = 0; i < 200; ++i) {
        sale.run(seconds(1));
        const std::optional<Wait> wait = sale.wait(1'900);
        ASSERT_TRUE(wait);
        rises += wait->p50_seconds > last;
        last = wait->p50_seconds;
    }
    EXPECT_EQ(rises, 0);
}

TEST(Wait, RisesWhenTheRateReallyFalls) {
    Settings settings = sale_settings();
    settings.capacity = 100;
    Sale sale(settings, 5'000, seconds(20));
    sale.run(minutes(2));
    const std::int64_t before = sale.wait(4'000)->p50_seconds;
    sale.set_stay(seconds(120));
    sale.run(minutes(6));
    EXPECT_GT(sale.wait(4'000)->p50_seconds, 3 * before);
}

TEST(Poll, IsOftenNearTheFrontAndSeldomFarBehind) {
    EXPECT_EQ(poll_after_seconds(41), 2);
    EXPECT_EQ(poll_after_seconds(1'000), 2);
    EXPECT_EQ(poll_after_seconds(1'001), 5);
    EXPECT_EQ(poll_after_seconds(20'000), 10);
    EXPECT_EQ(poll_after_seconds(20'001), 20);
}

} // namespace
} // namespace anteroom
