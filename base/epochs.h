// Epochs: when may memory that a writer has unlinked be destroyed? When no reader can still hold
// it.
//
// A reader thread owns a slot. Offline, it holds no pointers and the writer does not wait for it,
// so it goes offline before it blocks. Online, it calls quiescent() once per turn of its loop: from
// then on it holds nothing that it found before. The writer retires unlinked memory and reclaims it
// when every online reader was quiescent since.
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

    // Writer. REQUIRES: the memory is unlinked; only readers that hold it already can reach it.
    void retire(Bundle bundle) {
        const std::uint64_t epoch = current_.load(std::memory_order_relaxed);
        pending_.emplace_back(epoch, std::move(bundle));
        current_.store(epoch + 1, std::memory_order_release);
    }

    // Writer. Destroys bundles that no reader can hold any more; returns how many.
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

    // Writer. Bundles that a reader may still hold.
    std::size_t pending() const { return pending_.size(); }

  private:
    static constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::size_t cache_line = 64;
    struct alignas(cache_line) Slot {
        std::atomic<std::uint64_t> passed{
            nowhere}; // The reader holds nothing that was retired in an earlier epoch.
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
