// Latency: how long it took to answer, as a histogram. One writer (the loop), any readers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace anteroom::api {

class Latency {
  public:
    static constexpr std::array<std::int64_t, 8> bounds_ns{
        5'000, 10'000, 20'000, 50'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
    static double bound_seconds(std::size_t bucket) {
        return static_cast<double>(bounds_ns[bucket]) / 1e9;
    }

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
    static void bump(std::atomic<std::uint64_t>& counter, std::uint64_t by) {
        counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
    std::array<std::atomic<std::uint64_t>, bounds_ns.size() + 1> counts_{};
    std::atomic<std::uint64_t> sum_ns_{0};
};

} // namespace anteroom::api
