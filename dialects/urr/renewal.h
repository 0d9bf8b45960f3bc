// Renewal: which outer pass is in force. The same one for half of its life; then the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.h"

namespace anteroom::urr {

inline constexpr Millis outer_pass_life = minutes(10);
inline constexpr Millis renewed_after = minutes(5);
inline constexpr std::int64_t renewals_max = 12; // So long can one be on the way from tier 1 to 2.

enum class Renewals : std::uint8_t { bounded, while_inside };

// When the pass was issued that is in force now, if the first one was issued at `first`. Nothing:
// it was renewed often enough.
constexpr std::optional<Instant> issue_time(Instant first, Instant now, Renewals renewals) {
    const std::int64_t count = std::max<std::int64_t>(0, (now - first).count) / renewed_after.count;
    if (renewals == Renewals::bounded && count > renewals_max) return std::nullopt;
    return first + Millis{count * renewed_after.count};
}

} // namespace anteroom::urr
