// The settings of a plan. They depend on the system whose clients come (Plan::poll): its rooms have
// settings of their own for how fast people go in, and cannot take every pace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/report.h"

namespace anteroom::plan {

// The names that --poll takes, in the order of the alphabet.
std::vector<std::string> poll_names();
// Throws OptionsError when no system has this name.
PollPolicy poll_named(std::string_view name);

// The largest capacity that a room of this system takes.
std::int64_t capacity_max(PollPolicy poll);

// Changes the pace to one that rooms of the plan's system can keep, never to a faster one: per
// second for system T, which does not count who is inside, in batches for systems H and P and the
// outer line of system U. Throws OptionsError when they cannot go so fast, or so slowly.
void fit_to_rooms(Plan& plan);

// TOML that `anteroom serve` takes. REQUIRES: the plan fits.
std::string to_toml(const Plan& plan);

} // namespace anteroom::plan
