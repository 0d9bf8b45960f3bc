// How rooms of system U are planned: `anteroom plan --poll`.
#include "dialects/urr/plan.h"

#include <fmt/format.h>

#include "base/duration.h"
#include "dialects/urr/poll.h"
#include "plan/options_error.h"
#include "plan/settings.h"

namespace anteroom::urr {
namespace {

using plan::Plan;
using plan::Scenario;

// A rate becomes batches: the rooms know no rate.
void fit_to_batches(Plan& planned) {
    if (planned.is_rate) plan::go_by_batches(planned);
}

// The outer line has a pace of its own.
std::string settings_of_outer(const Plan& planned) {
    return plan::default_settings(
        planned, fmt::format("outer_batch = {:.0f}\nouter_interval = \"{}\"\n",
                             planned.scenario.batch, to_string(planned.scenario.interval)));
}

constexpr plan::System systems[] = {
    // Tier 2 counts positions, which start at 1.
    {.name = "urr", .poll_after_seconds = inner_poll_seconds, .first_place = 1},
    {.name = "urr-outer",
     .poll_after_seconds = outer_poll_seconds,
     .fit = fit_to_batches,
     .settings = settings_of_outer}};

} // namespace

std::span<const plan::System> plans() {
    return systems;
}

} // namespace anteroom::urr
