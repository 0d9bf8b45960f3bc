// RoomCounters: what happened to a room's visitors since the start of this process, for /metrics.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/fact.h"
#include "service/wait_probes.h"

namespace anteroom {

struct RoomCounters {
    void note(const Fact& fact);
    void note_poll() { polls.fetch_add(1, std::memory_order_relaxed); }
    // The visitor was told this waiting time; it is compared with the call.
    void note_wait(Number number, std::int64_t seconds, Instant now) {
        probes_.tell(number, seconds, now);
    }

    std::atomic<std::uint64_t> joined{0};
    std::atomic<std::uint64_t> called{0};
    std::atomic<std::uint64_t> missed{0}; // Calls that were not claimed and are not the end.
    std::atomic<std::uint64_t> finished{0};
    std::atomic<std::uint64_t> left{0};
    std::atomic<std::uint64_t> expired{0};
    std::atomic<std::uint64_t> polls{0};
    // The error of the waiting times told, in seconds: sum and count of |told - true|.
    std::atomic<std::uint64_t> wait_error_seconds{0};
    std::atomic<std::uint64_t> wait_error_count{0};

  private:
    WaitProbes probes_;
};

} // namespace anteroom
