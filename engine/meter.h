// Meter: how often something happens, measured over sliding windows.
//
// Counts events against an exposure (milliseconds, or visitor-milliseconds) in buckets of a second
// and of a quarter of a minute. What it tells is a belief: it changes only when the measurement
// contradicts it by more than chance, so that an estimate built on it does not flutter.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/time.h"

namespace anteroom {

class Meter {
  public:
    struct Belief {
        double rate = 0;       // Events per unit of exposure; 0: nothing moves.
        double dispersion = 1; // Variance of the counts over their mean: 1 is pure chance.
        double events = 0;     // On how many the belief rests.
        bool known = false;
    };

    // Writer.
    void count(Instant now);
    void expose(Instant now, double exposure);
    // Compares belief and measurement; about once a second.
    void learn(Instant now);
    // Drops the measurements, keeps the belief: after a pause the past says nothing of the pace.
    void restart();

    // Reader-safe.
    Belief belief() const;

  private:
    static constexpr std::size_t buckets = 64;
    struct Bucket {
        std::int64_t index =
            -1; // Which second, or quarter minute; buckets of another one are empty.
        double events = 0;
        double exposure = 0;
    };
    struct Ring {
        std::int64_t width_ms;
        std::array<Bucket, buckets> ring{};
        Bucket& at(Instant now);
    };
    struct Measured {
        double events = 0;
        double exposure = 0;
        double dispersion = 1;
        double rate() const { return exposure > 0 ? events / exposure : 0; }
    };
    static Measured measure(const Ring& ring, Instant now, std::int64_t window);
    Measured measure(Instant now) const;
    void adopt(const Measured& measured);

    Ring short_{.width_ms = 1'000};
    Ring long_{.width_ms = 15'000};
    std::atomic<double> rate_{0};
    std::atomic<double> dispersion_{1};
    std::atomic<double> events_{0};
    std::atomic<bool> known_{false};
};

} // namespace anteroom
