#include "engine/flow.h"

#include <algorithm>
#include <cmath>

namespace anteroom {
namespace {

constexpr double tenth_quantile = 1.2816; // Of the normal distribution, above the mean.
constexpr Millis learn_interval = seconds(1);

bool has_free_slot(const Flow::Scene& scene) {
    return scene.inside < scene.capacity;
}

// Calls per millisecond that the settings allow at most.
double pace_max(const Settings& settings) {
    const double batch = static_cast<double>(settings.admit_batch) /
                         static_cast<double>(settings.admit_interval.count);
    if (settings.rate_milli == 0) return batch;
    return std::min(batch, static_cast<double>(settings.rate_milli) / 1e6);
}

struct Spread {
    double mean_ms = 0;
    double variance = 0;
};

// The time until `count` events have happened at `belief`, while those waited for also give up at
// `quit_rate` each: d(count)/dt = -rate - quit_rate * count.
Spread time_for(double count, const Meter::Belief& belief, double quit_rate) {
    const double mean = quit_rate > 0 ? std::log1p(quit_rate * count / belief.rate) / quit_rate
                                      : count / belief.rate;
    const double chance = belief.dispersion * count / (belief.rate * belief.rate);
    const double doubt = belief.events > 0 ? mean * mean * belief.dispersion / belief.events : 0;
    return {.mean_ms = mean, .variance = chance + doubt};
}

std::int64_t whole_seconds(double ms) {
    constexpr double limit = 366.0 * 86'400.0;
    return static_cast<std::int64_t>(std::min(limit, std::ceil(ms / 1e3)));
}

} // namespace

void Flow::elapse(Instant now, const Scene& scene) {
    const double span = static_cast<double>(std::max<std::int64_t>(0, (now - elapsed_).count));
    elapsed_ = now;
    if (!started_) {
        started_ = true;
        return;
    }
    if (scene.waiting == 0 || !scene.calling || span == 0) return;
    if (has_free_slot(scene)) calls_.expose(now, span);
    releases_.expose(now, span);
    departures_.expose(now, span * static_cast<double>(scene.waiting));
}

void Flow::called(Instant now, const Scene& scene) {
    if (scene.waiting > 0) calls_.count(now);
}

void Flow::released(Instant now, const Scene& scene) {
    if (scene.waiting > 0) releases_.count(now);
}

void Flow::learn(Instant now) {
    if (now - learned_ < learn_interval) return;
    learned_ = now;
    calls_.learn(now);
    releases_.learn(now);
    departures_.learn(now);
}

void Flow::restart() {
    calls_.restart();
    releases_.restart();
    departures_.restart();
}

std::optional<Wait> Flow::wait(std::uint64_t ahead, const Scene& scene,
                               const Settings& settings) const {
    if (!scene.calling || scene.capacity == 0) return std::nullopt;
    const Meter::Belief quits = departures_.belief();
    const double quit_rate = quits.known ? quits.rate : 0;
    const double count = static_cast<double>(ahead) + 1;
    const double free =
        static_cast<double>(scene.capacity - std::min(scene.capacity, scene.inside));

    // Before anything is measured the doorman is expected to keep the pace that is set.
    Meter::Belief calls = calls_.belief();
    if (!calls.known)
        calls = {.rate = pace_max(settings), .dispersion = 1, .events = 4, .known = true};
    if (calls.rate <= 0) return std::nullopt;
    calls.rate = std::min(calls.rate, pace_max(settings));
    Spread spread = time_for(count, calls, quit_rate);

    if (count > free) {
        const Meter::Belief slots = releases_.belief();
        if (!slots.known || slots.rate <= 0) return std::nullopt;
        const Spread by_slots = time_for(count - free, slots, quit_rate);
        if (by_slots.mean_ms > spread.mean_ms) spread = by_slots;
    }
    const std::int64_t p50 = whole_seconds(spread.mean_ms);
    const double late = spread.mean_ms + tenth_quantile * std::sqrt(spread.variance);
    return Wait{.p50_seconds = p50, .p90_seconds = std::max(p50, whole_seconds(late))};
}

double Flow::rate_per_second(const Scene& scene) const {
    const Meter::Belief belief = has_free_slot(scene) ? calls_.belief() : releases_.belief();
    return belief.known ? belief.rate * 1e3 : 0;
}

} // namespace anteroom
