// Counters that one thread writes and any thread reads.
#pragma once

#include <atomic>
#include <cstdint>

namespace anteroom {

// One writer: a plain load and store is enough, and cheaper than a locked add.
template <class T>
void add(std::atomic<T>& counter, std::int64_t change) {
    const auto now = static_cast<std::int64_t>(counter.load(std::memory_order_relaxed));
    counter.store(static_cast<T>(now + change), std::memory_order_release);
}

} // namespace anteroom
