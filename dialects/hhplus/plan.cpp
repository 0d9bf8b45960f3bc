// How rooms of system H are planned: `anteroom plan --poll`.
#include "dialects/hhplus/plan.h"

#include <fmt/format.h>

#include "base/duration.h"
#include "dialects/hhplus/options.h"
#include "engine/settings.h"
#include "plan/options_error.h"
#include "plan/settings.h"

namespace anteroom::hhplus {
namespace {

using plan::Plan;
using plan::Scenario;

// A rate becomes batches: the rooms know no rate.
void fit_to_batches(Plan& planned) {
    if (planned.is_rate) plan::go_by_batches(planned);
}

std::string settings_of(const Plan& planned) {
    const Scenario& scenario = planned.scenario;
    std::string out =
        "# For system H's room, when it is made.\n" + plan::on_top(planned, "wait_min");
    if (const std::int64_t most = Settings{}.waiting_max; plan::waiting_max(planned) > most)
        out += fmt::format(
            "# It takes {} who wait. For more, once it is there: PUT /v1/admin/rooms/hhplus "
            "{{\"waiting_max\": {}}}\n",
            most, plan::waiting_max(planned));
    out += fmt::format("[hhplus]\nbatch = {:.0f}\ninterval = \"{}\"\nmax_active = {:.0f}{}\n",
                       scenario.batch, to_string(scenario.interval), scenario.capacity,
                       scenario.capacity > 0 ? "" : "  # no limit: the pace decides");
    // System H computes later batches from these figures. A measurement counts calls, not queries,
    // so its figures are left out.
    if (planned.origin && !planned.is_measured)
        out += fmt::format("qps = {}\nqueries = {}\ncalls = {}\nretry = {}\nmargin = {}\n",
                           planned.origin->queries_per_second, planned.origin->queries,
                           planned.origin->calls, planned.origin->retry, planned.margin);
    if (scenario.stay > Millis{0}) {
        out += fmt::format("lease = \"{}\"  # from the call on\n", to_string(scenario.stay));
        if (scenario.stay < Options{}.lease_reserved)
            out += fmt::format("lease_reserved = \"{}\"\n", to_string(scenario.stay));
    }
    return out;
}

constexpr plan::System systems[] = {
    {.name = "hhplus",
     .poll_after_seconds = [](std::uint64_t) { return std::int64_t{1}; },
     .fit = fit_to_batches,
     .settings = settings_of}};

} // namespace

std::span<const plan::System> plans() {
    return systems;
}

} // namespace anteroom::hhplus
