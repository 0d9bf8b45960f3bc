#include <gtest/gtest.h>

#include "app/plan_report.h"
#include "app/plan_settings.h"

namespace anteroom::app {
namespace {

Plan plan_of(const Scenario& scenario) {
    Plan plan{.scenario = scenario, .command = "anteroom plan <script>"};
    plan.forecast.emplace(scenario);
    return plan;
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

TEST(PlanText, GroupsDigitsAndSpansTime) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'000), "1 000");
    EXPECT_EQ(grouped(4'294'967'295), "4 294 967 295");
    EXPECT_EQ(wait_text(0), "0s");
    EXPECT_EQ(wait_text(0.25), "0.25s");
    EXPECT_EQ(wait_text(490), "8m10s");
    EXPECT_EQ(wait_text(36), "36s");
}

TEST(PlanText, NamesEachPlaceOnce) {
    EXPECT_EQ(told_places(1), (std::vector<std::int64_t>{1}));
    EXPECT_EQ(told_places(3), (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(told_places(4'294'967'295).back(), 4'294'967'295);
    EXPECT_EQ(told_places(200'000).size(), 11u);
}

TEST(PlanChart, IsAPictureByItself) {
    const Plan plan = plan_of({.crowd = 200'000, .batch = 4'000, .interval = seconds(10)});
    const std::string picture = plan_svg(plan);
    EXPECT_EQ(picture.find("<svg xmlns"), 0u);
    EXPECT_EQ(count(picture, "<path class=\"line"), 2u);
    EXPECT_NE(picture.find(">200 000</text>"), picture.npos);
    EXPECT_NE(picture.find(">8m</text>"), picture.npos);
    EXPECT_EQ(picture.find("nan"), picture.npos);
    const std::string page = plan_html(plan);
    EXPECT_EQ(count(page, "http"), 1u); // The name space: nothing is fetched.
    EXPECT_NE(page.find("anteroom plan &lt;script&gt;"), page.npos);
    EXPECT_EQ(page.find("<script"), page.npos);
}

TEST(PlanChart, DrawsExtremes) {
    const Scenario scenarios[] = {
        {.crowd = 1, .batch = 1, .interval = Millis{1}},
        {.crowd = 4'294'967'295, .batch = 200, .interval = seconds(1)},
        {.crowd = 31'000, .batch = 0.001, .interval = seconds(1)},
    };
    for (const Scenario& scenario : scenarios) {
        const std::string page = plan_html(plan_of(scenario));
        EXPECT_EQ(page.find("nan"), page.npos);
        EXPECT_EQ(page.find("inf"), page.npos);
        EXPECT_LT(page.size(), 30'000u);
        EXPECT_LT(count(page, "class=\"tick\""), 50u);
    }
}

// Between the places that are looked at for the quantiles somebody waits longer.
TEST(PlanChart, TellsTheLongestWaitAsTheSettingsDo) {
    const Plan plan = plan_of({.crowd = 100'001,
                               .arrive = seconds(997),
                               .batch = 1'999,
                               .interval = seconds(20),
                               .capacity = 7'001,
                               .stay = seconds(71)});
    const std::string longest = longest_wait_text(*plan.forecast);
    EXPECT_NE(longest, wait_text(plan.forecast->wait_quantile(1))) << "or this shows nothing";
    EXPECT_NE(plan_html(plan).find("The longest wait</dt><dd>" + longest + "<"), std::string::npos);
    EXPECT_NE(plan_toml(plan).find("nobody longer than " + longest +
                                   ".\n# That is so as long as "
                                   "visits last 1m11s; lease_max allows longer ones.\n"),
              std::string::npos)
        << plan_toml(plan);
}

} // namespace
} // namespace anteroom::app
