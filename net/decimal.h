// Whole numbers in decimal digits, two at a time: a poll is answered with ten of them, and
// std::to_chars takes more than twice as many instructions.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace anteroom::net {

inline constexpr std::size_t decimal_length_max = 20;

namespace detail {

consteval std::array<char, 200> digit_pairs() {
    std::array<char, 200> pairs{};
    for (std::size_t i = 0; i < 100; ++i) {
        pairs[2 * i] = static_cast<char>('0' + i / 10);
        pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
}
inline constexpr std::array<char, 200> pairs_of_digits = digit_pairs();

// The smallest numbers of 2, 3, … digits; 0 has one digit.
consteval std::array<std::uint64_t, decimal_length_max> length_steps() {
    std::array<std::uint64_t, decimal_length_max> steps{};
    for (std::uint64_t i = 1, step = 10; i < steps.size(); ++i, step *= 10) steps[i] = step;
    return steps;
}
inline constexpr std::array<std::uint64_t, decimal_length_max> steps_of_length = length_steps();

} // namespace detail

constexpr std::size_t decimal_length(std::uint64_t number) {
    // 1233/4096 is log10(2): from the bits follows how many digits there are, or one less.
    const auto bits = static_cast<std::size_t>(std::bit_width(number | 1));
    const std::size_t guess = bits * 1'233 / 4'096;
    return guess + (number >= detail::steps_of_length[guess] ? 1 : 0);
}

// Returns the end of what was written. REQUIRES: room for decimal_length(number) characters.
inline char* write_decimal(char* at, std::uint64_t number) {
    char* const end = at + decimal_length(number);
    char* to = end;
    for (; number >= 100; number /= 100)
        std::memcpy(to -= 2, &detail::pairs_of_digits[number % 100 * 2], 2);
    if (number >= 10) {
        std::memcpy(at, &detail::pairs_of_digits[number * 2], 2);
    } else {
        *at = static_cast<char>('0' + number);
    }
    return end;
}

} // namespace anteroom::net
