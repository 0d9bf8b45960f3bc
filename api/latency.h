// Latency: how long it took to answer, as a histogram. One writer (the loop), any readers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace anteroom::api {

class Latency {
  public:
    static constexpr std::array<double, 8> bounds_seconds{5e-6, 1e-5, 2e-5, 5e-5,
                                                          1e-4, 1e-3, 1e-2, 1e-1};

    void note(std::int64_t ns) {
        std::size_t bucket = 0;
        while (bucket < bounds_ns.size() && ns > bounds_ns[bucket]) ++bucket;
        bump(counts_[bucket], 1);
        bump(sum_ns_, static_cast<std::uint64_t>(ns));
    }

    std::uint64_t count(std::size_t bucket) const {
        return counts_[bucket].load(std::memory_order_relaxed);
    }
    std::uint64_t sum_ns() const { return sum_ns_.load(std::memory_order_relaxed); }

  private:
    static constexpr std::array<std::int64_t, bounds_seconds.size()> bounds_ns = [] {
        std::array<std::int64_t, bounds_seconds.size()> bounds{};
        for (std::size_t i = 0; i < bounds.size(); ++i)
            bounds[i] = static_cast<std::int64_t>(bounds_seconds[i] * 1e9 + 0.5);
        return bounds;
    }();
    static void bump(std::atomic<std::uint64_t>& counter, std::uint64_t by) {
        counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
    std::array<std::atomic<std::uint64_t>, bounds_seconds.size() + 1> counts_{};
    std::atomic<std::uint64_t> sum_ns_{0};
};

} // namespace anteroom::api
