// WindowLimiter: at most so many calls of one client in any 60 seconds.
//
// Counts by seconds: the oldest second counts as a whole until it has left the window, so the limit
// is never exceeded, and a client may be held back for up to a second longer than exact counting
// would. A call that is refused does not count.
//
// Bounded: clients without a call in the window are forgotten; when there is no room for a new one,
// it is refused rather than let through unmeasured. Any thread.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/time.h"

namespace anteroom {

class WindowLimiter {
  public:
    static constexpr std::int64_t window_seconds = 60;
    static constexpr std::uint32_t limit_max = 60'000; // What the counters can hold.

    // 0: no limit. REQUIRES: limit <= limit_max.
    explicit WindowLimiter(std::uint32_t limit) : limit_(limit) {}

    // Counts a call; otherwise says in how many seconds the next one may be made.
    std::int64_t wait_seconds(std::string_view client, Instant now);
    std::size_t clients() const;

  private:
    static constexpr std::size_t shard_count = 16;
    static constexpr std::size_t clients_max = 16'384; // Per shard.

    struct Calls {
        std::array<std::uint16_t, window_seconds + 1> by_second{};
        std::int64_t newest = 0; // The second of the last call or question.
        std::uint32_t sum = 0;
    };
    // Seeded: nobody can choose names that fall into one slot.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const {
            return std::hash<std::string_view>{}(name)*0x9e37'79b9'7f4a'7c15 ^ seed();
        }
        static std::size_t seed();
    };
    struct Shard {
        mutable std::mutex mutex;
        std::int64_t cleaned = 0;
        boost::unordered_flat_map<std::string, Calls, Hash, std::equal_to<>> clients;
    };
    static void advance(Calls& calls, std::int64_t second);
    static std::int64_t wait_of(const Calls& calls, std::uint32_t limit, std::int64_t second);
    static void forget_silent(Shard& shard, std::int64_t second);

    const std::uint32_t limit_;
    std::array<Shard, shard_count> shards_;
};

} // namespace anteroom
