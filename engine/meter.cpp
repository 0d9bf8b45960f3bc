#include "engine/meter.h"

#include <algorithm>
#include <cmath>

namespace anteroom {
namespace {

constexpr double events_enough = 32; // Of a window: the shortest with so many is believed.
constexpr double events_first = 3;   // Before these nothing is known.
constexpr double doubt = 2;          // Standard deviations that a belief withstands.
constexpr double change_min = 0.05;  // Smaller changes are not worth showing.

std::int64_t bucket_of(Instant now, std::int64_t width_ms) {
    return now.ms / width_ms - (now.ms % width_ms < 0 ? 1 : 0);
}

} // namespace

Meter::Bucket& Meter::Ring::at(Instant now) {
    const std::int64_t index = bucket_of(now, width_ms);
    Bucket& bucket = ring[static_cast<std::uint64_t>(index) % buckets];
    if (bucket.index != index) bucket = {.index = index};
    return bucket;
}

void Meter::count(Instant now) {
    short_.at(now).events += 1;
    long_.at(now).events += 1;
}

void Meter::expose(Instant now, double exposure) {
    short_.at(now).exposure += exposure;
    long_.at(now).exposure += exposure;
}

Meter::Measured Meter::measure(const Ring& ring, Instant now, std::int64_t window) {
    const std::int64_t last = bucket_of(now, ring.width_ms);
    Measured sum;
    double squares = 0;
    double filled = 0;
    for (const Bucket& bucket : ring.ring) {
        if (bucket.index <= last - window || bucket.index > last) continue;
        sum.events += bucket.events;
        sum.exposure += bucket.exposure;
        squares += bucket.events * bucket.events;
        filled += 1;
    }
    if (filled < 2 || sum.events == 0) return sum;
    const double mean = sum.events / filled;
    sum.dispersion = std::max(1.0, (squares / filled - mean * mean) / mean);
    return sum;
}

Meter::Measured Meter::measure(Instant now) const {
    for (const std::int64_t window : {16, 64}) {
        const Measured measured = measure(short_, now, window);
        if (measured.events >= events_enough * measured.dispersion) return measured;
    }
    return measure(long_, now, buckets);
}

void Meter::learn(Instant now) {
    const Measured recent = measure(short_, now, buckets);
    const Belief old = belief();
    if (recent.events == 0) {
        // Nothing for a minute, though the belief promised a good number: it has stopped.
        if (old.known && old.rate > 0 && recent.exposure * old.rate > 8) adopt({});
        return;
    }
    const Measured measured = measure(now);
    if (measured.exposure <= 0 || measured.events < events_first) return;
    if (!old.known || old.rate <= 0) return adopt(measured);
    const double deviation = measured.rate() * std::sqrt(measured.dispersion / measured.events);
    const double change = std::abs(measured.rate() - old.rate);
    if (change > doubt * deviation && change > change_min * old.rate) adopt(measured);
}

void Meter::adopt(const Measured& measured) {
    rate_.store(measured.rate(), std::memory_order_relaxed);
    dispersion_.store(measured.dispersion, std::memory_order_relaxed);
    events_.store(measured.events, std::memory_order_relaxed);
    known_.store(true, std::memory_order_release);
}

void Meter::restart() {
    short_.ring = {};
    long_.ring = {};
}

Meter::Belief Meter::belief() const {
    const bool known = known_.load(std::memory_order_acquire);
    return {.rate = rate_.load(std::memory_order_relaxed),
            .dispersion = dispersion_.load(std::memory_order_relaxed),
            .events = events_.load(std::memory_order_relaxed),
            .known = known};
}

} // namespace anteroom
