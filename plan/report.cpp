#include "plan/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/text_table.h"

namespace anteroom::plan {
namespace {

using Align = TextTable::Align;

std::string plain(double number) {
    return number == std::floor(number) ? grouped(number) : fmt::format("{:.6g}", number);
}

std::string bytes_text(double bytes) {
    if (bytes >= 1e9) return fmt::format("{:.1f} GB", bytes / 1e9);
    if (bytes >= 1e6) return fmt::format("{:.1f} MB", bytes / 1e6);
    return fmt::format("{:.0f} kB", std::ceil(bytes / 1e3));
}

std::string pace_text(const Plan& plan) {
    const Scenario& scenario = plan.scenario;
    if (plan.is_rate) return fmt::format("{} a second", plain(scenario.batch));
    return fmt::format("{} every {}", grouped(scenario.batch), to_string(scenario.interval));
}

std::string origin_text(const Plan& plan) {
    const OriginLoad& load = *plan.origin;
    const Millis interval = plan.origin_interval;
    std::string out = fmt::format(
        "The origin\n"
        "  {} a second ÷ {} queries a call ÷ {} calls a visitor ÷ {} for retries × {} = {}\n",
        plain(load.queries_per_second), plain(load.queries), plain(load.calls), plain(load.retry),
        to_string(interval),
        grouped(static_cast<double>(batch_of(visitors_per_second(load, 0), interval))));
    if (plan.margin > 0)
        out += fmt::format("  with {:g} % kept back: {} visitors every {}\n", plan.margin * 100,
                           grouped(static_cast<double>(
                               batch_of(visitors_per_second(load, plan.margin), interval))),
                           to_string(interval));
    return out;
}

std::string pace_lines(const Plan& plan) {
    const Scenario& scenario = plan.scenario;
    std::string out = fmt::format("The pace\n  {}: {:.4g} a second, {} an hour\n", pace_text(plan),
                                  throughput(scenario), grouped(throughput(scenario) * 3'600));
    const double pace = scenario.batch / (static_cast<double>(scenario.interval.count) / 1e3);
    if (is_limited_by_capacity(scenario))
        out += fmt::format(
            "  The capacity decides: {} places, each for {}; the pace would allow {:.4g} a second\n",
            grouped(scenario.capacity), to_string(scenario.stay), pace);
    else if (scenario.stay > Millis{0})
        out += fmt::format("  At most {} are inside at once, when each stays {}\n",
                           grouped(inside_at_most(plan)), to_string(scenario.stay));
    return out;
}

std::string crowd_lines(const Plan& plan) {
    const Scenario& scenario = plan.scenario;
    const Forecast& forecast = *plan.forecast;
    TextTable table({{"  place", Align::right},
                     {"comes", Align::right},
                     {"goes in", Align::right},
                     {"waits", Align::right}});
    for (const std::int64_t place : told_places(scenario.crowd))
        table.add({"  " + grouped(static_cast<double>(place)), wait_text(forecast.comes_at(place)),
                   wait_text(forecast.goes_in_at(place)), wait_text(forecast.wait_seconds(place))});
    const std::string come = scenario.arrive > Millis{0}
                                 ? "who come within " + to_string(scenario.arrive)
                                 : "who all come at once";
    return fmt::format(
        "The crowd\n  {} people {}\n{}  Nobody waits after {}; at most {} wait at once\n",
        grouped(static_cast<double>(scenario.crowd)), come, table.text(),
        wait_text(forecast.empty_at()), grouped(forecast.waiting_max()));
}

std::string room_lines(const Plan& plan) {
    const auto crowd = static_cast<double>(plan.scenario.crowd);
    const double polls =
        polls_per_second(*plan.system, static_cast<std::uint64_t>(plan.forecast->waiting_max()));
    const double joins = crowd / figures::durable_joins_per_second;
    return fmt::format(
        "The room (as measured on two shared cores: bench/results.md)\n"
        "  memory  {} for everybody, {:.1f} bytes each; ledger {}\n"
        "  polls   at most {} a second: {} of answers a second, {:.2f} of one core\n"
        "  places  one thread gives {} a second, durably: all of them in {}\n",
        bytes_text(crowd * figures::bytes_per_visitor), figures::bytes_per_visitor,
        bytes_text(crowd * figures::ledger_bytes_per_visitor), grouped(std::ceil(polls)),
        bytes_text(polls * figures::poll_answer_bytes), polls * figures::poll_cpu_us / 1e6,
        grouped(figures::durable_joins_per_second), wait_text(joins));
}

const char* in_words(MeasureEnd end) {
    switch (end) {
        case MeasureEnd::slow: return "the next step was too slow";
        case MeasureEnd::failing: return "the next step failed too often";
        case MeasureEnd::busy: return "the next step left too many calls without an answer";
        case MeasureEnd::held_up:
            return "this machine was held up and did not send the next step in time: it may stand "
                   "more";
        case MeasureEnd::rate_max: return "no more calls per second are allowed: it may stand more";
        case MeasureEnd::total_max: return "no more calls are allowed: it may stand more";
        case MeasureEnd::interrupted: return "it was interrupted: it may stand more";
    }
    return "";
}

} // namespace

std::string grouped(double number) {
    const std::string digits = fmt::format("{:.0f}", number);
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) out += ' ';
        out += digits[i];
    }
    return out;
}

std::string wait_text(double seconds) {
    if (seconds <= 0) return "0s";
    if (seconds < 10 && seconds != std::floor(seconds)) return fmt::format("{:.2g}s", seconds);
    return to_string(anteroom::seconds(std::llround(seconds)));
}

std::string longest_wait_text(const Forecast& forecast) {
    return wait_text(std::ceil(forecast.wait_max() - 1e-6)); // Rather too long than too short.
}

// Batches come as a whole: so many of them as begin within one stay are inside together.
double inside_at_most(const Plan& plan) {
    const Scenario& scenario = plan.scenario;
    const auto stay = static_cast<double>(scenario.stay.count);
    constexpr double hair = 1e-9; // Products are not exact.
    const double inside =
        plan.is_rate
            ? std::ceil(scenario.batch * stay / 1e3 - hair)
            : scenario.batch * std::ceil(stay / static_cast<double>(scenario.interval.count));
    return scenario.capacity > 0 ? std::min(inside, scenario.capacity) : inside;
}

std::vector<std::int64_t> told_places(std::int64_t crowd) {
    std::vector<std::int64_t> places{1};
    for (std::int64_t tenth = 1; tenth <= 10; ++tenth) {
        const std::int64_t place = crowd / 10 * tenth + crowd % 10 * tenth / 10;
        if (place > places.back()) places.push_back(place);
    }
    return places;
}

std::string to_text(const Plan& plan) {
    std::string out;
    if (plan.origin) out += origin_text(plan);
    out += pace_lines(plan);
    if (plan.forecast) out += crowd_lines(plan) + room_lines(plan);
    return out;
}

std::string to_text(const Measured& measured) {
    if (measured.good.empty())
        return fmt::format("The measurement\n  Not one step went well: {}\n",
                           in_words(measured.end));
    const MeasureStep& best = measured.good.back();
    return fmt::format(
        "The measurement\n  {} calls a second went well (half within {}, 95 of 100 "
        "within {}); {}\n",
        plain(best.rate), to_string(best.p50), to_string(best.p95), in_words(measured.end));
}

} // namespace anteroom::plan
