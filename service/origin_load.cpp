#include "service/origin_load.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace anteroom {

double visitors_per_second(const OriginLoad& load, double margin) {
    return load.queries_per_second / (load.queries * load.calls * load.retry) * (1 - margin);
}

std::int64_t batch_of(double per_second, Millis interval) {
    constexpr double hair = 1e-6; // Quotients are not exact.
    const double count = per_second * static_cast<double>(interval.count) / 1e3;
    // Beyond what the type holds a cast is undefined.
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if (!(count < static_cast<double>(most))) return most;
    const double whole = std::round(count);
    const bool is_whole = std::abs(count - whole) <= std::max(hair, count * 1e-12);
    return static_cast<std::int64_t>(is_whole ? whole : std::floor(count));
}

} // namespace anteroom
