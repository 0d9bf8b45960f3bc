// Clock: the time by which rooms, tickets and answers are decided.
//
// Wall time is read once, at the start; from then on the monotonic clock counts. Setting the
// machine's clock changes nothing while we run, and time never goes back.
//
// Other code reads a clock only where no room depends on it: net/ for its timeouts and the Date
// header, stores for how long a disk or a server may take.
#pragma once

#include <ctime>

#include "base/time.h"

namespace anteroom {

class Clock {
  public:
    Clock() : origin_(read(CLOCK_REALTIME) - read(CLOCK_MONOTONIC)) {}

    // Milliseconds since 1970, as an Instant of the engine.
    Instant now() const { return at(monotonic_ns()); }

    // What now() was when monotonic_ns() was this: one reading serves two purposes.
    Instant at(std::int64_t ns) const { return Instant{origin_ + ns / 1'000'000}; }
    static std::int64_t monotonic_ns() { return read_ns(CLOCK_MONOTONIC); }

  private:
    static std::int64_t read(clockid_t id) { return read_ns(id) / 1'000'000; }
    static std::int64_t read_ns(clockid_t id) {
        timespec time{};
        clock_gettime(id, &time);
        return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    }

    std::int64_t origin_;
};

inline std::int64_t unix_seconds(Instant at) {
    return at.ms / 1'000;
}

} // namespace anteroom
