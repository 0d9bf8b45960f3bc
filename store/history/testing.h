// What the tests of the history stand on: a folder, a ledger as the server would have written it, a
// crowd, and the naive way to count it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/history/fact_row.h"
#include "store/history/historian.h"
#include "store/history/history_reader.h"
#include "store/history/visit.h"
#include "store/sqlite/sqlite.h"

namespace anteroom::history::testing {

// A new folder that goes with its owner.
class Folder {
  public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

// ledger.db (docs/formats-ledger.md) with the tables that the history reads.
class Ledger {
  public:
    explicit Ledger(const Folder& folder);

    std::uint32_t add_room(std::string_view id, Instant at = Instant{1'000});
    void remove_room(std::uint32_t room, Instant at);
    // Gives the fact its number and the room's next sequence.
    std::uint64_t add(const FactRow& fact);
    void add(const std::vector<FactRow>& facts); // In one transaction.
    void prune(std::uint64_t through);
    std::uint64_t last() const { return last_; }

  private:
    void run(const std::string& sql);
    void insert(const FactRow& fact);

    sqlite::Database database_;
    std::uint64_t last_ = 0;
    std::uint32_t rooms_ = 0;
    std::map<std::uint32_t, std::uint64_t> sequences_;
};

// Facts in short: joined(1, 7, "ann", at).
FactRow joined(std::uint32_t room, Number number, std::string_view who, std::int64_t at);
FactRow fact(FactKind kind, std::uint32_t room, Number number, std::int64_t at,
             std::int64_t detail = 0);

// A crowd that joins, is called, goes in, leaves, expires and is cleared away in rooms 1 to
// `rooms`: facts in an order that a server could have written.
std::vector<FactRow> crowd(std::uint64_t seed, std::size_t facts, std::uint32_t rooms = 3);

// One fact after the other, without any cleverness.
using Visits = std::map<std::pair<std::uint32_t, Number>, Visit>;
Visits naive_visits(const std::vector<FactRow>& facts);

// All of history.db.
Visits visits_in(const std::string& folder);

inline constexpr Millis patience = minutes(2); // For what takes milliseconds on a quiet machine.
inline constexpr Instant today{1'700'000'000'000};

// Lines that a Historian told, and a way to wait for one.
class Lines {
  public:
    void add(const std::string& line);
    bool wait_for(std::string_view part);
    std::vector<std::string> all();

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> lines_;
};

// Without pauses, in small batches.
HistorianOptions quick(const Folder& folder, Lines& lines);

} // namespace anteroom::history::testing
