#include "base/epochs.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

namespace anteroom {
namespace {

// Counts itself as destroyed.
class Tracked {
  public:
    explicit Tracked(int& destroyed) : destroyed_(destroyed) {}
    ~Tracked() { ++destroyed_; }
    Tracked(const Tracked&) = delete;
    Tracked& operator=(const Tracked&) = delete;

  private:
    int& destroyed_;
};
using Bundle = std::unique_ptr<Tracked>;

TEST(Epochs, DestroysAtOnceWhenNobodyReads) {
    int destroyed = 0;
    Epochs<Bundle> epochs(2);
    epochs.retire(std::make_unique<Tracked>(destroyed));
    epochs.retire(std::make_unique<Tracked>(destroyed));
    EXPECT_EQ(destroyed, 0);
    EXPECT_EQ(epochs.reclaim(), 2u);
    EXPECT_EQ(destroyed, 2);
    EXPECT_EQ(epochs.reclaim(), 0u);
}

TEST(Epochs, WaitsForEveryReaderThatWasOnline) {
    int destroyed = 0;
    Epochs<Bundle> epochs(2);
    epochs.online(0);
    epochs.online(1);
    epochs.retire(std::make_unique<Tracked>(destroyed));
    EXPECT_EQ(epochs.reclaim(), 0u);
    epochs.quiescent(0);
    EXPECT_EQ(epochs.reclaim(), 0u);
    epochs.quiescent(1);
    EXPECT_EQ(epochs.reclaim(), 1u);
    EXPECT_EQ(destroyed, 1);
    epochs.offline(0);
    epochs.offline(1);
}

TEST(Epochs, DestroysOnlyWhatTheSlowestReaderHasPassed) {
    int destroyed = 0;
    Epochs<Bundle> epochs(1);
    epochs.online(0);
    epochs.retire(std::make_unique<Tracked>(destroyed));
    epochs.quiescent(0);
    epochs.retire(std::make_unique<Tracked>(destroyed));
    EXPECT_EQ(epochs.reclaim(), 1u);
    EXPECT_EQ(epochs.pending(), 1u);
    epochs.quiescent(0);
    EXPECT_EQ(epochs.reclaim(), 1u);
    epochs.offline(0);
}

TEST(Epochs, AReaderThatIsOfflineHoldsNothingUp) {
    int destroyed = 0;
    Epochs<Bundle> epochs(2);
    epochs.online(0);
    epochs.online(1);
    epochs.retire(std::make_unique<Tracked>(destroyed));
    epochs.quiescent(0);
    epochs.offline(1);
    EXPECT_EQ(epochs.reclaim(), 1u);
    epochs.offline(0);
}

TEST(Epochs, AReaderThatComesBackLaterDoesNotHoldWhatWasRetiredBefore) {
    int destroyed = 0;
    Epochs<Bundle> epochs(1);
    epochs.retire(std::make_unique<Tracked>(destroyed));
    epochs.online(0);
    EXPECT_EQ(epochs.reclaim(), 1u);
    epochs.offline(0);
}

TEST(Epochs, DestroysWhatIsLeftAtItsEnd) {
    int destroyed = 0;
    {
        Epochs<Bundle> epochs(1);
        epochs.online(0);
        epochs.retire(std::make_unique<Tracked>(destroyed));
        epochs.offline(0);
    }
    EXPECT_EQ(destroyed, 1);
}

TEST(EpochsDeathTest, RefusesToEndWhileAReaderIsOnline) {
    const auto leave_online = [] {
        Epochs<Bundle> epochs(1);
        epochs.online(0);
    };
    EXPECT_DEATH(leave_online(), "CHECK failed: !is_online");
}

// The writer replaces a shared object again and again; a freed one would not hold what it should,
// and the sanitizers would say so before.
TEST(EpochsThreads, NoReaderMeetsADestroyedObject) {
    constexpr int rounds = 20'000;
    constexpr std::size_t reader_count = 3;
    using Pair = std::array<int, 2>;
    Epochs<std::unique_ptr<Pair>> epochs(reader_count);
    std::atomic<Pair*> shared{new Pair{0, 0}};
    std::atomic<std::size_t> started{0};

    const auto read = [&](std::size_t slot) {
        int last = 0;
        epochs.online(slot);
        ++started;
        for (int turn = 0; last < rounds; ++turn) {
            const Pair* found = shared.load(std::memory_order_acquire);
            if ((*found)[0] != (*found)[1] || (*found)[0] < last) {
                ADD_FAILURE() << "saw " << (*found)[0] << ", " << (*found)[1] << " after " << last;
                break;
            }
            last = (*found)[0];
            if (turn % 7 == 0) {
                epochs.offline(slot);
                epochs.online(slot);
            } else {
                epochs.quiescent(slot);
            }
        }
        epochs.offline(slot);
    };
    std::vector<std::thread> readers;
    for (std::size_t slot = 0; slot < reader_count; ++slot) readers.emplace_back(read, slot);
    while (started < reader_count) std::this_thread::yield();

    std::size_t destroyed = 0;
    for (int round = 1; round <= rounds; ++round) {
        epochs.retire(std::unique_ptr<Pair>(shared.exchange(new Pair{round, round})));
        destroyed += epochs.reclaim();
    }
    for (std::thread& reader : readers) reader.join();
    destroyed += epochs.reclaim();
    EXPECT_EQ(destroyed, std::size_t{rounds});
    delete shared.load();
}

} // namespace
} // namespace anteroom
