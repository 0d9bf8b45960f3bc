// Unsettled: which visitors of a room have facts that are not durable yet, and how many commands
// wait for durability.
//
// A store changes the room first and the disk a moment later. What the room says of a visitor in
// between (called, inside, over) must not leave the process; of everybody else it may. A few
// counters by number tell them apart without a lock: two visitors may share one, and then one of
// them waits for the other's disk write, which costs a moment and nothing else.
//
// Threads: changing, note, changed and wait while the room is held for writing; settled and
// end_waiting by the store; covers, covers_outer and has_waiting by any thread. A reader calls
// covers() after it has read the room: a reader that saw the change also sees changing_ or the
// counters.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <variant>

#include "base/overload.h"
#include "engine/fact.h"

namespace anteroom {

class Unsettled {
  public:
    // Around every change of the room: changing, note what happened, changed.
    void changing() { changing_.store(true, std::memory_order_release); }
    void note(std::span<const Fact> facts) { add(facts, 1); }
    void changed() { changing_.store(false, std::memory_order_release); }
    // Those facts are durable now.
    void settled(std::span<const Fact> facts) { add(facts, -1); }

    // Commands whose outcome waits until the store has written.
    void wait() { waiting_.fetch_add(1); }
    void end_waiting(std::uint32_t commands = 1) { waiting_.fetch_sub(commands); }
    bool has_waiting() const { return waiting_.load() > 0; }

    // True: a fact of the outer line is not durable yet.
    bool covers_outer() const {
        return changing_.load(std::memory_order_acquire) ||
               outer_.load(std::memory_order_acquire) != 0;
    }
    bool covers(Number number) const {
        return changing_.load(std::memory_order_acquire) ||
               everybody_.load(std::memory_order_acquire) != 0 ||
               counters_[slot(number)].load(std::memory_order_acquire) != 0;
    }

  private:
    static constexpr std::size_t slots = 256;
    static std::size_t slot(Number number) { return number % slots; }

    void add(std::span<const Fact> facts, int change) {
        for (const Fact& fact : facts)
            std::visit([&](const auto& f) { add(f, change); }, fact.what);
    }
    // To wait, or to be on the way out with a way back, is nothing that anybody relies on.
    void add(const Joined&, int) {}
    void add(const Leaving&, int) {}
    void add(const Returned&, int) {}
    void add(const NumberTaken&, int) {}
    void add(const Advanced&, int change) { outer_.fetch_add(change); }
    void add(const Activated&, int change) { outer_.fetch_add(change); }
    void add(const Deactivated&, int change) { outer_.fetch_add(change); }
    void add(const Cleared&, int change) { everybody_.fetch_add(change); }
    template <class F>
    void add(const F& fact, int change) {
        if constexpr (requires { fact.number; }) counters_[slot(fact.number)].fetch_add(change);
    }

    std::atomic<bool> changing_{false};
    std::atomic<std::uint32_t> waiting_{0};
    std::atomic<std::int32_t> everybody_{0};
    std::atomic<std::int32_t> outer_{0};
    std::array<std::atomic<std::int32_t>, slots> counters_{};
};

} // namespace anteroom
