// Scanning text eight bytes at a time: what every byte of a request goes through.
//
// Says the same as the table of text.h, byte for byte (scan_test.cpp compares them).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "net/text.h"

namespace anteroom::net {

namespace detail {

constexpr std::uint64_t in_every_byte(std::uint8_t value) {
    return 0x0101'0101'0101'0101ull * value;
}

// The top bit of the lowest byte that is below 0x20 or 0x7f; higher ones may be set by mistake.
constexpr std::uint64_t control_bytes(std::uint64_t word) {
    constexpr std::uint64_t top = in_every_byte(0x80);
    const std::uint64_t below_space = (word - in_every_byte(0x20)) & ~word;
    const std::uint64_t deletes = word ^ in_every_byte(0x7f);
    const std::uint64_t is_delete = (deletes - in_every_byte(1)) & ~deletes;
    return (below_space | is_delete) & top;
}

} // namespace detail

// How many bytes at the front may stand in the value of a header.
inline std::size_t value_length(std::string_view text) {
    std::size_t at = 0;
    if constexpr (std::endian::native == std::endian::little) {
        while (text.size() - at >= sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + at, sizeof word);
            const std::uint64_t controls = detail::control_bytes(word);
            if (controls == 0) {
                at += sizeof word;
                continue;
            }
            at += static_cast<std::size_t>(std::countr_zero(controls)) / 8;
            if (text[at] != '\t') return at;
            ++at;
        }
    }
    while (at < text.size() && is(text[at], in_value)) ++at;
    return at;
}

inline bool is_value(std::string_view text) {
    return value_length(text) == text.size();
}

} // namespace anteroom::net
