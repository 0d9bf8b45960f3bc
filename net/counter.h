// Counter: a number that one thread writes and any thread reads, for metrics. No lock, no fence.
#pragma once

#include <atomic>
#include <cstdint>

namespace anteroom::net {

class Counter {
  public:
    void add(std::int64_t n = 1) {
        value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::int64_t> value_{0};
};

} // namespace anteroom::net
