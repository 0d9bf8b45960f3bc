#include "service/address_limiter.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace anteroom {

std::size_t AddressLimiter::Hash::seed() {
    static const std::size_t seed =
        std::size_t{std::random_device{}()} << 32 | std::random_device{}();
    return seed;
}

AddressLimiter::Taken AddressLimiter::take(const net::IpAddress& address, Instant now) {
    if (!is_on()) return {};
    Shard& shard = shards_[Hash{}(address) % shard_count];
    const std::lock_guard lock(shard.mutex);
    if (shard.buckets.size() >= addresses_max && !shard.buckets.contains(address)) {
        forget_full(shard, now);
        if (shard.buckets.size() >= addresses_max) return {.wait_seconds = 1};
    }
    const auto [found, fresh] = shard.buckets.try_emplace(address);
    Bucket& bucket = found->second;
    if (fresh) bucket = {.level = burst_, .at = now};
    const auto elapsed = static_cast<double>(std::max<std::int64_t>(0, (now - bucket.at).count));
    bucket.level = std::min(burst_, bucket.level + elapsed / 1e3 * per_second_);
    bucket.at = now;
    if (bucket.level >= 1) {
        bucket.level -= 1;
        return {.left = static_cast<std::int64_t>(bucket.level)};
    }
    const auto wait = std::llround(std::ceil((1 - bucket.level) / per_second_));
    return {.wait_seconds = std::max<std::int64_t>(1, wait)};
}

void AddressLimiter::forget_full(Shard& shard, Instant now) const {
    if (shard.cleaned + seconds(1) > now) return;
    shard.cleaned = now;
    const Millis refill{std::llround(burst_ / per_second_ * 1e3) + 1};
    boost::unordered::erase_if(shard.buckets,
                               [&](const auto& entry) { return entry.second.at + refill <= now; });
}

} // namespace anteroom
