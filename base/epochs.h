// Epochs: when may memory that a writer has unlinked be destroyed? When no reader can still hold
// it.
//
// A reader thread owns a slot. Offline, it holds nothing and is not waited for: so it goes offline
// before it blocks. Online, it says once per turn of its loop that it has let go of everything it
// found. The writer retires what it has unlinked and reclaims what every online reader has since
// let go of.
//
// Threads: one writer (retire, reclaim); each slot belongs to one reader at a time. No locks. A
// reader writes only its own cache line, and reads one that changes only when something is retired.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <utility>

#include "base/check.h"

namespace anteroom {

// Bundle: movable; its destructor frees the memory.
template <class Bundle>
class Epochs {
  public:
    explicit Epochs(std::size_t slots) : slot_count_(slots), slots_(new Slot[slots]) {}
    // REQUIRES: every slot is offline.
    ~Epochs() {
        for (std::size_t slot = 0; slot < slot_count_; ++slot) CHECK(!is_online(slot));
    }
    Epochs(const Epochs&) = delete;
    Epochs& operator=(const Epochs&) = delete;

    // Reader. Slots start offline. REQUIRES: offline.
    void online(std::size_t slot) {
        CHECK(!is_online(slot));
        // An exchange, which meets the one in epoch_of() in one order: either the writer sees
        // this reader, or this reader sees everything that the writer has unlinked before.
        passed(slot).exchange(current_.load(std::memory_order_acquire), std::memory_order_acq_rel);
    }

    // Reader. Nothing that was found before is used after. REQUIRES: online.
    void quiescent(std::size_t slot) {
        CHECK(is_online(slot));
        passed(slot).store(current_.load(std::memory_order_acquire), std::memory_order_release);
    }

    // Reader. Holds nothing until it is online again. REQUIRES: online.
    void offline(std::size_t slot) {
        CHECK(is_online(slot));
        passed(slot).store(nowhere, std::memory_order_release);
    }

    // Writer. REQUIRES: nobody can find the memory any more who does not hold it already.
    void retire(Bundle bundle) {
        const std::uint64_t epoch = current_.load(std::memory_order_relaxed);
        pending_.emplace_back(epoch, std::move(bundle));
        current_.store(epoch + 1, std::memory_order_release);
    }

    // Writer. Destroys what every reader has passed; says how many bundles that were.
    std::size_t reclaim() {
        if (pending_.empty()) return 0;
        std::uint64_t passed_by_all = current_.load(std::memory_order_relaxed);
        for (std::size_t slot = 0; slot < slot_count_; ++slot)
            if (const std::uint64_t epoch = epoch_of(slot); epoch < passed_by_all)
                passed_by_all = epoch;
        std::size_t count = 0;
        for (; !pending_.empty() && pending_.front().first < passed_by_all; ++count)
            pending_.pop_front();
        return count;
    }

    // Writer. How many bundles wait for their readers.
    std::size_t pending() const { return pending_.size(); }

  private:
    static constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::size_t cache_line = 64;
    struct alignas(cache_line) Slot {
        std::atomic<std::uint64_t> passed{
            nowhere}; // What was retired in earlier epochs is let go of.
    };

    std::atomic<std::uint64_t>& passed(std::size_t slot) const {
        CHECK(slot < slot_count_);
        return slots_[slot].passed;
    }
    bool is_online(std::size_t slot) const {
        return passed(slot).load(std::memory_order_relaxed) != nowhere;
    }
    std::uint64_t epoch_of(std::size_t slot) const {
        const std::uint64_t epoch = passed(slot).load(std::memory_order_acquire);
        if (epoch != nowhere) return epoch;
        return passed(slot).fetch_add(0, std::memory_order_acq_rel); // See online().
    }

    const std::size_t slot_count_;
    const std::unique_ptr<Slot[]> slots_;
    alignas(cache_line) std::atomic<std::uint64_t> current_{0};
    alignas(cache_line) std::deque<std::pair<std::uint64_t, Bundle>> pending_;
};

} // namespace anteroom
