// How rooms of system P are planned: `anteroom plan --poll`.
#include "dialects/portal/plan.h"

#include <fmt/format.h>

#include "base/duration.h"
#include "dialects/portal/options.h"
#include "dialects/portal/poll.h"
#include "plan/options_error.h"
#include "plan/settings.h"

namespace anteroom::portal {
namespace {

using plan::Plan;
using plan::Scenario;

// Queues of system P go by batches in whole seconds.
void fit_to_queues(Plan& planned) {
    if (planned.is_rate || planned.scenario.interval.count % 1'000 != 0)
        plan::go_by_batches(planned);
    if (planned.scenario.batch > static_cast<double>(pace_count_max))
        throw plan::OptionsError(
            fmt::format("system P's queues let in at most {} at once", pace_count_max));
}

std::string settings_of(const Plan& planned) {
    const Scenario& scenario = planned.scenario;
    std::string out = fmt::format(
        "# For queues of system P. Their pace comes with the call that activates them:\n"
        "# {{\"maxCapacity\":{:.0f},\"entryBatchSize\":{:.0f},\"entryIntervalSeconds\":{}}}\n",
        scenario.capacity > 0 ? scenario.capacity : static_cast<double>(pace_count_max),
        scenario.batch, scenario.interval.count / 1'000);
    if (scenario.stay > Millis{0})
        out += fmt::format("[portal]\nentered = \"{}\"  # no visit lasts longer\n",
                           to_string(scenario.stay));
    const std::string waiting = plan::waiting_line(planned);
    return waiting.empty() ? out : out + "[defaults]\n" + waiting;
}

constexpr plan::System systems[] = {
    {.name = "portal",
     .poll_after_seconds = [](std::uint64_t) { return poll_seconds; },
     .capacity_max = pace_count_max,
     .fit = fit_to_queues,
     .settings = settings_of}};

} // namespace

std::span<const plan::System> plans() {
    return systems;
}

} // namespace anteroom::portal
