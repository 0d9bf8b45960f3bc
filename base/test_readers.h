// Readers: for tests, threads that read in turns until the one writer is done, and the epochs that
// hold memory for them.
//
// A test ends when the writer has done its operations. The sanitizers find accesses to freed
// memory, the assertions wrong answers.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "base/epochs.h"

namespace anteroom::testing {

using Random = std::mt19937_64;

inline std::uint64_t below(Random& random, std::uint64_t end) {
    return random() % end;
}

// A batch is a container of unlinked objects, with size().
template <class Batch>
class Readers {
  public:
    static constexpr std::size_t count = 3;
    using Turn = std::function<void(Random&)>;

    // Calls `make_turn` once on each reader thread, then the returned function until finish().
    explicit Readers(const std::function<Turn()>& make_turn) {
        for (std::size_t slot = 0; slot < count; ++slot)
            threads_.emplace_back([this, slot, make_turn] { run(slot, make_turn()); });
        while (started_ < count) std::this_thread::yield();
    }
    ~Readers() { finish(); }
    Readers(const Readers&) = delete;
    Readers& operator=(const Readers&) = delete;

    // The writer retires unlinked objects. Returns how many.
    std::size_t retire(Batch retired) {
        const std::size_t objects = retired.size();
        if (objects > 0) epochs_.retire(std::move(retired));
        epochs_.reclaim();
        return objects;
    }

    // Waits for the readers; then nothing is held any more.
    void finish() {
        done_ = true;
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
        epochs_.reclaim();
        EXPECT_EQ(epochs_.pending(), 0u);
    }

  private:
    void run(std::size_t slot, const Turn& turn) {
        Random random(slot + 1);
        epochs_.online(slot);
        ++started_;
        while (!done_ && !::testing::Test::HasFailure()) {
            turn(random);
            if (below(random, 64) == 0) {
                epochs_.offline(slot);
                epochs_.online(slot);
            } else {
                epochs_.quiescent(slot);
            }
        }
        epochs_.offline(slot);
    }

    Epochs<Batch> epochs_{count};
    std::vector<std::thread> threads_;
    std::atomic<std::size_t> started_{0};
    std::atomic<bool> done_{false};
};

} // namespace anteroom::testing
