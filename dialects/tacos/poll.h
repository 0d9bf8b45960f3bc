// How soon clients of system T ask again, as its documents tell them.
#pragma once

#include <cstdint>

namespace anteroom::tacos {

// `ahead` visitors stand before.
constexpr std::int64_t poll_after_seconds(std::uint64_t ahead) {
    return ahead <= 100 ? 2 : 5;
}

} // namespace anteroom::tacos
