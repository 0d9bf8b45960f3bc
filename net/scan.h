// Text eight or sixteen bytes at a time: what every request goes through, and its headers several
// times.
//
// Says the same as reading byte by byte with text.h (scan_test.cpp compares them).
#pragma once

#if defined(__SSE2__) // Every x86-64 has it; other processors read words.
#include <emmintrin.h>
#endif

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

#if defined(__SSE2__)

inline constexpr std::size_t block_bytes = sizeof(__m128i);

inline __m128i load_block(const char* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

// One bit for each byte of the block that equals `byte`.
inline unsigned equal_bytes(__m128i block, char byte) {
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(byte))));
}

// One bit for each byte that may not stand in the value of a header.
inline unsigned forbidden_bytes(__m128i block) {
    const __m128i below_space = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
    const __m128i tab = _mm_cmpeq_epi8(block, _mm_set1_epi8('\t'));
    const __m128i is_delete = _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f));
    const __m128i forbidden = _mm_or_si128(_mm_andnot_si128(tab, below_space), is_delete);
    return static_cast<unsigned>(_mm_movemask_epi8(forbidden));
}

#endif

} // namespace detail

// Where `byte` first stands from `from` on, or npos: find() without a call, for lines and words.
inline std::size_t find_byte(std::string_view text, char byte, std::size_t from = 0) {
#if defined(__SSE2__)
    for (; from + detail::block_bytes <= text.size(); from += detail::block_bytes) {
        const unsigned found = detail::equal_bytes(detail::load_block(text.data() + from), byte);
        if (found != 0) return from + static_cast<std::size_t>(std::countr_zero(found));
    }
    if (text.size() >= detail::block_bytes && from < text.size()) {
        // The last block looks at some bytes again.
        const std::size_t last = text.size() - detail::block_bytes;
        const unsigned found =
            detail::equal_bytes(detail::load_block(text.data() + last), byte) >> (from - last);
        if (found == 0) return std::string_view::npos;
        return from + static_cast<std::size_t>(std::countr_zero(found));
    }
    for (; from < text.size(); ++from) {
        if (text[from] == byte) return from;
    }
    return std::string_view::npos;
#else
    return text.find(byte, from);
#endif
}

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
#if defined(__SSE2__)
    for (; at + detail::block_bytes <= text.size(); at += detail::block_bytes) {
        const unsigned found = detail::forbidden_bytes(detail::load_block(text.data() + at));
        if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found));
    }
#endif
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
