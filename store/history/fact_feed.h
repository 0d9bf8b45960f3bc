// FactFeed: reads ledger.db beside the process that writes it. Read-only, with short transactions,
// so that it never holds up the writer or its checkpoints.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/history/fact_row.h"
#include "store/sqlite/sqlite.h"

namespace anteroom::history {

// A room as the ledger lists it.
struct LedgerRoom {
    std::uint32_t room = 0;
    std::string id;
    Instant created_at;
    std::optional<Instant> removed_at;

    friend bool operator==(const LedgerRoom&, const LedgerRoom&) = default;
};

class FactFeed {
  public:
    // FOLDER/ledger.db.
    static Result<FactFeed> open(const std::string& folder);

    // Facts after this one, in order: at most `limit`.
    Result<std::vector<FactRow>> next(std::uint64_t after, std::size_t limit);
    // The last facts of a room, oldest first.
    Result<std::vector<FactRow>> last_of_room(std::uint32_t room, std::size_t limit);

    // One moment of the ledger, seen as a whole.
    struct Reading {
        std::vector<FactRow> facts;
        std::uint64_t last = 0;           // The newest fact that was ever written.
        std::uint64_t pruned_through = 0; // Facts up to this one are gone.
        std::vector<LedgerRoom> rooms;    // In order of their indexes.
    };
    Result<Reading> read(std::uint64_t after, std::size_t limit);
    Result<std::uint64_t> last();
    Result<std::vector<LedgerRoom>> rooms();

  private:
    FactFeed(std::string path, sqlite::Database database)
        : path_(std::move(path)), database_(std::move(database)) {}
    Result<std::vector<FactRow>> rows(sqlite::Statement& statement);
    Fault fault() const;

    std::string path_;
    sqlite::Database database_;
    std::optional<sqlite::Statement> next_;
};

} // namespace anteroom::history
