// Snapshots: keeps the way back short. When enough has happened since the last time, every room
// that changed is written to a file, while it goes on; then the facts before are not needed any
// more.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "service/rooms.h"
#include "store/embedded/ledger_file.h"

namespace anteroom::embedded {

class LedgerStore;

struct SnapshotRules {
    // So many facts, and half as many as there are live visitors: both cost about the same time to
    // read back.
    std::uint64_t facts = 250'000;
};

class Snapshots {
  public:
    Snapshots(LedgerStore& store, Rooms& rooms, std::string folder, SnapshotRules rules,
              std::map<std::uint32_t, SnapshotRow> there);
    ~Snapshots(); // Waits for the thread; what is half done is given up.
    Snapshots(const Snapshots&) = delete;
    Snapshots& operator=(const Snapshots&) = delete;

  private:
    void run();
    bool is_due() const;
    bool take_round();
    // False: there is no space now, or it is time to stop.
    bool take(HostedRoom& hosted);
    Result<bool> write(HostedRoom& hosted, SnapshotRow& row);
    bool stops() const;

    LedgerStore& store_;
    Rooms& rooms_;
    const std::string folder_;
    const SnapshotRules rules_;
    std::map<std::uint32_t, SnapshotRow> there_;
    std::uint64_t covered_; // Facts up to this one are in snapshots.
    mutable std::mutex mutex_;
    std::condition_variable stop_;
    bool stopping_ = false; // Guarded by mutex_.
    std::thread thread_;
};

} // namespace anteroom::embedded
