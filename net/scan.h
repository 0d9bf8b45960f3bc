// Text eight bytes at a time: what every request goes through, and its headers several times.
//
// Says the same as reading byte by byte with text.h (scan_test.cpp compares them).
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

// The top bit of every byte that is below 0x20, or 0x7f.
constexpr std::uint64_t control_bytes(std::uint64_t word) {
    const std::uint64_t low = word & in_every_byte(0x7f); // A sum stays in its byte.
    const std::uint64_t from_space = low + in_every_byte(0x80 - 0x20);
    const std::uint64_t is_delete = low + in_every_byte(0x80 - 0x7f);
    return (~from_space | is_delete) & ~word & in_every_byte(0x80);
}

constexpr std::uint64_t to_lower(std::uint64_t word) {
    const std::uint64_t low = word & in_every_byte(0x7f); // A sum stays in its byte.
    const std::uint64_t from_a = low + in_every_byte(0x80 - 'A');
    const std::uint64_t above_z = low + in_every_byte(0x80 - ('Z' + 1));
    const std::uint64_t is_upper = (from_a ^ above_z) & ~word & in_every_byte(0x80);
    return word | is_upper >> 2; // 0x80 becomes 0x20.
}

inline std::uint64_t load_word(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

} // namespace detail

// REQUIRES: lower is in lower case.
inline bool equals_lower(std::string_view text, std::string_view lower) {
    constexpr std::size_t width = sizeof(std::uint64_t);
    if (text.size() != lower.size()) return false;
    const char* a = text.data();
    const char* b = lower.data();
    std::size_t rest = text.size();
    if (rest < width) {
        for (; rest > 0; --rest) {
            if (to_lower(*a++) != *b++) return false;
        }
        return true;
    }
    for (; rest > width; rest -= width, a += width, b += width) {
        if (detail::to_lower(detail::load_word(a)) != detail::load_word(b)) return false;
    }
    // The last word may look at some bytes again.
    a = a + rest - width;
    b = b + rest - width;
    return detail::to_lower(detail::load_word(a)) == detail::load_word(b);
}

// How many bytes at the front may stand in the value of a header.
inline std::size_t value_length(std::string_view text) {
    std::size_t at = 0;
    if constexpr (std::endian::native == std::endian::little) {
        while (text.size() - at >= sizeof(std::uint64_t)) {
            const std::uint64_t controls =
                detail::control_bytes(detail::load_word(text.data() + at));
            if (controls == 0) {
                at += sizeof controls;
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
