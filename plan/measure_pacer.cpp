#include "plan/measure_pacer.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace anteroom::plan {

MeasurePacer::MeasurePacer(double rate_max, Millis step)
    : per_second_max_(static_cast<std::int64_t>(std::ceil(rate_max))), step_(step) {
    CHECK(rate_max > 0 && step > Millis{0});
}

void MeasurePacer::begin(double rate, Instant now) {
    rate_ = rate;
    began_ = now;
    all_ = due_by(step_);
    passed_ = 0;
    lost_ = 0;
}

std::int64_t MeasurePacer::take(Instant now) {
    const Millis elapsed = now - began_;
    const std::int64_t too_late = due_by(Millis{elapsed.count - late_max.count});
    if (too_late > passed_) {
        lost_ += too_late - passed_;
        passed_ = too_late;
    }
    // Calls above per_second_max_ stay due until the next take().
    const std::int64_t count = std::clamp<std::int64_t>(due_by(elapsed) - passed_, 0, allowed(now));
    passed_ += count;
    sent_.insert(sent_.end(), static_cast<std::size_t>(count), now);
    return count;
}

std::int64_t MeasurePacer::due_by(Millis elapsed) const {
    const Millis within{std::clamp<std::int64_t>(elapsed.count, 0, step_.count)};
    return std::llround(rate_ * static_cast<double>(within.count) / 1e3);
}

std::int64_t MeasurePacer::allowed(Instant now) {
    while (!sent_.empty() && now - sent_.front() >= seconds(1)) sent_.pop_front();
    return per_second_max_ - static_cast<std::int64_t>(sent_.size());
}

} // namespace anteroom::plan
