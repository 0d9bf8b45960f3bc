// What system T's dashboards ask for: counted here, told by /metrics. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace anteroom::tacos {

enum class Operation : std::uint8_t { join, status, enter, leave, verify };
inline constexpr std::array operation_names{"join", "status", "enter", "leave", "verify"};

// How long the visitors who entered one event had waited.
struct WaitHistogram {
    static constexpr std::array<std::int64_t, 10> bounds{1,   5,   10,  30,    60,
                                                         120, 300, 600, 1'200, 1'800};
    std::array<std::uint64_t, bounds.size() + 1> counts{}; // The last: longer.
    std::int64_t sum_seconds = 0;
    std::uint64_t count = 0;
    // The numbers of the last ones: two calls of one visitor that are under way at the same time
    // both find that the visitor was not inside before.
    std::array<std::uint64_t, 64> last{};
};

class Figures {
  public:
    void note(Operation operation, bool succeeded) {
        operations_[static_cast<std::size_t>(operation)][succeeded].fetch_add(
            1, std::memory_order_relaxed);
    }
    std::uint64_t operations(Operation operation, bool succeeded) const {
        return operations_[static_cast<std::size_t>(operation)][succeeded].load(
            std::memory_order_relaxed);
    }
    // By the room's index and the visitor's number; once for each visitor. Beyond `events_max`
    // rooms nothing is noted of new ones.
    void note_wait(std::uint32_t room, std::uint64_t number, std::int64_t seconds);
    // Those of these rooms, in the same order; those of others are forgotten.
    std::vector<WaitHistogram> waits(const std::vector<std::uint32_t>& rooms);

    std::atomic<std::uint64_t> dropped{0};               // Over the limit of their address.
    std::atomic<std::uint64_t> replayed{0}, executed{0}; // Calls with an Idempotency-Key.

  private:
    static constexpr std::size_t events_max = 4'096;
    std::array<std::array<std::atomic<std::uint64_t>, 2>, operation_names.size()> operations_{};
    std::mutex mutex_;
    std::map<std::uint32_t, WaitHistogram> waits_; // Guarded by mutex_.
};

} // namespace anteroom::tacos
