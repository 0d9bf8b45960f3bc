// Time as values: Millis is a span, Instant a point. Neither reads a clock.
//
// An Instant counts milliseconds from an origin that its owner chose; the engine only compares and
// subtracts. Both saturate instead of overflowing, so that "for ever" can be added to anything.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace anteroom {

struct Millis {
    std::int64_t count = 0;
    friend constexpr auto operator<=>(Millis, Millis) = default;
};

struct Instant {
    std::int64_t ms = 0;
    friend constexpr auto operator<=>(Instant, Instant) = default;
};

constexpr Instant instant_min{std::numeric_limits<std::int64_t>::min()};
constexpr Instant instant_max{std::numeric_limits<std::int64_t>::max()};

constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b > 0 ? instant_max.ms : instant_min.ms;
}

// Not saturating_add(a, -b): the smallest number has no negative.
constexpr std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) return difference;
    return b < 0 ? instant_max.ms : instant_min.ms;
}

constexpr std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(a, b, &product)) return product;
    return (a > 0) == (b > 0) ? instant_max.ms : instant_min.ms;
}

constexpr Millis operator+(Millis a, Millis b) {
    return Millis{saturating_add(a.count, b.count)};
}
constexpr Instant operator+(Instant at, Millis span) {
    return Instant{saturating_add(at.ms, span.count)};
}
constexpr Instant operator-(Instant at, Millis span) {
    return Instant{saturating_subtract(at.ms, span.count)};
}
constexpr Millis operator-(Instant later, Instant earlier) {
    return Millis{saturating_subtract(later.ms, earlier.ms)};
}

constexpr Millis seconds(std::int64_t count) {
    return Millis{saturating_multiply(count, 1'000)};
}
constexpr Millis minutes(std::int64_t count) {
    return Millis{saturating_multiply(count, 60'000)};
}
constexpr Millis hours(std::int64_t count) {
    return Millis{saturating_multiply(count, 3'600'000)};
}

} // namespace anteroom
