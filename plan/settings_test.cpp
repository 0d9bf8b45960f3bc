// Paces that rooms of a system cannot keep. That servers take the settings: app/plan_settings_test.
#include "plan/settings.h"

#include <gtest/gtest.h>

#include "plan/options_error.h"

namespace anteroom::plan {
namespace {

Plan plan_for(PollPolicy poll, const Scenario& scenario) {
    Plan plan{.scenario = scenario, .poll = poll};
    fit_to_rooms(plan);
    return plan;
}

TEST(PlanSettings, WhatRoomsCannotDoIsSaid) {
    const Scenario hourly{.batch = 1, .interval = hours(1)};
    const Scenario flood{.batch = 4e9, .interval = Millis{1}};
    EXPECT_THROW(plan_for(PollPolicy::tacos, hourly), OptionsError);
    EXPECT_THROW(plan_for(PollPolicy::tacos, flood), OptionsError);
    EXPECT_THROW(plan_for(PollPolicy::portal, flood), OptionsError);
    EXPECT_EQ(capacity_max(PollPolicy::portal), 2'147'483'647);
    EXPECT_NO_THROW(plan_for(PollPolicy::hhplus, flood));
}

TEST(PlanSettings, EverySystemHasAName) {
    for (const std::string& name : poll_names()) EXPECT_NO_THROW(poll_named(name)) << name;
    EXPECT_EQ(poll_named("native"), PollPolicy::native);
    EXPECT_THROW(poll_named(""), OptionsError);
}

} // namespace
} // namespace anteroom::plan
