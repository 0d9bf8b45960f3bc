#include "plan/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/duration.h"
#include "dialects/hhplus/options.h"
#include "dialects/portal/options.h"
#include "dialects/tacos/options.h"
#include "engine/settings.h"
#include "plan/options_error.h"

namespace anteroom::plan {
namespace {

double per_second(const Scenario& scenario) {
    return scenario.batch / (static_cast<double>(scenario.interval.count) / 1e3);
}

// The shortest interval of whole seconds whose batch is within a hundredth of the pace.
void go_by_batches(Plan& plan) {
    constexpr double enough = 0.99;
    const double pace = per_second(plan.scenario);
    Millis interval = seconds(1);
    while (static_cast<double>(batch_of(pace, interval)) <
           enough * pace * static_cast<double>(interval.count) / 1e3)
        interval = interval + seconds(1);
    CHECK(interval <= limits::interval_max); // Whatever the pace: the slowest is one an hour.
    plan.scenario.batch = static_cast<double>(batch_of(pace, interval));
    plan.scenario.interval = interval;
    plan.is_rate = false;
}

std::int64_t rounded_up(double number, double to) {
    const double most = static_cast<double>(limits::count_max);
    return static_cast<std::int64_t>(std::min(most, std::ceil(number / to) * to));
}

std::int64_t waiting_max(const Plan& plan) {
    return rounded_up(2 * static_cast<double>(plan.scenario.crowd), 1'000);
}

std::string waiting_line(const Plan& plan) {
    if (plan.scenario.crowd == 0) return {};
    return fmt::format("waiting_max = {}  # twice the crowd\n", waiting_max(plan));
}

// The forecast does not know the least wait that this setting gives to every visitor.
std::string on_top(const Plan& plan, std::string_view setting) {
    if (!plan.forecast) return {};
    return fmt::format("# What {} says comes on top of these waits.\n", setting);
}

std::string outer_settings(const Plan& plan);
std::string system_settings(const Plan& plan);

std::string default_settings(const Plan& plan) {
    const Scenario& scenario = plan.scenario;
    std::string out;
    if (plan.forecast && scenario.capacity > 0)
        out +=
            fmt::format("# That is so as long as visits last {}; lease_max allows longer ones.\n",
                        to_string(scenario.stay));
    out += "# Rooms of systems T, P and H go by other settings: --poll.\n[defaults]\n";
    if (plan.is_rate) {
        out += fmt::format("rate_per_second = {:.3f}\n", scenario.batch);
        out += fmt::format("admit_batch = {}\n",
                           std::max<std::int64_t>(1, rounded_up(scenario.batch, 1)));
    } else {
        out += fmt::format("admit_batch = {:.0f}\n", scenario.batch);
    }
    out += fmt::format("admit_interval = \"{}\"\n", to_string(scenario.interval));
    out += outer_settings(plan);
    if (scenario.capacity > 0)
        out += fmt::format("capacity = {:.0f}\n", scenario.capacity);
    else
        out += fmt::format("capacity = {}  # no limit: the pace decides\n", limits::count_max);
    if (scenario.stay > Millis{0}) {
        const Millis longest{std::min(limits::span_max.count, 4 * scenario.stay.count)};
        out += fmt::format("lease = \"{}\"\n", to_string(scenario.stay));
        out += fmt::format("lease_max = \"{}\"\n", to_string(longest));
    }
    return out + waiting_line(plan);
}

} // namespace

std::string to_toml(const Plan& plan) {
    std::string out = "# Written by: " + plan.command + "\n";
    if (plan.forecast)
        out += fmt::format("# {} people: half of them wait {} at most, nobody longer than {}.\n",
                           grouped(static_cast<double>(plan.scenario.crowd)),
                           wait_text(plan.forecast->wait_quantile(0.5)),
                           longest_wait_text(*plan.forecast));
    return out + system_settings(plan);
}

// --- What depends on the system whose clients come -----------------------------------------------

namespace {

constexpr std::array<std::pair<std::string_view, PollPolicy>, 6> polls{
    {{"hhplus", PollPolicy::hhplus},
     {"native", PollPolicy::native},
     {"portal", PollPolicy::portal},
     {"tacos", PollPolicy::tacos},
     {"urr", PollPolicy::urr_inner},
     {"urr-outer", PollPolicy::urr_outer}}};

// Rooms of system T go by the second and do not count who is inside.
void go_by_the_second(Plan& plan) {
    constexpr double hair = 1e-6; // Quotients are not exact.
    const double rate_milli = std::floor(throughput(plan.scenario) * 1e3 + hair);
    if (rate_milli < 1 || rate_milli > static_cast<double>(limits::rate_milli_max))
        throw OptionsError("system T's rooms let in from 0.001 to 1000000 a second");
    plan.scenario.batch = rate_milli / 1e3;
    plan.scenario.interval = seconds(1);
    plan.scenario.capacity = 0;
    plan.is_rate = true;
}

// Queues of system P go by batches in whole seconds.
void fit_to_queues(Plan& plan) {
    if (plan.is_rate || plan.scenario.interval.count % 1'000 != 0) go_by_batches(plan);
    if (plan.scenario.batch > static_cast<double>(capacity_max(plan.poll)))
        throw OptionsError(
            fmt::format("system P's queues let in at most {} at once", capacity_max(plan.poll)));
}

// The outer line of system U has a pace of its own.
std::string outer_settings(const Plan& plan) {
    if (plan.poll != PollPolicy::urr_outer) return {};
    return fmt::format("outer_batch = {:.0f}\nouter_interval = \"{}\"\n", plan.scenario.batch,
                       to_string(plan.scenario.interval));
}

std::string hhplus_settings(const Plan& plan) {
    const Scenario& scenario = plan.scenario;
    std::string out = "# For system H's room, when it is made.\n" + on_top(plan, "wait_min");
    if (const std::int64_t most = Settings{}.waiting_max; waiting_max(plan) > most)
        out += fmt::format(
            "# It takes {} who wait. For more, once it is there: PUT /v1/admin/rooms/hhplus "
            "{{\"waiting_max\": {}}}\n",
            most, waiting_max(plan));
    out += fmt::format("[hhplus]\nbatch = {:.0f}\ninterval = \"{}\"\nmax_active = {:.0f}{}\n",
                       scenario.batch, to_string(scenario.interval), scenario.capacity,
                       scenario.capacity > 0 ? "" : "  # no limit: the pace decides");
    // System H computes later batches from these figures. A measurement counts calls, not queries,
    // so its figures are left out.
    if (plan.origin && !plan.is_measured)
        out += fmt::format("qps = {}\nqueries = {}\ncalls = {}\nretry = {}\nmargin = {}\n",
                           plan.origin->queries_per_second, plan.origin->queries,
                           plan.origin->calls, plan.origin->retry, plan.margin);
    if (scenario.stay > Millis{0}) {
        out += fmt::format("lease = \"{}\"  # from the call on\n", to_string(scenario.stay));
        if (scenario.stay < hhplus::Options{}.lease_reserved)
            out += fmt::format("lease_reserved = \"{}\"\n", to_string(scenario.stay));
    }
    return out;
}

std::string tacos_settings(const Plan& plan) {
    const Scenario& scenario = plan.scenario;
    std::string out = "# For rooms that system T's clients make.\n" + on_top(plan, "min_wait");
    if (scenario.stay > Millis{0})
        out += fmt::format(
            "# They do not count who is inside: at this pace at most {}, when each "
            "stays {}.\n",
            grouped(inside_at_most(plan)), to_string(scenario.stay));
    out += fmt::format("[tacos]\nrate_per_second = {:.3f}\n", scenario.batch);
    // A visitor whose turn has come enters with the next poll. If more turns come between two polls
    // than `rank` allows, the rank and not the rate limits the pace.
    const auto usual = static_cast<std::uint64_t>(tacos::Rules{}.rank);
    const auto often = static_cast<double>(poll_after_seconds(PollPolicy::tacos, usual));
    const auto seldom = static_cast<double>(poll_after_seconds(PollPolicy::tacos, usual + 1));
    if (scenario.batch * often > static_cast<double>(usual))
        out += fmt::format("rank = {}  # who becomes ready between two polls\n",
                           rounded_up(scenario.batch * seldom, 1));
    const std::string waiting = waiting_line(plan);
    return waiting.empty() ? out : out + "[defaults]\n" + waiting;
}

std::string portal_settings(const Plan& plan) {
    const Scenario& scenario = plan.scenario;
    std::string out = fmt::format(
        "# For queues of system P. Their pace comes with the call that activates them:\n"
        "# {{\"maxCapacity\":{:.0f},\"entryBatchSize\":{:.0f},\"entryIntervalSeconds\":{}}}\n",
        scenario.capacity > 0 ? scenario.capacity : static_cast<double>(capacity_max(plan.poll)),
        scenario.batch, scenario.interval.count / 1'000);
    if (scenario.stay > Millis{0})
        out += fmt::format("[portal]\nentered = \"{}\"  # no visit lasts longer\n",
                           to_string(scenario.stay));
    const std::string waiting = waiting_line(plan);
    return waiting.empty() ? out : out + "[defaults]\n" + waiting;
}

std::string system_settings(const Plan& plan) {
    switch (plan.poll) {
        case PollPolicy::native:
        case PollPolicy::urr_inner:
        case PollPolicy::urr_outer: break;
        case PollPolicy::hhplus: return hhplus_settings(plan);
        case PollPolicy::tacos: return tacos_settings(plan);
        case PollPolicy::portal: return portal_settings(plan);
    }
    return default_settings(plan);
}

} // namespace

std::vector<std::string> poll_names() {
    std::vector<std::string> names;
    names.reserve(polls.size());
    for (const auto& [name, policy] : polls) names.emplace_back(name);
    return names;
}

PollPolicy poll_named(std::string_view name) {
    const auto* const found =
        std::ranges::find(polls, name, &std::pair<std::string_view, PollPolicy>::first);
    if (found == polls.end()) throw OptionsError(fmt::format("--poll does not know {}", name));
    return found->second;
}

std::int64_t capacity_max(PollPolicy poll) {
    return poll == PollPolicy::portal ? portal::pace_count_max : limits::count_max;
}

void fit_to_rooms(Plan& plan) {
    switch (plan.poll) {
        case PollPolicy::native:
        case PollPolicy::urr_inner: return;
        case PollPolicy::urr_outer:
        case PollPolicy::hhplus:
            if (plan.is_rate) go_by_batches(plan);
            return;
        case PollPolicy::tacos: return go_by_the_second(plan);
        case PollPolicy::portal: return fit_to_queues(plan);
    }
}

} // namespace anteroom::plan
