// A plan as text for the terminal and as a chart. As settings: settings.h.
#pragma once

#include <optional>
#include <string>

#include "plan/forecast.h"
#include "plan/measure.h"
#include "plan/system.h"

namespace anteroom::plan {

// Everything that was asked for and worked out.
struct Plan {
    std::optional<OriginLoad> origin;
    Millis origin_interval{0}; // For which its load was worked out.
    bool is_measured = false;  // The origin's load are calls that were tried, not its queries.
    double margin = 0;
    Scenario scenario;    // A crowd of 0: only the pace was asked for.
    bool is_rate = false; // The pace was given per second; the batch is one second's.
    const System* system = &native_system(); // Whose clients come, and whose rooms it is for.
    std::optional<Forecast> forecast;        // With a crowd.
    std::string command;                     // As it was typed, for the files.
};

// "200 000".
std::string grouped(double number);
// "8m10s", "36s", "0.25s".
std::string wait_text(double seconds);
std::string longest_wait_text(const Forecast& forecast);
// REQUIRES: the stay is known.
double inside_at_most(const Plan& plan);

std::string to_text(const Plan& plan);
std::string to_text(const Measured& measured);

// A picture without external files, for light and dark screens.
std::string to_svg(const Plan& plan);
std::string to_html(const Plan& plan);

// Which places the tables name: the first, every tenth part, the last.
std::vector<std::int64_t> told_places(std::int64_t crowd);

} // namespace anteroom::plan
