// The settings of a plan, for those whose clients come: each system's rooms have their own way to
// say how fast people go in, and not all of them can say everything.
#pragma once

#include <string>

#include "app/plan_report.h"

namespace anteroom::app {

// The most that these rooms can be told.
std::int64_t capacity_max(PollPolicy poll);

// Makes the pace one that these rooms can keep, never a faster one: system T's go by the second and
// do not count who is inside, those of systems H and P and the outer line of system U go by
// batches. Throws ConfigError when they cannot go so fast, or so slowly.
void fit_to_rooms(Plan& plan);

// TOML that `anteroom serve` takes. REQUIRES: the plan fits.
std::string plan_toml(const Plan& plan);

} // namespace anteroom::app
