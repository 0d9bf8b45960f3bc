#include "plan/forecast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "engine/room.h"
#include "plan/measure.h"

namespace anteroom::plan {
namespace {

TEST(PlanPace, IsTheCalculationOfSystemH) {
    const OriginLoad load{.queries_per_second = 10'000, .queries = 3, .calls = 5, .retry = 1.5};
    EXPECT_EQ(batch_of(visitors_per_second(load, 0), seconds(10)), 4'444);
    EXPECT_EQ(batch_of(visitors_per_second(load, 0.1), seconds(10)), 4'000);
}

TEST(PlanPace, KeepsWholeNumbersWholeAndSmallOnesSmall) {
    EXPECT_EQ(batch_of(0.1, seconds(30)), 3);
    EXPECT_EQ(batch_of(0.3 - 0.2, seconds(10)), 1); // 0.0999…: a hair below.
    EXPECT_EQ(batch_of(0.09, seconds(10)), 0);
    EXPECT_EQ(batch_of(1e9, hours(1)), 3'600'000'000'000);
    EXPECT_EQ(batch_of(999, Millis{1}), 0);
    EXPECT_EQ(batch_of(1'000, Millis{1}), 1);
    EXPECT_EQ(batch_of(1e27, seconds(10)), INT64_MAX);
    EXPECT_EQ(batch_of(HUGE_VAL, seconds(10)), INT64_MAX);
    EXPECT_EQ(batch_of(9'223'372'036'854'775'807.0, seconds(1)), INT64_MAX);
}

TEST(PlanForecast, CallsOneBatchPerInterval) {
    const Forecast forecast({.crowd = 200'000, .batch = 4'000, .interval = seconds(10)});
    EXPECT_DOUBLE_EQ(forecast.goes_in_at(1), 0);
    EXPECT_DOUBLE_EQ(forecast.goes_in_at(4'000), 0);
    EXPECT_DOUBLE_EQ(forecast.goes_in_at(4'001), 10);
    EXPECT_DOUBLE_EQ(forecast.goes_in_at(100'000), 240);
    EXPECT_DOUBLE_EQ(forecast.empty_at(), 490);
    EXPECT_DOUBLE_EQ(forecast.wait_quantile(1), 490);
    EXPECT_DOUBLE_EQ(forecast.wait_quantile(0.5), 240);
    EXPECT_DOUBLE_EQ(forecast.waiting_max(), 196'000);
}

TEST(PlanForecast, ARateSpreadsThem) {
    const Forecast forecast({.crowd = 100, .batch = 0.5, .interval = seconds(1)});
    EXPECT_DOUBLE_EQ(forecast.goes_in_at(1), 0);
    EXPECT_NEAR(forecast.goes_in_at(2), 2, 1);
    EXPECT_NEAR(forecast.empty_at(), 198, 1);
}

TEST(PlanForecast, AFullRoomLetsInAsManyAsLeave) {
    const Scenario scenario{.crowd = 10'000,
                            .batch = 1'000,
                            .interval = seconds(1),
                            .capacity = 500,
                            .stay = seconds(60)};
    EXPECT_TRUE(is_limited_by_capacity(scenario));
    EXPECT_NEAR(throughput(scenario), 8.33, 0.01);
    const Forecast forecast(scenario);
    EXPECT_NEAR(forecast.goes_in_at(500), 0, 0.5);
    EXPECT_NEAR(forecast.goes_in_at(501), 60, 1);
    EXPECT_NEAR(forecast.empty_at(), 19 * 60, 12);
}

TEST(PlanForecast, WhoComesSlowlyEnoughDoesNotWait) {
    const Forecast forecast(
        {.crowd = 1'000, .arrive = minutes(10), .batch = 20, .interval = seconds(10)});
    EXPECT_LE(forecast.wait_quantile(1), 10);
    EXPECT_LE(forecast.waiting_max(), 21);
    EXPECT_NEAR(forecast.empty_at(), 600, 11);
}

TEST(PlanForecast, SurvivesExtremes) {
    const Scenario scenarios[] = {
        {.crowd = 1, .batch = 1, .interval = Millis{1}},
        {.crowd = 1, .batch = 4e9, .interval = hours(1), .capacity = 1, .stay = Millis{1}},
        {.crowd = 4'294'967'295, .batch = 1'000'000, .interval = Millis{1}},
        {.crowd = 4'294'967'295, .batch = 200, .interval = seconds(1)},
        {.crowd = 31'000, .batch = 0.001, .interval = seconds(1)},
        {.crowd = 1'000'000, .batch = 7, .interval = Millis{3}, .capacity = 3, .stay = Millis{2}},
        {.crowd = 100, .arrive = hours(24 * 366), .batch = 1, .interval = Millis{1}},
        {.crowd = 100, .batch = 1, .interval = Millis{1}, .capacity = 1, .stay = hours(48)},
    };
    for (const Scenario& scenario : scenarios) {
        const Forecast forecast(scenario);
        const double length = static_cast<double>(scenario.crowd) / throughput(scenario);
        EXPECT_GE(forecast.wait_quantile(0.5), 0) << scenario.crowd;
        EXPECT_LE(forecast.wait_quantile(1),
                  length * 1.01 + static_cast<double>(scenario.interval.count) / 1e3)
            << scenario.crowd;
        EXPECT_LE(forecast.moments(50).size(), 50u);
        EXPECT_NEAR(forecast.moments(50).back().waiting, 0, 1.1);
    }
}

// The engine itself as judge: everybody comes at the start, is seen all the time, and leaves after
// the stay.
struct Played {
    std::map<std::int64_t, double> goes_in; // By place.
};
Played play(const Scenario& scenario) {
    Settings settings{.capacity = static_cast<std::int64_t>(scenario.capacity),
                      .lease = hours(24),
                      .lease_max = hours(24),
                      .claim_window = Millis{0},
                      .admit_batch = static_cast<std::int64_t>(scenario.batch),
                      .admit_interval = scenario.interval,
                      .admit_on_join = false,
                      .idle = hours(24),
                      .presence = hours(24)};
    Room room;
    Facts facts;
    room.apply(Configure{settings}, Instant{0}, facts);
    std::multimap<Instant, Number> leaving;
    std::map<Number, std::int64_t> places;
    Played played;
    Instant now{0};
    for (std::int64_t place = 1; place <= scenario.crowd; ++place) {
        const VisitorKey key{.high = 1, .low = static_cast<std::uint64_t>(place)};
        const Outcome outcome = room.apply(Join{key}, now, facts);
        places[std::get<Standing>(outcome).number] = place;
    }
    while (!places.empty()) {
        room.apply(Tick{}, now, facts);
        facts.clear();
        for (auto it = places.begin(); it != places.end();) {
            if (room.standing(it->first).state != VisitorState::called) break; // In order.
            played.goes_in[it->second] = static_cast<double>(now.ms) / 1e3;
            leaving.emplace(now + scenario.stay, it->first);
            it = places.erase(it);
        }
        now = now + Millis{100};
        while (!leaving.empty() && leaving.begin()->first <= now) {
            room.apply(Finish{leaving.begin()->second}, now, facts);
            leaving.erase(leaving.begin());
        }
    }
    return played;
}

TEST(PlanForecast, AgreesWithTheEngine) {
    const Scenario scenarios[] = {
        {.crowd = 2'000, .batch = 50, .interval = seconds(2), .capacity = 400, .stay = seconds(25)},
        {.crowd = 1'000, .batch = 200, .interval = seconds(10), .capacity = 60, .stay = seconds(3)},
        {.crowd = 1'000,
         .batch = 30,
         .interval = seconds(1),
         .capacity = 5'000,
         .stay = seconds(9)},
    };
    for (const Scenario& scenario : scenarios) {
        const Played played = play(scenario);
        const Forecast forecast(scenario);
        for (const auto& [place, at] : played.goes_in)
            ASSERT_NEAR(forecast.goes_in_at(place), at,
                        static_cast<double>(scenario.interval.count) / 1e3 + 0.03 * at + 0.1)
                << place << " of " << scenario.crowd;
    }
}

// One visitor after the other, to the millisecond. REQUIRES: a whole batch.
std::vector<double> one_by_one(const Scenario& scenario) {
    std::vector<double> goes_in;
    const auto after = [&](double limit, Millis span) {
        const auto back = static_cast<std::size_t>(limit);
        if (back == 0 || goes_in.size() < back) return 0.0;
        return goes_in[goes_in.size() - back] + static_cast<double>(span.count) / 1e3;
    };
    for (std::int64_t place = 1; place <= scenario.crowd; ++place) {
        const double comes = static_cast<double>(scenario.arrive.count) / 1e3 *
                             static_cast<double>(place - 1) / static_cast<double>(scenario.crowd);
        goes_in.push_back(std::max({comes, goes_in.empty() ? 0 : goes_in.back(),
                                    after(scenario.batch, scenario.interval),
                                    after(scenario.capacity, scenario.stay)}));
    }
    return goes_in;
}

TEST(PlanForecast, NobodyWaitsLongerThanItSays) {
    struct Case {
        Scenario scenario;
        double tolerance = 1e-6; // Seconds.
    };
    const Case cases[] = {
        // A small stay makes steps of which the window is no whole number, if they are not chosen
        // well.
        {{.crowd = 5, .batch = 1, .interval = hours(1), .capacity = 1, .stay = Millis{1}}, 0.1},
        {{.crowd = 7, .batch = 2, .interval = hours(1), .capacity = 2, .stay = Millis{1}}, 0.1},
        {{.crowd = 100'001, .batch = 1, .interval = Millis{7}}},
        {{.crowd = 2'000'001, .batch = 1, .interval = Millis{7}}, 0.1},
        {{.crowd = 4'001, .batch = 4'000, .interval = seconds(10)}},
        // The same for the stay.
        {{.crowd = 5, .batch = 9, .interval = seconds(10), .capacity = 1, .stay = seconds(15)}},
        {{.crowd = 5, .batch = 9, .interval = seconds(10), .capacity = 1, .stay = Millis{15'001}}},
        {{.crowd = 201, .batch = 40, .interval = seconds(7), .capacity = 100, .stay = seconds(31)}},
        // Steps cannot be exact: one stay more or less.
        {{.crowd = 9'001,
          .batch = 50,
          .interval = seconds(10),
          .capacity = 100,
          .stay = Millis{333'333}},
         334},
        {{.crowd = 99'901,
          .batch = 200,
          .interval = seconds(10),
          .capacity = 100,
          .stay = Millis{333'337}},
         335},
    };
    for (const auto& [scenario, tolerance] : cases) {
        const std::vector<double> exact = one_by_one(scenario);
        const Forecast forecast(scenario);
        for (std::int64_t place = 1; place <= scenario.crowd; ++place)
            ASSERT_NEAR(forecast.goes_in_at(place), exact[static_cast<std::size_t>(place - 1)],
                        tolerance)
                << place << " of " << scenario.crowd;
        EXPECT_GE(forecast.wait_max(), exact.back() - 1e-6) << scenario.crowd;
        EXPECT_LE(forecast.wait_max(), exact.back() + 2 * tolerance) << scenario.crowd;
    }
}

TEST(PlanForecast, FindsTheLongestWaitWhereverItIs) {
    // The first of each batch waits longest; a thousand samples would miss all of them.
    const Scenario scenario{
        .crowd = 100'000, .arrive = minutes(20), .batch = 999, .interval = seconds(10)};
    const std::vector<double> exact = one_by_one(scenario);
    const Forecast forecast(scenario);
    double longest = 0;
    for (std::int64_t place = 1; place <= scenario.crowd; ++place)
        longest = std::max(longest,
                           exact[static_cast<std::size_t>(place - 1)] - forecast.comes_at(place));
    EXPECT_GE(forecast.wait_max(), longest - 1e-6);
    EXPECT_LE(forecast.wait_max(), longest + 10);
    EXPECT_GE(forecast.wait_max(), forecast.wait_quantile(1));
}

TEST(PlanTraffic, IsKnownForAnyCrowd) {
    EXPECT_GT(polls_per_second(native_system(), 10'000'000'000), 4e8);
}

// The figures of a plan are those on record; a new measurement may differ by a quarter.
TEST(PlanTraffic, FiguresAreThoseOnRecord) {
    std::ifstream file(ANTEROOM_FIGURES);
    std::stringstream text;
    text << file.rdbuf();
    const auto on_record = [&](const std::string& name) {
        std::smatch found;
        const std::string all = text.str();
        const std::regex row("\\| `" + name + "` \\| ([0-9 .]+) \\|");
        if (!std::regex_search(all, found, row)) return -1.0;
        std::string digits = found[1];
        std::erase(digits, ' ');
        return std::stod(digits);
    };
    const auto expect = [&](const std::string& name, double figure) {
        const double recorded = on_record(name);
        EXPECT_NEAR(recorded, figure, figure / 4) << name;
    };
    expect("process_bytes_per_visitor", figures::bytes_per_visitor);
    expect("ledger_bytes_per_visitor", figures::ledger_bytes_per_visitor);
    expect("poll_us_cpu", figures::poll_cpu_us);
    expect("durable_joins_per_second", figures::durable_joins_per_second);
}

TEST(PlanMeasure, JudgesAStepByErrorsAndByLatency) {
    const MeasureOptions options{.latency_max = Millis{200}, .errors_max = 0.01};
    EXPECT_EQ(judge({.sent = 100, .failed = 1, .p95 = Millis{200}}, options), StepVerdict::good);
    EXPECT_EQ(judge({.sent = 100, .failed = 2, .p95 = Millis{1}}, options), StepVerdict::failing);
    EXPECT_EQ(judge({.sent = 100, .failed = 0, .p95 = Millis{201}}, options), StepVerdict::slow);
    EXPECT_EQ(judge({.sent = 0}, options), StepVerdict::held_up) << "nothing proves nothing";
    EXPECT_EQ(judge({.sent = 95, .lost = 5}, options), StepVerdict::good);
    EXPECT_EQ(judge({.sent = 94, .lost = 6}, options), StepVerdict::held_up);
}

TEST(PlanMeasure, StepsUpToTheMaximum) {
    const MeasureOptions options{.rate_max = 100};
    EXPECT_EQ(next_rate(10, options), 15);
    EXPECT_EQ(next_rate(15, options), 23);
    EXPECT_EQ(next_rate(80, options), 100);
    EXPECT_EQ(next_rate(0.1, options), 1);
}

} // namespace
} // namespace anteroom::plan
