// Seen: a visitor's last sign of life and what the doorman made of its absence, in one word.
//
//   at            when the visitor was last seen
//   told          how soon they were told to ask again; 0: they were told nothing
//   passed_over   the doorman found them absent: they are not among those who may be called
//   awaited       they missed a call: only a request of their own brings them back, an open
//                 stream does not
//
// All of it is soft state. One word, so that a reader's sign of life and the doorman's "absent"
// cannot miss each other: each changes the word only if it is still the one that it looked at.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace anteroom {

struct Seen {
    Instant at = instant_min;
    Millis told{0};
    bool passed_over = false;
    bool awaited = false;

    // 46 bits of milliseconds (a thousand years to either side), 16 bits of seconds, two flags.
    std::uint64_t pack() const {
        const std::int64_t ms = std::clamp(at.ms, -at_max, at_max);
        const std::int64_t seconds = std::clamp<std::int64_t>(told.count / 1'000, 0, told_max);
        return static_cast<std::uint64_t>(ms) << 18 | static_cast<std::uint64_t>(seconds) << 2 |
               std::uint64_t{passed_over} << 1 | std::uint64_t{awaited};
    }
    static Seen unpack(std::uint64_t word) {
        return {.at = Instant{static_cast<std::int64_t>(word) >> 18},
                .told = seconds(static_cast<std::int64_t>(word >> 2 & told_max)),
                .passed_over = (word >> 1 & 1) != 0,
                .awaited = (word & 1) != 0};
    }

  private:
    static constexpr std::int64_t at_max = (std::int64_t{1} << 45) - 1;
    static constexpr std::int64_t told_max = 0xffff;
};

} // namespace anteroom
