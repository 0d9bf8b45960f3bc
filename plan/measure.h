// Measure: finds out how many calls per second an origin stands, by calling one URL more and more
// often until it gets slow or fails. Contacts that URL and nothing else; follows no redirects.
//
// Calls are sent when they are due, whether or not earlier ones were answered: a slow origin does
// not slow its own measurement down. A call that could not be sent in time is not sent (see
// MeasurePacer), and a step that lost more than lost_max of its calls is made again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace anteroom::plan {

// Whatever the options say.
namespace measure_limits {
inline constexpr double rate_max = 10'000; // Calls per second.
inline constexpr std::int64_t total_max = 1'000'000;
inline constexpr Millis step_max = minutes(5);
inline constexpr Millis latency_max = minutes(1);
inline constexpr std::size_t in_flight_max = 1'000;
inline constexpr double lost_max = 0.05; // Of a step's calls; with more it proves nothing.
inline constexpr int tries_max = 3;      // Of one step.
} // namespace measure_limits

struct MeasureOptions {
    std::string url;
    double rate_from = 10;
    double rate_max = 500;
    std::int64_t total_max = 20'000;
    Millis step = seconds(5);
    Millis latency_max{500}; // Of 95 of 100 answers.
    double errors_max = 0.01;
};

struct MeasureStep {
    double rate = 0; // Calls per second.
    std::int64_t sent = 0;
    std::int64_t failed = 0; // No answer, or one of 400 and above.
    std::int64_t lost = 0;   // Not sent, because it was too late.
    Millis p50{0};
    Millis p95{0};
};

enum class MeasureEnd : std::uint8_t {
    slow,
    failing,
    busy,
    held_up,
    rate_max,
    total_max,
    interrupted
};

struct Measured {
    std::vector<MeasureStep> good; // Within the limits, in order.
    MeasureEnd end = MeasureEnd::interrupted;

    // The most it stood; 0: not even the first step.
    double knee() const { return good.empty() ? 0 : good.back().rate; }
};

// Whether a step is within the limits, and what is wrong if not. Held up: too little was sent in
// time, by no fault of the origin.
enum class StepVerdict : std::uint8_t { good, slow, failing, held_up };
StepVerdict judge(const MeasureStep& step, const MeasureOptions& options);
// The next step up; never above the maximum.
double next_rate(double rate, const MeasureOptions& options);

// Runs until one of the ends. `tell`: after every step. A fault: the very first call does not work.
// SIGINT and SIGTERM end it early; a second one ends the program.
Result<Measured> measure(const MeasureOptions& options,
                         const std::function<void(const MeasureStep&, StepVerdict)>& tell);

} // namespace anteroom::plan
