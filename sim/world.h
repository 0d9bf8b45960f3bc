// World: one seed, from the first visitor to the last. First with all its troubles, then, for the
// last minutes, without: by the end everybody must have been let in or be gone (liveness).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/time.h"
#include "sim/driver.h"
#include "sim/plan.h"
#include "sim/witness.h"

namespace anteroom::sim {

struct Report {
    std::uint64_t seed = 0;
    Millis length{};
    std::uint64_t events = 0;
    std::uint64_t faults = 0;
    std::uint64_t visitors = 0;
    std::uint64_t facts = 0;
    std::uint64_t digest = 0; // Of the room at the end.
    std::optional<Violation> violation{};
};

// Called after every simulated second; false ends the run.
using Watch = std::function<bool(const Driver&)>;

Report run_world(const Plan& plan, const Watch& watch = {});

// One line for people and scripts.
std::string summary_of(const Report& report);
// The command that shows the same again.
std::string repeat_command_of(const Report& report);

} // namespace anteroom::sim
