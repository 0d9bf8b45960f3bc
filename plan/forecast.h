// Forecast: how many visitors go in per second, how long a crowd waits then, and how often it
// polls. Arithmetic only: no clock, no I/O.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "plan/system.h"
#include "service/origin_load.h"

namespace anteroom::plan {

// A crowd in front of a room.
struct Scenario {
    std::int64_t crowd = 0;
    Millis arrive{0};    // They come evenly over so long; 0: all at once.
    double batch = 0;    // So many are called…
    Millis interval{0};  // …in any window of this length.
    double capacity = 0; // At most so many inside; 0: no limit.
    Millis stay{0};      // So long everybody stays inside; 0: not known.
};

// How many go in per second once the room is full: by the pace, or by how many leave.
double throughput(const Scenario& scenario);
bool is_limited_by_capacity(const Scenario& scenario);

// The scenario played through in small steps, everybody behaving alike. Steps divide the interval
// and the stay, so that waits are exact, unless that took more than `steps_max`: then they are as
// small as they can be, and waits are true to a step or one stay.
class Forecast {
  public:
    static constexpr std::int64_t steps_max = 1'000'000;

    struct Moment {
        double at_seconds = 0;
        double waiting = 0;
    };

    // REQUIRES: crowd, batch and interval above 0; capacity only with a stay.
    explicit Forecast(const Scenario& scenario);

    // For places 1 to crowd.
    double comes_at(std::int64_t place) const;
    double goes_in_at(std::int64_t place) const;
    double wait_seconds(std::int64_t place) const;

    // The wait that this part (0 to 1) of the crowd does not exceed; estimated from a thousand
    // places.
    double wait_quantile(double part) const;
    // An upper bound of all waits, also where the steps are not exact.
    double wait_max() const;

    double empty_at() const { return goes_in_at(scenario_.crowd); }
    double waiting_max() const { return waiting_max_; }
    // At most `count` moments, from the start until nobody waits.
    std::vector<Moment> moments(std::size_t count) const;

  private:
    double step_of(double interval, double stay);
    std::size_t steps_in(double span) const;
    double gone(double went_in) const;
    double came_by(double at) const;
    double went_in_between(std::size_t from, std::size_t to) const;

    Scenario scenario_;
    bool is_whole_ = true;         // The batch is a number of people, not a part of a rate.
    double step_ = 0;              // Seconds.
    bool is_exact_ = true;         // Steps divide the interval and the stay.
    std::size_t window_steps_ = 1; // Of the interval.
    std::size_t stay_steps_ = 0;   // 0: the stay is not known.
    std::vector<double> went_in_;  // By the end of each step, since the beginning.
    double waiting_max_ = 0;
};

// The longest plan. Beyond it the steps of a Forecast are too coarse.
inline constexpr double plan_seconds_max = 366.0 * 24 * 3'600;

// How many ask "where do I stand" per second while so many wait.
double polls_per_second(const System& system, std::uint64_t waiting);

// Measured on two shared cores: bench/results.md has the runs.
namespace figures {
inline constexpr double bytes_per_visitor = 58.1;
inline constexpr double ledger_bytes_per_visitor = 88;
inline constexpr double poll_answer_bytes = 490;
inline constexpr double poll_cpu_us = 11.9;
inline constexpr double durable_joins_per_second = 34'109;
} // namespace figures

} // namespace anteroom::plan
