#include "service/window_limiter.h"

#include <random>

namespace anteroom {

std::size_t WindowLimiter::Hash::seed() {
    static const std::size_t value = std::random_device{}();
    return value;
}

// What lies behind the window is over.
void WindowLimiter::advance(Calls& calls, std::int64_t second) {
    if (second <= calls.newest) return;
    if (second - calls.newest > window_seconds) {
        calls = {.newest = second};
        return;
    }
    while (calls.newest < second) {
        std::uint16_t& slot =
            calls.by_second[static_cast<std::size_t>(++calls.newest % (window_seconds + 1))];
        calls.sum -= slot;
        slot = 0;
    }
}

// Until enough of the oldest calls have left the window.
std::int64_t WindowLimiter::wait_of(const Calls& calls, std::uint32_t limit, std::int64_t second) {
    std::uint32_t left = calls.sum;
    for (std::int64_t oldest = calls.newest - window_seconds; oldest <= calls.newest; ++oldest) {
        if (oldest < 0) continue;
        left -= calls.by_second[static_cast<std::size_t>(oldest % (window_seconds + 1))];
        if (left < limit) return std::max<std::int64_t>(1, oldest + window_seconds + 1 - second);
    }
    return window_seconds;
}

void WindowLimiter::forget_silent(Shard& shard, std::int64_t second) {
    if (shard.cleaned == second) return; // Looking through all of them is for once a second.
    shard.cleaned = second;
    boost::unordered::erase_if(shard.clients, [&](const auto& client) {
        return second - client.second.newest > window_seconds;
    });
}

std::int64_t WindowLimiter::wait_seconds(std::string_view client, Instant now) {
    if (limit_ == 0) return 0;
    const std::int64_t second = now.ms / 1'000;
    const std::size_t hash = Hash{}(client);
    Shard& shard = shards_[(hash >> 40) % shard_count];
    const std::lock_guard lock(shard.mutex);
    auto found = shard.clients.find(client);
    if (found == shard.clients.end()) {
        if (shard.clients.size() >= clients_max) forget_silent(shard, second);
        if (shard.clients.size() >= clients_max) return 1;
        found = shard.clients.emplace(std::string(client), Calls{.newest = second}).first;
    }
    Calls& calls = found->second;
    advance(calls, second);
    if (calls.sum >= limit_) return wait_of(calls, limit_, calls.newest);
    ++calls.by_second[static_cast<std::size_t>(calls.newest % (window_seconds + 1))];
    ++calls.sum;
    return 0;
}

std::size_t WindowLimiter::clients() const {
    std::size_t count = 0;
    for (const Shard& shard : shards_) {
        const std::lock_guard lock(shard.mutex);
        count += shard.clients.size();
    }
    return count;
}

} // namespace anteroom
