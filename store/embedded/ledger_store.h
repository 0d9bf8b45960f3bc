// LedgerStore: the embedded store. The way of a command:
//
//   submit   holds the room, applies the command, puts what happened into the queue, in order
//   run      takes all that is queued, writes it in one transaction, waits for the disk
//   settle   then lets go what waited: replies to their loops, news to the listener
//
// Commands that arrive while a batch is being written go into the next one. Reading a room never
// comes this way.
//
// A full disk refuses commands until there is space again; the batch that did not fit is tried
// again, nothing of it was acknowledged. Any other failure of the disk ends the process: what was
// acknowledged is on it, and what memory holds beyond that must not be served.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "service/clock.h"
#include "service/store.h"
#include "store/embedded/files.h"
#include "store/embedded/ledger_file.h"
#include "store/embedded/snapshots.h"

namespace anteroom::embedded {

struct LedgerOptions {
    std::string folder;
    // One line for people: recovery's progress, a full disk, its end.
    UniqueFunction<void(const std::string&)> say = [](const std::string&) {};
    // The disk has failed; must not return.
    UniqueFunction<void(const std::string&)> fatal;
    // Facts that no reader of the ledger still wants to see; everything by default.
    UniqueFunction<std::uint64_t()> consumed;
    // After each batch: there is something new to read.
    UniqueFunction<void()> written;
    SnapshotRules snapshots;
};

class LedgerStore final : public Store {
  public:
    LedgerStore(const Clock& clock, StoreListener& listener, LedgerOptions options);
    ~LedgerStore() override;

    Result<void> load(Rooms& rooms, Audit& audit) override;
    void stop() override;
    bool is_writable() const override { return !is_stuck_.load(std::memory_order_acquire); }

    void submit(HostedRoom& room, const Command& command, net::Loop* loop, OnOutcome done,
                std::string_view who) override;
    void open_room(HostedRoom& room, const Settings& rules) override;
    void remove_room(HostedRoom& room, net::Loop* loop, net::Job done) override;
    void set_profile(HostedRoom& room, Profile profile, net::Loop* loop, net::Job done) override;
    void note(const AuditEntry& entry) override;

    // For snapshots: any thread.
    std::uint64_t durable_fact() const { return durable_fact_.load(std::memory_order_acquire); }
    std::uint64_t pruned_through() const { return pruned_.load(std::memory_order_acquire); }
    // Returns when it is durable; false: it will not be, the store has ended.
    bool register_snapshot(const SnapshotRow& snapshot);
    // Facts up to this one, and up to what readers still want, are not needed any more.
    void prune_through(std::uint64_t fact);
    [[noreturn]] void fail(const std::string& why);
    void say(const std::string& line) { options_.say(line); }

    // For metrics.
    struct Counters {
        std::atomic<std::uint64_t> batches{0};
        std::atomic<std::uint64_t> facts{0};
        std::atomic<std::uint64_t> commit_us{0}; // In total.
    };
    const Counters& counters() const { return counters_; }

  private:
    using Write = UniqueFunction<sqlite::Trouble(LedgerFile&)>;
    // A change that is not on the disk yet.
    struct Queued {
        std::shared_ptr<HostedRoom> room; // Null: of no room.
        Facts facts;
        std::string who;
        Write write; // What is no fact.
        Delivery delivery;
    };
    using Batch = std::vector<Queued>;

    void enqueue(Queued queued);
    void run();
    void write_batches();
    bool write_until_durable(std::span<Queued> batch);
    sqlite::Trouble write(std::span<Queued> batch);
    bool wait_for_space(const sqlite::Trouble& trouble);
    void settle(std::span<Queued> batch);
    bool prune_some();
    void write_head();

    const Clock& clock_;
    StoreListener& listener_;
    LedgerOptions options_;
    File lock_;
    std::optional<HeadFile> head_;
    std::optional<LedgerFile> ledger_; // Of the thread, once it runs.

    std::mutex mutex_;
    std::condition_variable wake_;
    Batch queue_;           // Guarded by mutex_.
    bool stopping_ = false; // Guarded by mutex_. Ends when everything is written.
    bool gives_up_ = false; // Guarded by mutex_. Does not wait for space any more.
    bool ended_ = false;    // Guarded by mutex_. Nothing is written any more.
    std::atomic<std::size_t> queued_{0};
    std::atomic<std::uint64_t> waiting_facts_{0}; // Applied and not durable yet.
    std::atomic<bool> is_stuck_{false};
    std::atomic<std::uint64_t> durable_fact_{0};
    std::atomic<std::uint64_t> pruned_{0};
    std::atomic<std::uint64_t> prune_target_{0};
    Counters counters_;
    std::optional<Snapshots> snapshots_;
    std::thread thread_;
};

} // namespace anteroom::embedded
