// What a plan says: words and tables for people, settings for the server, a picture.
#pragma once

#include <optional>
#include <string>

#include "app/plan.h"
#include "app/plan_measure.h"

namespace anteroom::app {

// Everything that was asked for and worked out.
struct Plan {
    std::optional<OriginLoad> origin;
    double margin = 0;
    Scenario scenario;    // A crowd of 0: only the pace was asked for.
    bool is_rate = false; // The pace was given per second; the batch is one second's.
    PollPolicy poll = PollPolicy::native;
    std::optional<Forecast> forecast; // With a crowd.
    std::string command;              // As it was typed, for the files.
};

// "200 000".
std::string grouped(double number);
// "8m10s", "36s", "0.25s".
std::string wait_text(double seconds);
std::string longest_wait_text(const Forecast& forecast);

std::string plan_text(const Plan& plan);
std::string measured_text(const Measured& measured);
// Settings under [defaults] that `anteroom serve` takes.
std::string plan_toml(const Plan& plan);

// A picture that needs nothing beside it and follows light and dark.
std::string plan_svg(const Plan& plan);
std::string plan_html(const Plan& plan);

// Which places the tables name: the first, every tenth part, the last.
std::vector<std::int64_t> told_places(std::int64_t crowd);

} // namespace anteroom::app
