// Flow: how long will it take? From what the room has seen of itself.
//
// Three meters, fed only while somebody waits: calls while slots are free (how fast the doorman
// calls), slots given back (how fast places inside become free, no-shows included) and departures
// from the line (how many of those ahead will give up). A visitor with n calls to wait for needs
// them at the pace of the first meter and, where slots are short, at that of the second.
//
// When nothing moves, or nothing is known yet, the answer is "unknown", not a number.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "engine/meter.h"
#include "engine/settings.h"

namespace anteroom {

struct Wait {
    std::int64_t p50_seconds = 0;
    std::int64_t p90_seconds = 0;
};

class Flow {
  public:
    // What the room looked like up to now, since the last time it was told.
    struct Scene {
        std::uint64_t waiting = 0;
        std::uint64_t inside = 0;
        std::uint64_t capacity = 0;
        bool calling = false; // The room's state lets the doorman call.
    };

    // Writer.
    void elapse(Instant now, const Scene& scene);
    void called(Instant now, const Scene& scene);
    void released(Instant now, const Scene& scene);
    void departed(Instant now) { departures_.count(now); }
    void learn(Instant now);
    void restart();

    // Reader-safe. `ahead` visitors are to be called before.
    std::optional<Wait> wait(std::uint64_t ahead, const Scene& scene,
                             const Settings& settings) const;
    // Reader-safe. Calls per second, as measured; the pulse shows it. 0: unknown or nothing moves.
    double rate_per_second(const Scene& scene) const;

  private:
    Meter calls_;
    Meter releases_;
    Meter departures_;
    Instant elapsed_;
    Instant learned_;
    bool started_ = false;
};

} // namespace anteroom
