// How soon a client of system U should ask again: near the front often, far behind seldom. The
// figures are the original's; its clients rely on them.
#pragma once

#include <cstdint>

namespace anteroom::urr {

// Tier 1: `ahead` numbers must still be released.
constexpr std::int64_t outer_poll_seconds(std::uint64_t ahead) {
    if (ahead <= 500) return 2;
    if (ahead <= 2'000) return 5;
    return ahead <= 10'000 ? 10 : 15;
}

// Tier 2: positions start at 1; position 0 is inside.
constexpr std::int64_t inner_poll_seconds(std::uint64_t position) {
    if (position == 0) return 3;
    if (position <= 1'000) return 1;
    if (position <= 5'000) return 5;
    if (position <= 10'000) return 10;
    return position <= 100'000 ? 30 : 60;
}

} // namespace anteroom::urr
