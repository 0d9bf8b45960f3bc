// anteroom plan: how many to let in, how long a crowd waits then, what the room needs; settings and
// a picture of it; and, if asked to, what an origin stands, by trying.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace anteroom::app {

// As they were typed; what they mean is checked in one place.
struct PlanOptions {
    std::optional<double> qps, queries, calls, retry;
    std::optional<std::string> margin;
    std::optional<double> rate;
    std::optional<std::int64_t> crowd, batch, capacity;
    std::string interval, arrive, stay;
    std::string poll = "native";
    std::string chart;
    bool toml = false;
    std::string measure;
    double measure_from = 10, measure_max = 500;
    std::int64_t measure_total = 20'000;
    std::string measure_step = "5s", latency = "500ms", errors = "1%";
    std::string command; // The whole line.
};

// What --poll takes.
std::vector<std::string> plan_poll_names();

// The exit code. Throws ConfigError, and DataError when a file or the URL does not work.
int plan(const PlanOptions& options);

} // namespace anteroom::app
