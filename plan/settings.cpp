#include "plan/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/check.h"
#include "base/duration.h"
#include "engine/poll.h"
#include "engine/settings.h"
#include "plan/options_error.h"

namespace anteroom::plan {
namespace {

double per_second(const Scenario& scenario) {
    return scenario.batch / (static_cast<double>(scenario.interval.count) / 1e3);
}

} // namespace

const System& native_system() {
    static const System native{.name = "native",
                               .poll_after_seconds = anteroom::poll_after_seconds};
    return native;
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

std::string default_settings(const Plan& plan, std::string_view more) {
    const Scenario& scenario = plan.scenario;
    std::string out;
    if (plan.forecast && scenario.capacity > 0)
        out +=
            fmt::format("# That is so as long as visits last {}; lease_max allows longer ones.\n",
                        to_string(scenario.stay));
    out += "# Rooms of some dialects go by other settings: --poll.\n[defaults]\n";
    if (plan.is_rate) {
        out += fmt::format("rate_per_second = {:.3f}\n", scenario.batch);
        out += fmt::format("admit_batch = {}\n",
                           std::max<std::int64_t>(1, rounded_up(scenario.batch, 1)));
    } else {
        out += fmt::format("admit_batch = {:.0f}\n", scenario.batch);
    }
    out += fmt::format("admit_interval = \"{}\"\n", to_string(scenario.interval));
    out += more;
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

std::string to_toml(const Plan& plan) {
    std::string out = "# Written by: " + plan.command + "\n";
    if (plan.forecast)
        out += fmt::format("# {} people: half of them wait {} at most, nobody longer than {}.\n",
                           grouped(static_cast<double>(plan.scenario.crowd)),
                           wait_text(plan.forecast->wait_quantile(0.5)),
                           longest_wait_text(*plan.forecast));
    return out + (plan.system->settings ? plan.system->settings(plan) : default_settings(plan));
}

void fit_to_rooms(Plan& plan) {
    if (plan.system->fit) plan.system->fit(plan);
}

} // namespace anteroom::plan
