// UnixSeconds: a point of wall time as passes and key files write it.
//
// Only the service reads the clock; here it is always an argument.
#pragma once

#include <compare>
#include <cstdint>

#include "base/time.h"

namespace anteroom::token {

struct UnixSeconds {
    std::int64_t count = 0;
    friend constexpr auto operator<=>(UnixSeconds, UnixSeconds) = default;
};

// The end of the year 9999: what lies behind it is a mistake or an attack, and never overflows.
inline constexpr UnixSeconds unix_seconds_max{253'402'300'799};

constexpr UnixSeconds operator+(UnixSeconds at, Millis span) {
    return UnixSeconds{saturating_add(at.count, span.count / 1'000)};
}

} // namespace anteroom::token
