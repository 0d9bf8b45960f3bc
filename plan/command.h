// The command `anteroom plan`: prints how many visitors to let in, how long a crowd waits then and
// what the room needs, as text or as settings; draws a chart; measures an origin when told to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/system.h"

namespace anteroom::plan {

// As typed on the command line; `run` checks them.
struct Options {
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
    // Whose clients can come, by the names that --poll takes.
    std::vector<const System*> systems{&native_system()};
};

enum class End : std::uint8_t {
    planned,
    no_good_step, // The measurement found no load that the origin stands.
    interrupted   // SIGINT ended the measurement; what it found until then is printed.
};

// Prints the plan. Throws OptionsError; a fault: the chart cannot be written, or the URL to measure
// does not answer.
Result<End> run(const Options& options);

} // namespace anteroom::plan
