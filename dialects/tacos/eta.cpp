#include "dialects/tacos/eta.h"

#include <algorithm>

namespace anteroom::tacos {
namespace {

constexpr std::int64_t eta_min = 1;
constexpr std::int64_t eta_max = 600;
constexpr double unmeasured_each = 2;

} // namespace

std::int64_t eta_seconds(std::uint64_t position, double pace, Millis least) {
    const auto places = static_cast<double>(position);
    if (pace <= 0)
        return static_cast<std::int64_t>(std::min(places * unmeasured_each, double{eta_max}));
    const auto by_pace = static_cast<std::int64_t>(std::min(places / pace, double{eta_max}));
    return std::clamp(std::max(by_pace, least.count / 1'000), eta_min, eta_max);
}

} // namespace anteroom::tacos
