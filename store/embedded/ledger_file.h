// LedgerFile: ledger.db, written in transactions by one thread (docs/formats-ledger.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_function.h"
#include "engine/fact.h"
#include "service/audit.h"
#include "service/profile.h"
#include "store/embedded/fact_codec.h"
#include "store/sqlite/sqlite.h"

namespace anteroom::embedded {

struct RoomRow {
    std::uint32_t index = 0;
    std::string id;
    Profile profile;
    bool is_removed = false;
};

struct SnapshotRow {
    std::uint32_t room = 0;
    std::uint64_t sequence = 0;
    std::string file; // Its name in the folder of snapshots.
};

class LedgerFile {
  public:
    // Made when it is not there; another version or another application's file is a fault.
    static Result<LedgerFile> open(const std::string& path);

    // What was there. Faults name what is wrong with the file.
    Result<std::vector<RoomRow>> rooms();
    Result<std::vector<SnapshotRow>> snapshots();
    Result<std::vector<AuditEntry>> audit(std::size_t count);
    // In the order of writing; stops when `visit` returns a fault. Sums and numbers are checked.
    using VisitFact = UniqueFunction<Result<void>(const FactRow&)>;
    Result<void> read_facts(const VisitFact& visit);

    // Writing, between begin() and commit(): a batch with its own number. What fails is to be
    // rolled back.
    sqlite::Trouble begin();
    sqlite::Trouble commit();
    void roll_back();
    sqlite::Trouble add_fact(std::uint32_t room, const Fact& fact, std::string_view who);
    sqlite::Trouble add_room(const RoomRow& room, Instant at);
    sqlite::Trouble set_profile(const RoomRow& room);
    sqlite::Trouble remove_room(std::uint32_t index, Instant at);
    sqlite::Trouble add_audit(const AuditEntry& entry);
    sqlite::Trouble set_snapshot(const SnapshotRow& snapshot);
    // Forgets facts up to `through`, at most `count` of them; `left` says whether there are more.
    sqlite::Trouble prune(std::uint64_t through, std::uint64_t count, bool& left);

    // At the end: moves what is in the write-ahead log into the file. Not needed, only tidy.
    sqlite::Trouble settle() { return database_.run("PRAGMA wal_checkpoint(TRUNCATE)"); }

    // The last fact that was written, committed or not, and the last that is gone.
    std::uint64_t last_fact() const { return last_; }
    std::uint64_t pruned_through() const { return pruned_; }
    std::uint64_t last_batch() const { return batch_; }

  private:
    explicit LedgerFile(sqlite::Database database);
    Result<void> prepare();
    Result<void> read_position();
    static std::uint32_t sum_of_room(const RoomRow& room);
    static std::uint32_t sum_of_entry(const AuditEntry& entry);

    sqlite::Database database_;
    std::optional<sqlite::Statement> add_fact_, add_room_, set_profile_, remove_room_, add_audit_,
        trim_audit_, set_snapshot_, sum_at_, delete_facts_, set_meta_;
    std::uint64_t batch_ = 0;
    std::uint64_t last_ = 0;
    std::uint32_t sum_ = 0; // Of the last fact.
    std::uint64_t pruned_ = 0;
    std::uint32_t pruned_sum_ = 0;
    // As they were when the transaction began.
    std::uint64_t begun_last_ = 0;
    std::uint32_t begun_sum_ = 0;
    std::uint64_t begun_pruned_ = 0;
    std::uint32_t begun_pruned_sum_ = 0;
};

} // namespace anteroom::embedded
