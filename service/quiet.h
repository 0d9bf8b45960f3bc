// Quiet: when may memory that rooms have unlinked be destroyed? One set of epochs for all rooms.
//
// Every thread that reads rooms holds a slot: the loops, which pass a quiet point at every turn,
// and the keeper. Writers of any room hand over their Retired; it is destroyed when every reader
// has passed a quiet point since.
#pragma once

#include <cstddef>
#include <mutex>

#include "base/epochs.h"
#include "engine/retired.h"

namespace anteroom {

class Quiet {
  public:
    explicit Quiet(std::size_t readers) : epochs_(readers) {}

    // Reader, on its own slot.
    void online(std::size_t slot) { epochs_.online(slot); }
    void offline(std::size_t slot) { epochs_.offline(slot); }
    void pass(std::size_t slot) { epochs_.quiescent(slot); }

    // Any thread.
    void retire(Retired retired) {
        const std::lock_guard lock(mutex_);
        if (!retired.empty()) epochs_.retire(std::move(retired));
        epochs_.reclaim();
    }

  private:
    std::mutex mutex_; // Of the writer's side.
    Epochs<Retired> epochs_;
};

} // namespace anteroom
