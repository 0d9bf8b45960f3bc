#include <gtest/gtest.h>

#include <regex>

#include "plan/report.h"
#include "plan/settings.h"

namespace anteroom::plan {
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

struct Label {
    std::string text;
    double left, right, top, bottom;
};

// Where the texts of a picture are at most: in a font whose characters are all as wide as the font
// is high.
std::vector<Label> labels(const std::string& picture) {
    static const std::regex pattern(
        R"re(<text class="(\w+)"(?: text-anchor="(\w+)")? x="([\d.]+)" y="([\d.]+)">([^<]+)</text>)re");
    std::vector<Label> found;
    for (std::sregex_iterator at(picture.begin(), picture.end(), pattern), end; at != end; ++at) {
        const std::smatch& match = *at;
        const double size = match[1] == "title" ? 17 : 13;
        const double wide = size * static_cast<double>(match[5].length());
        const double x = std::stod(match[3]), y = std::stod(match[4]);
        const double left = match[2] == "end" ? x - wide : match[2] == "middle" ? x - wide / 2 : x;
        found.push_back({match[5], left, left + wide, y - 1.2 * size, y + 0.4 * size});
    }
    return found;
}

bool overlap(const Label& a, const Label& b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
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
    const std::string picture = to_svg(plan);
    EXPECT_EQ(picture.find("<svg xmlns"), 0u);
    EXPECT_EQ(count(picture, "<path class=\"line"), 2u);
    EXPECT_NE(picture.find(">200 000</text>"), picture.npos);
    EXPECT_NE(picture.find(">8m</text>"), picture.npos);
    EXPECT_EQ(picture.find("nan"), picture.npos);
    const std::string page = to_html(plan);
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
        const std::string page = to_html(plan_of(scenario));
        EXPECT_EQ(page.find("nan"), page.npos);
        EXPECT_EQ(page.find("inf"), page.npos);
        EXPECT_LT(page.size(), 30'000u);
        EXPECT_LT(count(page, "class=\"tick\""), 50u);
    }
}

// The picture is drawn without knowing the reader's font, which may be a wide one.
TEST(PlanChart, CutsOffNoLabelInAnyFont) {
    const Scenario scenarios[] = {
        {.crowd = 1, .batch = 1, .interval = Millis{1}},
        {.crowd = 200'000, .arrive = seconds(120), .batch = 4'000, .interval = seconds(10)},
        {.crowd = 99'999, .batch = 7, .interval = seconds(1)},
        {.crowd = 4'294'967'295, .batch = 200, .interval = seconds(1)},
        {.crowd = 31'000, .batch = 0.001, .interval = seconds(1)},
    };
    for (const Scenario& scenario : scenarios) {
        const std::vector<Label> all = labels(to_svg(plan_of(scenario)));
        EXPECT_GE(all.size(), 4u + 4u) << "titles, and two ticks of each axis";
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_GE(all[i].left, 0) << all[i].text;
            EXPECT_LE(all[i].right, 960) << all[i].text;
            for (std::size_t j = i + 1; j < all.size(); ++j)
                EXPECT_FALSE(overlap(all[i], all[j])) << all[i].text << " on " << all[j].text;
        }
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
    EXPECT_NE(to_html(plan).find("The longest wait</dt><dd>" + longest + "<"), std::string::npos);
    EXPECT_NE(to_toml(plan).find("nobody longer than " + longest +
                                 ".\n# That is so as long as "
                                 "visits last 1m11s; lease_max allows longer ones.\n"),
              std::string::npos)
        << to_toml(plan);
}

} // namespace
} // namespace anteroom::plan
