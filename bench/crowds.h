// Input of the benchmarks: crowds of which 30 % left at random, and ids of visitors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "engine/visitor.h"

namespace anteroom::bench {

using Random = std::mt19937_64;

// So many must come that `waiting` are left when 30 % have gone.
constexpr std::uint64_t arrivals_for(std::uint64_t waiting) {
    return waiting * 10 / 7;
}

// 0, 1, … with the given chance of having left.
inline std::vector<bool> departures(std::uint64_t arrivals) {
    Random random(42);
    std::vector<bool> gone(arrivals);
    for (std::uint64_t i = 0; i < arrivals; ++i) gone[i] = random() % 10 < 3;
    return gone;
}

// `count` different numbers that are still there, in random order.
inline std::vector<std::uint64_t> sample_live(const std::vector<bool>& gone, std::uint64_t count,
                                              std::uint64_t seed) {
    Random random(seed);
    std::vector<std::uint64_t> sample;
    std::vector<bool> taken(gone);
    while (sample.size() < count) {
        const std::uint64_t number = random() % gone.size();
        if (taken[number]) continue;
        taken[number] = true;
        sample.push_back(number);
    }
    return sample;
}

// An id of 36 characters, as a UUID has.
inline std::string visitor_id(std::uint64_t visitor) {
    std::string id = "00000000-0000-4000-8000-000000000000";
    for (std::size_t i = id.size(); visitor > 0; visitor /= 16) {
        if (id[--i] == '-') --i;
        id[i] = hex_digits[visitor % 16];
    }
    return id;
}

inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

// A keyed hash of the id: good enough to measure with, not the one that keeps attackers out.
inline VisitorKey key_of_id(std::string_view id) {
    std::uint64_t high = 0x243f'6a88'85a3'08d3;
    std::uint64_t low = 0x1319'8a2e'0370'7344;
    for (std::size_t at = 0; at < id.size(); at += 8) {
        std::uint64_t word = 0;
        const std::size_t end = std::min(id.size(), at + 8);
        for (std::size_t i = at; i < end; ++i) word = word << 8 | static_cast<unsigned char>(id[i]);
        high = fold_product(high ^ word, 0xa409'3822'299f'31d1);
        low = fold_product(low + word, 0x082e'fa98'ec4e'6c89 ^ high);
    }
    return {.high = fold_product(high, 0x4528'21e6'38d0'1377), .low = low ^ high};
}

inline VisitorKey visitor_key(std::uint64_t visitor) {
    return key_of_id(visitor_id(visitor));
}

} // namespace anteroom::bench
