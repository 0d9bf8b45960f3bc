// How soon a client of the native API should ask again: near the front often, far behind seldom.
// Dialects have tables of their own, on which their clients rely.
#pragma once

#include <cstdint>

namespace anteroom {

// `ahead` visitors stand before.
constexpr std::int64_t poll_after_seconds(std::uint64_t ahead) {
    if (ahead <= 1'000) return 2;
    if (ahead <= 5'000) return 5;
    return ahead <= 20'000 ? 10 : 20;
}

} // namespace anteroom
