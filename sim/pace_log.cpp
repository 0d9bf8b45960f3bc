#include "sim/pace_log.h"

#include <algorithm>

namespace anteroom::sim {
namespace {

constexpr std::int64_t one_call = 1'000'000; // In thousandths of a rate_milli and millisecond.

// The engine may remember the calls of a long window a little late (by less than a second), never
// early, and keeps what it remembers when the window becomes shorter.
constexpr std::int64_t patience_parts = 4'000;

} // namespace

void PaceLog::Window::record(Instant at) {
    calls.push_back(at);
    while (calls.front() + span <= at) calls.pop_front();
}

PaceLog::PaceLog(const Settings& settings) {
    configure(settings);
}

void PaceLog::configure(const Settings& settings) {
    if (batch_.max != settings.admit_batch || batch_.span != settings.admit_interval)
        batch_ = {.span = settings.admit_interval, .max = settings.admit_batch};
    if (rate_milli_ != settings.rate_milli) configure_rate(settings.rate_milli);
    const std::int64_t longest = std::max(batch_.span.count, rate_.span.count);
    patience_ = std::max(patience_, Millis{longest / patience_parts + 1});
}

void PaceLog::configure_rate(std::int64_t rate_milli) {
    rate_milli_ = rate_milli;
    rate_ = {};
    second_ = {};
    if (rate_milli == 0) return;
    std::int64_t span = 1'000;
    while (rate_milli * span % one_call != 0) ++span;
    rate_ = {.span = Millis{span}, .max = rate_milli * span / one_call};
    const std::int64_t burst = std::max(one_call, rate_milli * 100);
    second_ = {.span = seconds(1), .max = (rate_milli * 1'000 + burst) / one_call};
}

void PaceLog::record(Instant at, bool paced) {
    batch_.record(at);
    if (rate_milli_ > 0) rate_.record(at);
    if (rate_milli_ > 0 && paced) second_.record(at);
    all_.push_back(at);
    while (all_.front() + hours(2) <= at) all_.pop_front();
}

const char* PaceLog::fault() const {
    if (batch_.is_full()) return "more calls than a batch within one interval";
    if (rate_.is_full()) return "more calls than the rate allows in its window";
    if (second_.is_full()) return "more calls within a second than the rate allows";
    return nullptr;
}

std::int64_t PaceLog::calls_since(Instant from) const {
    return all_.end() - std::upper_bound(all_.begin(), all_.end(), from);
}

bool PaceLog::certainly_allows(Instant now) const {
    if (calls_since(now - batch_.span - patience_) >= batch_.max) return false;
    if (rate_milli_ == 0) return true;
    // What was called before this rate was set may still count.
    if (calls_since(now - rate_.span - patience_) >= rate_.max) return false;
    const Millis one_by_one{one_call / rate_milli_ + 1};
    return all_.empty() || all_.back() + one_by_one <= now;
}

} // namespace anteroom::sim
