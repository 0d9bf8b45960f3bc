// How rooms of system T are planned: `anteroom plan --poll`.
#include "dialects/tacos/plan.h"

#include <fmt/format.h>

#include <cmath>

#include "base/duration.h"
#include "dialects/tacos/options.h"
#include "dialects/tacos/poll.h"
#include "engine/settings.h"
#include "plan/options_error.h"
#include "plan/settings.h"

namespace anteroom::tacos {
namespace {

using plan::Plan;
using plan::Scenario;

// Rooms of system T go by the second and do not count who is inside.
void go_by_the_second(Plan& planned) {
    constexpr double hair = 1e-6; // Quotients are not exact.
    const double rate_milli = std::floor(plan::throughput(planned.scenario) * 1e3 + hair);
    if (rate_milli < 1 || rate_milli > static_cast<double>(limits::rate_milli_max))
        throw plan::OptionsError("system T's rooms let in from 0.001 to 1000000 a second");
    planned.scenario.batch = rate_milli / 1e3;
    planned.scenario.interval = seconds(1);
    planned.scenario.capacity = 0;
    planned.is_rate = true;
}

std::string settings_of(const Plan& planned) {
    const Scenario& scenario = planned.scenario;
    std::string out =
        "# For rooms that system T's clients make.\n" + plan::on_top(planned, "min_wait");
    if (scenario.stay > Millis{0})
        out += fmt::format(
            "# They do not count who is inside: at this pace at most {}, when each "
            "stays {}.\n",
            plan::grouped(plan::inside_at_most(planned)), to_string(scenario.stay));
    out += fmt::format("[tacos]\nrate_per_second = {:.3f}\n", scenario.batch);
    // A visitor whose turn has come enters with the next poll. If more turns come between two polls
    // than `rank` allows, the rank and not the rate limits the pace.
    const auto usual = static_cast<std::uint64_t>(Rules{}.rank);
    const auto often = static_cast<double>(poll_after_seconds(usual));
    const auto seldom = static_cast<double>(poll_after_seconds(usual + 1));
    if (scenario.batch * often > static_cast<double>(usual))
        out += fmt::format("rank = {}  # who becomes ready between two polls\n",
                           plan::rounded_up(scenario.batch * seldom, 1));
    const std::string waiting = plan::waiting_line(planned);
    return waiting.empty() ? out : out + "[defaults]\n" + waiting;
}

constexpr plan::System systems[] = {{.name = "tacos",
                                     .poll_after_seconds = poll_after_seconds,
                                     .fit = go_by_the_second,
                                     .settings = settings_of}};

} // namespace

std::span<const plan::System> plans() {
    return systems;
}

} // namespace anteroom::tacos
