// Random: the only source of chance in a simulation. The same seed gives the same world with every
// compiler and on every machine, which <random>'s distributions do not promise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "base/time.h"

namespace anteroom::sim {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    // SplitMix64: a counter and a mixing function, so that neighbouring seeds have nothing in
    // common.
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15;
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
        return z ^ (z >> 31);
    }

    // Both ends included. The bias of the remainder is below 2^-32 for what is asked here.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        const auto span = static_cast<std::uint64_t>(high - low) + 1;
        return low + static_cast<std::int64_t>(next() % span);
    }
    Millis between(Millis low, Millis high) { return Millis{between(low.count, high.count)}; }
    bool percent(std::int64_t chance) { return between(0, 99) < chance; }

    template <class T>
    T pick(std::initializer_list<T> choices) {
        return choices.begin()[between(0, static_cast<std::int64_t>(choices.size()) - 1)];
    }

    // Mostly shorter than `mean`, sometimes much longer: halved or doubled by the toss of a coin.
    Millis around(Millis mean) {
        std::int64_t span = std::max<std::int64_t>(1, mean.count / 2);
        while (span < mean.count * 8 && percent(40)) span *= 2;
        return Millis{between(span / 2, span * 2)};
    }

  private:
    std::uint64_t state_;
};

} // namespace anteroom::sim
