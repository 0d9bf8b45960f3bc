#include "plan/forecast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace anteroom::plan {
namespace {

// Sums of fractions are not exact.
constexpr double hair = 1e-6;
constexpr double steps_per_stay = 100;

double in_seconds(Millis span) {
    return static_cast<double>(span.count) / 1e3;
}

} // namespace

double throughput(const Scenario& scenario) {
    const double pace = scenario.batch / in_seconds(scenario.interval);
    if (scenario.capacity <= 0) return pace;
    return std::min(pace, scenario.capacity / in_seconds(scenario.stay));
}

bool is_limited_by_capacity(const Scenario& scenario) {
    return throughput(scenario) < scenario.batch / in_seconds(scenario.interval);
}

Forecast::Forecast(const Scenario& scenario)
    : scenario_(scenario), is_whole_(scenario.batch == std::floor(scenario.batch)) {
    CHECK(scenario.crowd > 0 && scenario.batch > 0 && scenario.interval > Millis{0});
    CHECK(scenario.capacity <= 0 || scenario.stay > Millis{0});
    const double interval = in_seconds(scenario.interval);
    const double stay = in_seconds(scenario.stay);
    const auto crowd = static_cast<double>(scenario.crowd);
    step_ = step_of(interval, stay);
    window_steps_ = steps_in(interval);
    if (stay > 0) stay_steps_ = steps_in(stay);
    // A window of less than a step, or a stay of no whole steps, becomes longer or shorter than it
    // should be; the limit does so in the same proportion, and the pace is right.
    const double windows = static_cast<double>(window_steps_) * step_ / interval;
    const double batch = window_steps_ > 1 ? scenario.batch : scenario.batch * windows;
    const double stays = stay > 0 ? static_cast<double>(stay_steps_) * step_ / stay : 1;
    const double capacity = scenario.capacity * stays;

    double total = 0;
    while (total < crowd - hair) {
        const std::size_t now = went_in_.size();
        CHECK(now < 2 * static_cast<std::size_t>(steps_max));
        const double came = came_by(static_cast<double>(now) * step_);
        // Half-open: a visitor who went in exactly one interval, or one stay, ago is not counted.
        const std::size_t window = now - std::min(now, window_steps_ - 1);
        double may = std::min(came - total, batch - went_in_between(window, now));
        if (scenario.capacity > 0) {
            const std::size_t oldest = now - std::min(now, stay_steps_ - 1);
            may = std::min(may, capacity - went_in_between(oldest, now));
        }
        total += std::max(0.0, may);
        went_in_.push_back(total);
        waiting_max_ = std::max(waiting_max_, came - total);
    }
}

// Fine enough for the interval and for the moment when people leave, unless it takes too many.
double Forecast::step_of(double interval, double stay) {
    const double length = in_seconds(scenario_.arrive) +
                          static_cast<double>(scenario_.crowd) / throughput(scenario_) + interval +
                          stay;
    const double least = length / static_cast<double>(steps_max);
    const double wanted = stay > 0 ? std::min(interval, stay / steps_per_stay) : interval;
    // Calls and departures happen at multiples of the greatest common divisor.
    const double common =
        in_seconds(Millis{std::gcd(scenario_.interval.count, scenario_.stay.count)});
    is_exact_ = common >= least;
    if (is_exact_) return common / std::min(std::ceil(common / wanted), std::floor(common / least));
    return interval >= least ? interval / std::floor(interval / least) : least;
}

// A limit for more than one stay must not let anybody in too early: with whole people it is
// rounded up and a place goes in when all of it has; with a rate it is rounded down.
std::size_t Forecast::steps_in(double span) const {
    const double steps = span / step_;
    const double whole = is_whole_ ? std::ceil(steps - hair) : std::floor(steps + hair);
    return static_cast<std::size_t>(std::max(1.0, whole));
}

// How many people these are. With a rate the first goes in at once, not after the first gap.
double Forecast::gone(double went_in) const {
    return is_whole_ ? std::floor(went_in + hair) : std::ceil(went_in - hair);
}

double Forecast::came_by(double at) const {
    const auto crowd = static_cast<double>(scenario_.crowd);
    if (scenario_.arrive <= Millis{0}) return crowd;
    // The first comes at the beginning, not after the first gap.
    return std::min(crowd, crowd * at / in_seconds(scenario_.arrive) + 1);
}

// How many went in during the steps `from` to `to`, without the last.
double Forecast::went_in_between(std::size_t from, std::size_t to) const {
    if (from >= to) return 0;
    return went_in_[to - 1] - (from > 0 ? went_in_[from - 1] : 0);
}

double Forecast::comes_at(std::int64_t place) const {
    return in_seconds(scenario_.arrive) * static_cast<double>(place - 1) /
           static_cast<double>(scenario_.crowd);
}

double Forecast::goes_in_at(std::int64_t place) const {
    CHECK(place >= 1 && place <= scenario_.crowd);
    const auto found = std::partition_point(went_in_.begin(), went_in_.end(), [&](double went_in) {
        return gone(went_in) < static_cast<double>(place);
    });
    const auto at = std::min<std::ptrdiff_t>(found - went_in_.begin(),
                                             static_cast<std::ptrdiff_t>(went_in_.size()) - 1);
    return static_cast<double>(at) * step_;
}

double Forecast::wait_seconds(std::int64_t place) const {
    return std::max(0.0, goes_in_at(place) - comes_at(place));
}

double Forecast::wait_quantile(double part) const {
    constexpr std::int64_t samples_max = 1'000;
    const std::int64_t samples = std::min(samples_max, scenario_.crowd);
    std::vector<double> waits;
    for (std::int64_t i = 1; i <= samples; ++i) {
        const double place = static_cast<double>(scenario_.crowd) * static_cast<double>(i) /
                             static_cast<double>(samples);
        waits.push_back(wait_seconds(static_cast<std::int64_t>(std::llround(place))));
    }
    std::sort(waits.begin(), waits.end());
    const double at = std::ceil(part * static_cast<double>(samples));
    return waits[static_cast<std::size_t>(std::clamp(at, 1.0, static_cast<double>(samples))) - 1];
}

// In each step the first place to go in has waited longest. Where a stay or a window is no whole
// number of steps, a place may go in one stay or one step too early.
double Forecast::wait_max() const {
    double longest = 0;
    std::int64_t before = 0;
    for (std::size_t now = 0; now < went_in_.size() && before < scenario_.crowd; ++now) {
        const auto in = static_cast<std::int64_t>(gone(went_in_[now]));
        if (in > before)
            longest = std::max(longest, static_cast<double>(now) * step_ - comes_at(before + 1));
        before = in;
    }
    if (is_exact_) return longest;
    if (is_limited_by_capacity(scenario_))
        return longest + step_ * static_cast<double>(stay_steps_);
    return window_steps_ > 1 ? longest : longest + step_;
}

std::vector<Forecast::Moment> Forecast::moments(std::size_t count) const {
    CHECK(count >= 2);
    std::vector<Moment> result;
    const std::size_t last = went_in_.size() - 1;
    const std::size_t wanted = std::min(count, went_in_.size());
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::size_t now = wanted == 1 ? last : last * i / (wanted - 1);
        const double at = static_cast<double>(now) * step_;
        result.push_back({.at_seconds = at, .waiting = std::max(0.0, came_by(at) - went_in_[now])});
    }
    return result;
}

// poll_after_seconds() depends on the number ahead and is constant over long stretches: a binary
// search finds their ends.
double polls_per_second(const System& system, std::uint64_t waiting) {
    const std::uint64_t first = system.first_place;
    const std::uint64_t end = first + waiting;
    double sum = 0;
    for (std::uint64_t from = first; from < end;) {
        const std::int64_t every = system.poll_after_seconds(from);
        std::uint64_t same = from, other = end;
        while (other - same > 1) {
            const std::uint64_t middle = same + (other - same) / 2;
            (system.poll_after_seconds(middle) == every ? same : other) = middle;
        }
        sum += static_cast<double>(other - from) / static_cast<double>(every);
        from = other;
    }
    return sum;
}

} // namespace anteroom::plan
