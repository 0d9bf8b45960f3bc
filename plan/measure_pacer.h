// MeasurePacer: when the calls of a measurement are due. Arithmetic only: time is an argument.
//
// A program that was held up (stopped, or the machine was busy) must not make up for it: a call
// that is too late is lost. And whatever happens, in any second there are at most `rate_max` calls.
#pragma once

#include <cstdint>
#include <deque>

#include "base/time.h"

namespace anteroom::plan {

class MeasurePacer {
  public:
    // So much later than it was due a call may be sent.
    static constexpr Millis late_max{50};

    // REQUIRES: both above 0.
    MeasurePacer(double rate_max, Millis step);

    // A step of so many calls per second begins.
    void begin(double rate, Instant now);
    // How many calls are due now. The caller sends them: they are counted as sent.
    std::int64_t take(Instant now);

    std::int64_t all() const { return all_; } // Calls of this step.
    bool is_over(Instant now) const { return passed_ >= all_ && now - began_ >= step_; }
    std::int64_t lost() const { return lost_; }

  private:
    std::int64_t due_by(Millis elapsed) const;
    std::int64_t allowed(Instant now);

    const std::int64_t per_second_max_;
    const Millis step_;
    double rate_ = 0;
    Instant began_;
    std::int64_t all_ = 0;
    std::int64_t passed_ = 0; // Sent or lost.
    std::int64_t lost_ = 0;
    std::deque<Instant> sent_; // Within the last second, of all steps.
};

} // namespace anteroom::plan
