// How soon a client should ask again: near the front often, far behind seldom. The tables of
// systems U, T, P and H are theirs (their clients rely on them); the first is our own.
#pragma once

#include <cstdint>

namespace anteroom {

enum class PollPolicy : std::uint8_t { native, urr_outer, urr_inner, tacos, portal, hhplus };

// `ahead` visitors stand before. urr_inner counts positions, which start at 1: position 0 is
// "inside".
constexpr std::int64_t poll_after_seconds(PollPolicy policy, std::uint64_t ahead) {
    switch (policy) {
        case PollPolicy::native:
            if (ahead <= 1'000) return 2;
            if (ahead <= 5'000) return 5;
            return ahead <= 20'000 ? 10 : 20;
        case PollPolicy::urr_outer:
            if (ahead <= 500) return 2;
            if (ahead <= 2'000) return 5;
            return ahead <= 10'000 ? 10 : 15;
        case PollPolicy::urr_inner:
            if (ahead == 0) return 3;
            if (ahead <= 1'000) return 1;
            if (ahead <= 5'000) return 5;
            if (ahead <= 10'000) return 10;
            return ahead <= 100'000 ? 30 : 60;
        case PollPolicy::tacos: return ahead <= 100 ? 2 : 5;
        case PollPolicy::portal: return 3;
        case PollPolicy::hhplus: return 1;
    }
    return 5;
}

} // namespace anteroom
