// The settings of a plan. They depend on the system whose clients come (Plan::system): its rooms
// have settings of their own for how fast people go in, and cannot take every pace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plan/report.h"

namespace anteroom::plan {

// Changes the pace to one that rooms of the plan's system can keep (System::fit).
void fit_to_rooms(Plan& plan);

// TOML that `anteroom serve` takes. REQUIRES: the plan fits.
std::string to_toml(const Plan& plan);

// For System::fit and System::settings.
// The pace in batches of whole seconds, for rooms that do not go by a rate.
void go_by_batches(Plan& plan);
// [defaults]; `more` are further lines of it.
std::string default_settings(const Plan& plan, std::string_view more = {});
std::int64_t rounded_up(double number, double to);
std::int64_t waiting_max(const Plan& plan);
std::string waiting_line(const Plan& plan); // Empty: no crowd was given.
// A remark that the forecast does not know the least wait of this setting.
std::string on_top(const Plan& plan, std::string_view setting);

} // namespace anteroom::plan
