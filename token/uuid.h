// UUIDs (RFC 9562) whose 122 free bits we fill: version 4, because they look random.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "token/bytes.h"

namespace anteroom::token {

using UuidText = FixedText<36>;

struct Uuid {
    static constexpr std::uint64_t version_bits = 0x4000;
    static constexpr std::uint64_t variant_bits = 1ull << 63;

    // `front` has 60 bits and `back` 62.
    static constexpr Uuid of(std::uint64_t front, std::uint64_t back) {
        return {front >> 12 << 16 | version_bits | (front & 0xfff), variant_bits | back};
    }
    constexpr std::uint64_t front() const { return high >> 16 << 12 | (high & 0xfff); }
    constexpr std::uint64_t back() const { return low & ~(3ull << 62); }

    UuidText text() const;
    // In small letters only: one UUID, one spelling. Nothing: it is none, or none of version 4.
    static std::optional<Uuid> read(std::string_view text);

    std::uint64_t high = 0;
    std::uint64_t low = 0;
};

} // namespace anteroom::token
