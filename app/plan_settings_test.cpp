// Settings of a plan, read back as the server reads them: whose rooms have them, and which.
#include <gtest/gtest.h>

#include "app/config.h"
#include "app/dialects.h"
#include "app/test_dialects.h"
#include "app/test_file.h"
#include "dialects/portal/activation.h"
#include "plan/options_error.h"
#include "plan/settings.h"

namespace anteroom::app {
namespace {

using plan::Plan;
using plan::Scenario;

const plan::System& system_named(std::string_view name) {
    for (const plan::System* system : plan_systems())
        if (system->name == name) return *system;
    CHECK(false);
}

Plan plan_for(std::string_view system, const Scenario& scenario, bool is_rate = false) {
    Plan plan{.scenario = scenario,
              .is_rate = is_rate,
              .system = &system_named(system),
              .command = "anteroom plan …"};
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
    for (const std::string_view poll : {"native", "urr"}) {
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
    const Settings outer = served(plan_for("urr-outer", spread, true)).defaults.rules;
    EXPECT_EQ(outer.outer_batch, 25);
    EXPECT_EQ(outer.outer_interval, seconds(2));
    EXPECT_EQ(outer.admit_batch, 25) << "who comes through finds an inner line as fast";
    EXPECT_EQ(outer.admit_interval, seconds(2));
}

TEST(PlanSettings, TheRoomOfSystemHHasThem) {
    const Config config = served(plan_for("hhplus", crowd));
    const hhplus::Options open = hhplus_options(config);
    EXPECT_EQ(open.settings.rules.admit_batch, 4'000);
    EXPECT_EQ(open.settings.rules.admit_interval, seconds(10));
    EXPECT_EQ(open.settings.rules.capacity, limits::count_max);
    EXPECT_EQ(config.defaults.rules, Settings{}) << "nobody else's rooms are changed";
    const hhplus::Options small = hhplus_options(served(plan_for("hhplus", hall)));
    EXPECT_EQ(small.settings.rules.admit_batch, 1'000);
    EXPECT_EQ(small.settings.rules.admit_interval, Millis{2'500});
    EXPECT_EQ(small.settings.rules.capacity, 600);
    EXPECT_EQ(small.settings.rules.lease, minutes(1));
    EXPECT_EQ(small.lease_reserved, minutes(1)) << "never longer than the lease";
}

TEST(PlanSettings, SystemHWorksOutTheBatchAsThePlanDid) {
    Plan plan = plan_for("hhplus", {.batch = 2'000, .interval = seconds(6)});
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
    const Settings open = tacos_options(served(plan_for("tacos", crowd))).room.rules;
    EXPECT_EQ(open.rate_milli, 400'000);
    EXPECT_EQ(open.called_max, 2'000) << "400 a second for the 5 s until they ask";
    EXPECT_EQ(open.waiting_max, 400'000);
    const Plan plan = plan_for("tacos", hall);
    EXPECT_EQ(throughput(plan.scenario), 10) << "600 places, each for a minute";
    EXPECT_EQ(inside_at_most(plan), 600);
    const Settings small = tacos_options(served(plan)).room.rules;
    EXPECT_EQ(small.rate_milli, 10'000);
    EXPECT_EQ(small.called_max, 100);
    EXPECT_EQ(small.lease, seconds(30)) << "the life of a reservation token, which is no stay";
}

TEST(PlanSettings, AQueueOfSystemPHasThemWhenItIsActivatedSo) {
    const Settings open = queue_of(plan_for("portal", crowd));
    EXPECT_EQ(open.admit_batch, 4'000);
    EXPECT_EQ(open.admit_interval, seconds(10));
    EXPECT_EQ(open.capacity, portal::pace_count_max);
    EXPECT_EQ(open.waiting_max, 400'000);
    const Settings small = queue_of(plan_for("portal", hall));
    EXPECT_EQ(small.admit_batch, 400) << "1 000 every 2.5 s, in whole seconds";
    EXPECT_EQ(small.admit_interval, seconds(1));
    EXPECT_EQ(small.capacity, 600);
    EXPECT_EQ(small.lease, minutes(1));
    // Nothing but comments.
    EXPECT_EQ(queue_of(plan_for("portal", {.batch = 1, .interval = hours(1)})).admit_batch, 1);
}

TEST(PlanSettings, BatchesLoseLittleOfARate) {
    for (const double rate : {0.001, 0.0019, 0.0101, 0.199, 0.333, 0.995, 12.345, 99.9, 1e6}) {
        const Plan plan = plan_for("hhplus", {.batch = rate, .interval = seconds(1)}, true);
        EXPECT_FALSE(plan.is_rate);
        EXPECT_LE(throughput(plan.scenario), rate + 1e-9);
        EXPECT_GE(throughput(plan.scenario), rate * 0.99) << rate;
        EXPECT_EQ(hhplus_options(served(plan)).settings.rules.admit_interval,
                  plan.scenario.interval);
    }
    for (const Millis interval : {Millis{1}, Millis{1'001}, Millis{3'599'999}}) {
        const Plan plan = plan_for("portal", {.batch = 1, .interval = interval});
        EXPECT_EQ(plan.scenario.interval.count % 1'000, 0);
        EXPECT_NEAR(throughput(plan.scenario) * static_cast<double>(interval.count), 1e3, 10);
    }
}

TEST(PlanSettings, SystemHTakesMoreThanTenMillionByTheAdminsWordOnly) {
    Plan plan = plan_for("hhplus", crowd);
    EXPECT_EQ(plan::to_toml(plan).find("waiting_max"), std::string::npos);
    plan.scenario.crowd = 6'000'000;
    EXPECT_NE(plan::to_toml(plan).find("{\"waiting_max\": 12000000}"), std::string::npos);
    EXPECT_EQ(hhplus_options(served(plan)).settings.rules.admit_batch, 4'000);
}

TEST(PlanSettings, WhatRoomsCannotDoIsSaid) {
    const Scenario hourly{.batch = 1, .interval = hours(1)};
    const Scenario flood{.batch = 4e9, .interval = Millis{1}};
    EXPECT_THROW(plan_for("tacos", hourly), plan::OptionsError);
    EXPECT_THROW(plan_for("tacos", flood), plan::OptionsError);
    EXPECT_THROW(plan_for("portal", flood), plan::OptionsError);
    EXPECT_EQ(system_named("portal").capacity_max, 2'147'483'647);
    EXPECT_NO_THROW(plan_for("hhplus", flood));
}

std::int64_t seconds_of(std::string_view system, std::uint64_t place) {
    return system_named(system).poll_after_seconds(place);
}

TEST(Poll, FollowsTheTablesOfTheContracts) {
    const auto outer = [](std::uint64_t ahead) { return seconds_of("urr-outer", ahead); };
    EXPECT_EQ(outer(500), 2);
    EXPECT_EQ(outer(501), 5);
    EXPECT_EQ(outer(2'000), 5);
    EXPECT_EQ(outer(2'001), 10);
    EXPECT_EQ(outer(10'000), 10);
    EXPECT_EQ(outer(10'001), 15);
    const auto inner = [](std::uint64_t position) { return seconds_of("urr", position); };
    EXPECT_EQ(inner(0), 3);
    EXPECT_EQ(inner(1), 1);
    EXPECT_EQ(inner(1'000), 1);
    EXPECT_EQ(inner(1'001), 5);
    EXPECT_EQ(inner(5'000), 5);
    EXPECT_EQ(inner(5'001), 10);
    EXPECT_EQ(inner(10'001), 30);
    EXPECT_EQ(inner(100'000), 30);
    EXPECT_EQ(inner(100'001), 60);
    EXPECT_EQ(seconds_of("portal", 9), 3);
    EXPECT_EQ(seconds_of("hhplus", 9), 1);
    EXPECT_EQ(seconds_of("tacos", 9), 2);
    EXPECT_EQ(seconds_of("native", 41), 2);
}

double polls_one_by_one(const plan::System& system, std::uint64_t waiting) {
    double sum = 0;
    const std::uint64_t first = system.first_place;
    for (std::uint64_t place = first; place < first + waiting; ++place)
        sum += 1.0 / static_cast<double>(system.poll_after_seconds(place));
    return sum;
}

TEST(PlanTraffic, SumsThePollTable) {
    for (const plan::System* system : plan_systems())
        for (const std::uint64_t waiting : {0u, 1u, 2u, 100u, 101u, 1'001u, 20'001u, 250'000u})
            EXPECT_NEAR(polls_per_second(*system, waiting), polls_one_by_one(*system, waiting),
                        1e-3)
                << system->name << " " << waiting;
    EXPECT_EQ(plan_systems().size(), 6u);
    EXPECT_EQ(system_named("urr").first_place, 1u);
}

} // namespace
} // namespace anteroom::app
