// Historian: carries facts from the ledger to the places where the history is kept, and deletes
// there what is too old.
//
// One thread per sink, so that a database that is away does not delay other sinks. A sink that
// fails is tried again, ever more seldom; what it missed stays in the ledger, because the ledger
// prunes only what consumed() covers.
//
// Threads: everything may be called from anywhere, start() and stop() once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "store/history/history_sink.h"

namespace anteroom::history {

enum class Mood : std::uint8_t { well, trouble };

struct HistorianOptions {
    std::string folder;           // Of ledger.db and history.db.
    Millis keep = hours(24 * 30); // Visits that ended longer ago are deleted.
    // Wall time; and one line whenever the condition of a sink changes. Both run on the sinks'
    // threads, must not call the Historian, and are not called after stop().
    std::function<Instant()> now;
    std::function<void(Mood, const std::string&)> tell;

    // A sink writes at most every `pause`, so that a busy ledger does not cost it a sync per
    // commit, and looks at least every `rest`.
    Millis pause{250};
    Millis rest = seconds(5);
    Millis backoff_min{100};
    Millis backoff_max = seconds(30);
    Millis stop_max = seconds(3); // A sink that hangs longer is left behind.
    std::size_t facts_per_batch = 5'000;
    std::size_t deletions_per_turn = 1'000;
};

struct SinkStatus {
    std::string name;
    std::uint64_t cursor = 0; // 0 until it is known.
    std::uint64_t behind = 0; // Facts of the ledger that it has not got.
    bool failing = false;
    std::string trouble; // While failing.
};

class Historian {
  public:
    // The first sink is history.db; another that is new, or was away for so long that facts are
    // gone, is filled from it.
    Historian(HistorianOptions options, std::vector<std::unique_ptr<HistorySink>> sinks);
    ~Historian();
    Historian(const Historian&) = delete;
    Historian& operator=(const Historian&) = delete;

    void start();
    void stop();

    // There are new facts. Cheap: most calls only look at a flag.
    void nudge();

    // Every sink has the facts up to this one, durably. Nothing is held back when there is no sink.
    std::uint64_t consumed() const;
    // Waits until consumed() reaches this fact. False: it did not in time.
    bool wait_consumed(std::uint64_t fact, Millis at_most) const;
    std::vector<SinkStatus> status() const;

  private:
    struct Worker;
    std::vector<std::shared_ptr<Worker>> workers_;
};

} // namespace anteroom::history
