// Recovery: the rooms as the ledger has them. Snapshots first, then every fact after them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_function.h"
#include "service/rooms.h"
#include "store/embedded/files.h"
#include "store/embedded/ledger_file.h"

namespace anteroom::embedded {

class Recovery {
  public:
    Recovery(LedgerFile& ledger, std::string snapshot_folder, Rooms& rooms,
             const UniqueFunction<void(const std::string&)>& say);

    // Faults say what is wrong with the data; nothing is repaired silently. `head` knows what has
    // been written at least.
    Result<void> run(const HeadFile& head);

    // The snapshots that count, by room.
    const std::map<std::uint32_t, SnapshotRow>& snapshots() const { return snapshots_; }

  private:
    Result<void> bring_back_rooms();
    Result<void> read_snapshots();
    Result<void> replay_facts();
    Result<void> delete_leftovers();
    Result<void> replay(const FactRow& row);
    void progress();

    LedgerFile& ledger_;
    const std::string folder_;
    Rooms& rooms_;
    const UniqueFunction<void(const std::string&)>& say_;
    std::map<std::uint32_t, SnapshotRow> snapshots_;
    std::map<std::uint32_t, RoomRow> rows_;
    std::vector<std::shared_ptr<HostedRoom>> by_index_;
    std::uint64_t facts_ = 0;
    std::uint64_t restored_ = 0; // Visitors from snapshots.
    std::chrono::steady_clock::time_point said_;
    std::chrono::steady_clock::time_point begin_;
};

} // namespace anteroom::embedded
