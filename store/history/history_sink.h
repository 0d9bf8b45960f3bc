// HistorySink: where the history is kept. A port: a SQLite file, or a database over the network.
//
// The rows and the cursor change in one transaction, so every fact is counted once, whoever is
// killed when: what was not committed is read from the ledger again.
//
// Threads: one at a time; a sink may block, and only its own thread waits for it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/history_views.h"
#include "store/history/fact_feed.h"
#include "store/history/fact_row.h"
#include "store/history/visit.h"

namespace anteroom::history {

// The entry token of a visit: 36 characters, another for each visit, the same every time. Must be
// good for as long as the process lives: a sink that hangs may outlive its Historian.
using EntryToken = std::function<std::string(std::uint32_t room, Number number)>;

// One per dialect that has some. They must be good for as long as the process lives, too.
using Views = std::vector<const HistoryViews*>;

struct Batch {
    std::uint64_t after = 0;           // What the cursor is; a sink that is elsewhere refuses.
    std::uint64_t through = 0;         // What it becomes.
    std::span<const LedgerRoom> rooms; // New or changed.
    std::span<const FactRow> facts;
};

class HistorySink {
  public:
    HistorySink() = default;
    HistorySink(const HistorySink&) = delete;
    HistorySink& operator=(const HistorySink&) = delete;
    virtual ~HistorySink() = default;

    // For people; without secrets.
    virtual std::string name() const = 0;

    // The last fact whose effect is kept here, durably; 0: none yet. Opens or connects when needed,
    // and after a failure again.
    virtual Result<std::uint64_t> cursor() = 0;
    // All of it or nothing.
    virtual Result<void> write(const Batch& batch) = 0;
    // Whole rows of another history, over those that are there. The cursor stays.
    virtual Result<void> copy(std::span<const RoomRow> rooms, std::span<const Visit> visits) = 0;
    // Deletes visits that ended before; at most so many. Says how many.
    virtual Result<std::size_t> forget(Instant ended_before, std::size_t limit) = 0;
};

} // namespace anteroom::history
