#include "plan/command.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "base/duration.h"
#include "base/text.h"
#include "engine/settings.h"
#include "net/url.h"
#include "plan/options_error.h"
#include "plan/report.h"
#include "plan/settings.h"

namespace anteroom::plan {
namespace {

constexpr double number_max = 1e9;

double number(const char* name, std::optional<double> given, double otherwise) {
    const double value = given.value_or(otherwise);
    if (!(value > 0 && value <= number_max))
        throw OptionsError(fmt::format("{} must be above 0 and at most {:.0f}", name, number_max));
    return value;
}

std::int64_t count(const char* name, std::optional<std::int64_t> given,
                   std::int64_t max = limits::count_max) {
    if (!given) return 0;
    if (*given < 1 || *given > max)
        throw OptionsError(fmt::format("{} must be from 1 to {}", name, max));
    return *given;
}

Millis span(const char* name, const std::string& text, Millis min, Millis max) {
    const std::optional<Millis> value = parse_duration(text);
    if (!value || *value < min || *value > max)
        throw OptionsError(fmt::format("{} must be a duration from {} to {}, such as 10s", name,
                                       to_string(min), to_string(max)));
    return *value;
}

double part(const char* name, const std::string& text) {
    std::optional<double> percent;
    if (text.ends_with('%')) percent = parse_decimal(text.substr(0, text.size() - 1));
    if (!percent || !(*percent >= 0 && *percent < 100))
        throw OptionsError(fmt::format("{} must be a percentage from 0% to below 100%", name));
    return *percent / 100;
}

MeasureOptions measure_options(const Options& options) {
    if (!net::parse_url(options.measure))
        throw OptionsError("--measure must be an http or https URL");
    const auto rate = [](const char* name, double value) {
        if (!(value > 0 && value <= measure_limits::rate_max))
            throw OptionsError(fmt::format("{} must be above 0 and at most {:.0f}", name,
                                           measure_limits::rate_max));
        return value;
    };
    MeasureOptions result{
        .url = options.measure,
        .rate_from = rate("--measure-from", options.measure_from),
        .rate_max = rate("--measure-max", options.measure_max),
        .total_max = options.measure_total,
        .step = span("--measure-step", options.measure_step, Millis{100}, measure_limits::step_max),
        .latency_max = span("--latency", options.latency, Millis{1}, measure_limits::latency_max),
        .errors_max = part("--errors", options.errors)};
    if (result.rate_from > result.rate_max)
        throw OptionsError("--measure-from must not be above --measure-max");
    const double first = result.rate_from * static_cast<double>(result.step.count) / 1e3;
    if (first < 1)
        throw OptionsError(
            "a step would have no call: --measure-from times --measure-step must be 1 or more");
    if (result.total_max < 1 || result.total_max > measure_limits::total_max)
        throw OptionsError(
            fmt::format("--measure-total must be from 1 to {}", measure_limits::total_max));
    return result;
}

std::string in_words(const MeasureStep& step, StepVerdict verdict) {
    switch (verdict) {
        case StepVerdict::good: return "good";
        case StepVerdict::slow: return "too slow";
        case StepVerdict::failing: return "failing";
        case StepVerdict::held_up:
            return fmt::format("held up, {} were not sent in time", step.lost);
    }
    return "";
}

void tell_step(const MeasureStep& step, StepVerdict verdict) {
    fmt::print(
        stderr,
        "{:>7g} calls a second: {} sent, {} failed, half within {}, 95 of 100 within {}: {}\n",
        step.rate, step.sent, step.failed, to_string(step.p50), to_string(step.p95),
        in_words(step, verdict));
}

Result<Measured> run_measurement(const Options& options) {
    const MeasureOptions wanted = measure_options(options);
    fmt::print(
        stderr,
        "Calls {}: from {:g} a second up, at most {:g} a second and {} in all, as long as 95 of 100 answers "
        "take at most {}. Ctrl-C ends it.\n",
        wanted.url, wanted.rate_from, wanted.rate_max, wanted.total_max,
        to_string(wanted.latency_max));
    return measure(wanted, tell_step);
}

// How fast they go in, from whatever was said about it.
void set_pace(Plan& plan, const Options& options) {
    Scenario& scenario = plan.scenario;
    const int ways =
        (options.qps || plan.origin ? 1 : 0) + (options.batch ? 1 : 0) + (options.rate ? 1 : 0);
    if (ways > 1)
        throw OptionsError(
            "--qps, --measure, --batch and --rate each say how fast; give one of them");
    if (options.qps)
        plan.origin = OriginLoad{.queries_per_second = number("--qps", options.qps, 0),
                                 .queries = number("--queries", options.queries, 1),
                                 .calls = number("--calls", options.calls, 1),
                                 .retry = number("--retry", options.retry, 1)};
    const bool is_free = ways == 0;
    if (is_free && (scenario.capacity <= 0 || scenario.stay == Millis{0}))
        throw OptionsError(
            "how fast may they go in? Give --qps, --batch, --rate, or --capacity with --stay");
    if (options.margin && (options.batch || options.rate))
        throw OptionsError(
            "--margin keeps back a part of what was worked out; --batch and --rate say it all");
    if (options.rate) {
        if (!options.interval.empty())
            throw OptionsError("--interval belongs to a batch, not to --rate");
        scenario.batch = *options.rate;
        if (!(scenario.batch <= 1e6 && scenario.batch >= 1e-3))
            throw OptionsError("--rate must be from 0.001 to 1000000");
        plan.is_rate = true;
        scenario.interval = seconds(1);
        return;
    }
    if (options.batch) {
        scenario.batch = static_cast<double>(count("--batch", options.batch));
        return;
    }
    const double per_second = plan.origin ? visitors_per_second(*plan.origin, plan.margin)
                                          : scenario.capacity /
                                                (static_cast<double>(scenario.stay.count) / 1e3) *
                                                (1 - plan.margin);
    const std::int64_t batch = batch_of(per_second, scenario.interval);
    if (batch < 1)
        throw OptionsError("not one visitor fits into the interval; take a longer --interval");
    if (batch > limits::count_max) throw OptionsError("the batch would be above 4294967295");
    scenario.batch = static_cast<double>(batch);
}

const System& system_named(const Options& options) {
    for (const System* system : options.systems)
        if (system->name == options.poll) return *system;
    throw OptionsError(fmt::format("--poll does not know {}", options.poll));
}

// Everything but the pace.
Plan read(const Options& options) {
    Plan plan{.margin = part("--margin", options.margin.value_or("0%")),
              .system = &system_named(options),
              .command = options.command};
    plan.scenario.crowd = count("--crowd", options.crowd);
    plan.scenario.capacity =
        static_cast<double>(count("--capacity", options.capacity, plan.system->capacity_max));
    if (!options.stay.empty())
        plan.scenario.stay = span("--stay", options.stay, Millis{1}, limits::span_max);
    if (!options.arrive.empty())
        plan.scenario.arrive = span("--arrive", options.arrive, Millis{0}, limits::span_max);
    if (plan.scenario.capacity > 0 && plan.scenario.stay == Millis{0})
        throw OptionsError("--capacity needs --stay: how long one stays inside");
    plan.scenario.interval = options.interval.empty() ? seconds(10)
                                                      : span("--interval", options.interval,
                                                             Millis{1}, limits::interval_max);
    return plan;
}

Plan work_out(const Options& options, std::optional<OriginLoad> measured) {
    Plan plan = read(options);
    plan.origin = measured;
    plan.is_measured = measured.has_value();
    plan.origin_interval = plan.scenario.interval;
    if (!options.qps && !measured && (options.queries || options.calls || options.retry))
        throw OptionsError("--queries, --calls and --retry belong to --qps");
    set_pace(plan, options);
    fit_to_rooms(plan);
    if (plan.scenario.crowd == 0) return plan;
    const double length = static_cast<double>(plan.scenario.crowd) / throughput(plan.scenario);
    if (length > plan_seconds_max)
        throw OptionsError("the last one would wait longer than a year; let more in");
    plan.forecast.emplace(plan.scenario);
    return plan;
}

Result<void> write_chart(const std::string& path, const Plan& plan) {
    const bool is_page = path.ends_with(".html");
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << (is_page ? to_html(plan) : to_svg(plan));
    file.close();
    if (!file) return Fault{fmt::format("{} cannot be written", path)};
    fmt::print(stderr, "The picture is in {}\n", path);
    return {};
}

} // namespace

Result<End> run(const Options& options) {
    if (!options.chart.empty() && !options.chart.ends_with(".svg") &&
        !options.chart.ends_with(".html"))
        throw OptionsError("--chart must end in .svg or .html");
    if (!options.chart.empty() && !options.crowd) throw OptionsError("--chart needs a --crowd");
    std::optional<OriginLoad> origin;
    bool was_interrupted = false;
    if (!options.measure.empty()) {
        if (options.qps || options.batch || options.rate || options.queries)
            throw OptionsError(
                "--measure finds out how fast; leave --qps, --queries, --batch and --rate away");
        // Checks the other options before the first call to the origin.
        OriginLoad load{.queries_per_second = 1,
                        .calls = number("--calls", options.calls, 1),
                        .retry = number("--retry", options.retry, 1)};
        read(options);
        const Result<Measured> measured = run_measurement(options);
        if (!measured) return measured.fault();
        was_interrupted = measured->end == MeasureEnd::interrupted;
        if (!options.toml) fmt::print("{}", to_text(*measured));
        if (measured->good.empty()) return was_interrupted ? End::interrupted : End::no_good_step;
        load.queries_per_second = measured->knee();
        origin = load;
    }
    const Plan result = work_out(options, origin);
    fmt::print("{}", options.toml ? to_toml(result) : to_text(result));
    std::fflush(stdout);
    if (!options.chart.empty()) {
        const Result<void> written = write_chart(options.chart, result);
        if (!written) return written.fault();
    }
    return was_interrupted ? End::interrupted : End::planned;
}

} // namespace anteroom::plan
