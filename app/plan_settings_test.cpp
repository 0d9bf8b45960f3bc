// Settings of a plan, read back as the server reads them: whose rooms have them, and which.
#include <gtest/gtest.h>

#include "app/config.h"
#include "app/test_dialects.h"
#include "app/test_file.h"
#include "dialects/portal/activation.h"
#include "plan/settings.h"

namespace anteroom::app {
namespace {

using plan::Plan;
using plan::Scenario;

Plan plan_for(PollPolicy poll, const Scenario& scenario, bool is_rate = false) {
    Plan plan{.scenario = scenario, .is_rate = is_rate, .poll = poll, .command = "anteroom plan …"};
    fit_to_rooms(plan);
    if (plan.scenario.crowd > 0) plan.forecast.emplace(plan.scenario);
    return plan;
}

Config served(const Plan& plan) {
    const File file(plan::to_toml(plan));
    return load_config(file.path(), nullptr);
}

// The pace of a queue is written as a comment, because it comes with the call that activates it.
Settings queue_of(const Plan& plan) {
    const std::string text = plan::to_toml(plan);
    const std::size_t from = text.find("# {") + 2;
    portal::Order order = portal::read_order(text.substr(from, text.find('\n', from) - from), "");
    const std::optional<portal::Pace> pace = pace_of(order, std::nullopt);
    if (!pace) return {.admit_batch = 0};
    return room_rules(portal_options(served(plan)), *pace);
}

constexpr Scenario crowd{.crowd = 200'000, .batch = 4'000, .interval = seconds(10)};
constexpr Scenario hall{.crowd = 10'000,
                        .batch = 1'000,
                        .interval = Millis{2'500},
                        .capacity = 600,
                        .stay = minutes(1)};

TEST(PlanSettings, ANativeRoomHasThem) {
    for (const PollPolicy poll : {PollPolicy::native, PollPolicy::urr_inner}) {
        const Settings open = served(plan_for(poll, crowd)).defaults.rules;
        EXPECT_EQ(open.admit_batch, 4'000);
        EXPECT_EQ(open.admit_interval, seconds(10));
        EXPECT_EQ(open.rate_milli, 0);
        EXPECT_EQ(open.capacity, limits::count_max);
        EXPECT_EQ(open.waiting_max, 400'000);
        const Settings small = served(plan_for(poll, hall)).defaults.rules;
        EXPECT_EQ(small.admit_interval, Millis{2'500});
        EXPECT_EQ(small.capacity, 600);
        EXPECT_EQ(small.lease, minutes(1));
        EXPECT_EQ(small.lease_max, minutes(4));
        const Scenario spread{.batch = 12.5, .interval = seconds(1)};
        const Settings slow = served(plan_for(poll, spread, true)).defaults.rules;
        EXPECT_EQ(slow.rate_milli, 12'500);
        EXPECT_EQ(slow.admit_batch, 13);
    }
}

TEST(PlanSettings, TheOuterLineOfSystemUGoesAtThePlansPace) {
    const Scenario spread{.batch = 12.5, .interval = seconds(1)};
    const Settings outer = served(plan_for(PollPolicy::urr_outer, spread, true)).defaults.rules;
    EXPECT_EQ(outer.outer_batch, 25);
    EXPECT_EQ(outer.outer_interval, seconds(2));
    EXPECT_EQ(outer.admit_batch, 25) << "who comes through finds an inner line as fast";
    EXPECT_EQ(outer.admit_interval, seconds(2));
}

TEST(PlanSettings, TheRoomOfSystemHHasThem) {
    const Config config = served(plan_for(PollPolicy::hhplus, crowd));
    const hhplus::Options open = hhplus_options(config);
    EXPECT_EQ(open.settings.rules.admit_batch, 4'000);
    EXPECT_EQ(open.settings.rules.admit_interval, seconds(10));
    EXPECT_EQ(open.settings.rules.capacity, limits::count_max);
    EXPECT_EQ(config.defaults.rules, Settings{}) << "nobody else's rooms are changed";
    const hhplus::Options small = hhplus_options(served(plan_for(PollPolicy::hhplus, hall)));
    EXPECT_EQ(small.settings.rules.admit_batch, 1'000);
    EXPECT_EQ(small.settings.rules.admit_interval, Millis{2'500});
    EXPECT_EQ(small.settings.rules.capacity, 600);
    EXPECT_EQ(small.settings.rules.lease, minutes(1));
    EXPECT_EQ(small.lease_reserved, minutes(1)) << "never longer than the lease";
}

TEST(PlanSettings, SystemHWorksOutTheBatchAsThePlanDid) {
    Plan plan = plan_for(PollPolicy::hhplus, {.batch = 2'000, .interval = seconds(6)});
    plan.origin =
        OriginLoad{.queries_per_second = 20'000, .queries = 3.1, .calls = 10, .retry = 1.7};
    plan.margin = 0.123;
    const hhplus::Options told = hhplus_options(served(plan));
    EXPECT_EQ(told.settings.rules.admit_batch, 2'000) << "what was planned goes before the formula";
    EXPECT_EQ(told.load.queries_per_second, 20'000);
    EXPECT_EQ(told.load.queries, 3.1);
    EXPECT_EQ(told.load.calls, 10);
    EXPECT_EQ(told.load.retry, 1.7);
    EXPECT_EQ(told.margin, 0.123);
    plan.is_measured = true;
    EXPECT_EQ(hhplus_options(served(plan)).load.queries, 3) << "calls are no queries";
}

TEST(PlanSettings, ARoomOfSystemTHasThem) {
    const Settings open = tacos_options(served(plan_for(PollPolicy::tacos, crowd))).room.rules;
    EXPECT_EQ(open.rate_milli, 400'000);
    EXPECT_EQ(open.called_max, 2'000) << "400 a second for the 5 s until they ask";
    EXPECT_EQ(open.waiting_max, 400'000);
    const Plan plan = plan_for(PollPolicy::tacos, hall);
    EXPECT_EQ(throughput(plan.scenario), 10) << "600 places, each for a minute";
    EXPECT_EQ(inside_at_most(plan), 600);
    const Settings small = tacos_options(served(plan)).room.rules;
    EXPECT_EQ(small.rate_milli, 10'000);
    EXPECT_EQ(small.called_max, 100);
    EXPECT_EQ(small.lease, seconds(30)) << "the life of a reservation token, which is no stay";
}

TEST(PlanSettings, AQueueOfSystemPHasThemWhenItIsActivatedSo) {
    const Settings open = queue_of(plan_for(PollPolicy::portal, crowd));
    EXPECT_EQ(open.admit_batch, 4'000);
    EXPECT_EQ(open.admit_interval, seconds(10));
    EXPECT_EQ(open.capacity, portal::pace_count_max);
    EXPECT_EQ(open.waiting_max, 400'000);
    const Settings small = queue_of(plan_for(PollPolicy::portal, hall));
    EXPECT_EQ(small.admit_batch, 400) << "1 000 every 2.5 s, in whole seconds";
    EXPECT_EQ(small.admit_interval, seconds(1));
    EXPECT_EQ(small.capacity, 600);
    EXPECT_EQ(small.lease, minutes(1));
    // Nothing but comments.
    EXPECT_EQ(
        queue_of(plan_for(PollPolicy::portal, {.batch = 1, .interval = hours(1)})).admit_batch, 1);
}

TEST(PlanSettings, BatchesLoseLittleOfARate) {
    for (const double rate : {0.001, 0.0019, 0.0101, 0.199, 0.333, 0.995, 12.345, 99.9, 1e6}) {
        const Plan plan =
            plan_for(PollPolicy::hhplus, {.batch = rate, .interval = seconds(1)}, true);
        EXPECT_FALSE(plan.is_rate);
        EXPECT_LE(throughput(plan.scenario), rate + 1e-9);
        EXPECT_GE(throughput(plan.scenario), rate * 0.99) << rate;
        EXPECT_EQ(hhplus_options(served(plan)).settings.rules.admit_interval,
                  plan.scenario.interval);
    }
    for (const Millis interval : {Millis{1}, Millis{1'001}, Millis{3'599'999}}) {
        const Plan plan = plan_for(PollPolicy::portal, {.batch = 1, .interval = interval});
        EXPECT_EQ(plan.scenario.interval.count % 1'000, 0);
        EXPECT_NEAR(throughput(plan.scenario) * static_cast<double>(interval.count), 1e3, 10);
    }
}

TEST(PlanSettings, SystemHTakesMoreThanTenMillionByTheAdminsWordOnly) {
    Plan plan = plan_for(PollPolicy::hhplus, crowd);
    EXPECT_EQ(plan::to_toml(plan).find("waiting_max"), std::string::npos);
    plan.scenario.crowd = 6'000'000;
    EXPECT_NE(plan::to_toml(plan).find("{\"waiting_max\": 12000000}"), std::string::npos);
    EXPECT_EQ(hhplus_options(served(plan)).settings.rules.admit_batch, 4'000);
}

} // namespace
} // namespace anteroom::app
