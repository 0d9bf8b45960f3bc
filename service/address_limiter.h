// AddressLimiter: a token bucket per client address, so that one address cannot take all the
// places.
//
// Bounded: addresses that have a full bucket again are forgotten; when there is no room for a new
// one, it is refused rather than let through unmeasured.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <mutex>

#include "base/time.h"
#include "net/ip_address.h"

namespace anteroom {

class AddressLimiter {
  public:
    // So many at once, so many per second in the long run; 0 per second: no limit.
    AddressLimiter(double burst, double per_second) : burst_(burst), per_second_(per_second) {}

    struct Taken {
        std::int64_t wait_seconds = 0; // 0: one was taken.
        std::int64_t left = 0;         // So many more may be taken at once.
    };
    // Takes one; otherwise says in how many seconds there will be one.
    Taken take(const net::IpAddress& address, Instant now);
    std::int64_t wait_seconds(const net::IpAddress& address, Instant now) {
        return take(address, now).wait_seconds;
    }
    bool is_on() const { return per_second_ > 0; }

  private:
    static constexpr std::size_t shard_count = 16;
    static constexpr std::size_t addresses_max = 65'536; // Per shard.
    struct Bucket {
        double level = 0;
        Instant at;
    };
    // Seeded: nobody can choose addresses that fall into one slot.
    struct Hash {
        std::size_t operator()(const net::IpAddress& address) const {
            std::size_t hash = seed();
            for (const std::uint8_t byte : address.bytes)
                hash = (hash ^ byte) * 0x9e37'79b9'7f4a'7c15;
            return hash ^ (hash >> 32);
        }
        static std::size_t seed();
    };
    struct Shard {
        std::mutex mutex;
        Instant cleaned = instant_min; // Looking through all of them is for once a second.
        boost::unordered_flat_map<net::IpAddress, Bucket, Hash> buckets;
    };
    void forget_full(Shard& shard, Instant now) const;

    const double burst_;
    const double per_second_;
    std::array<Shard, shard_count> shards_;
};

} // namespace anteroom
