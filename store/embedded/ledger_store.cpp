#include "store/embedded/ledger_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>

#include "base/check.h"
#include "service/apply.h"
#include "store/embedded/recovery.h"

namespace anteroom::embedded {
namespace {

using sqlite::Trouble;

// Queued changes in one transaction: enough to share one sync, few enough for a short one.
constexpr std::size_t batch_max = 4'096;
// Commands that may wait for the disk; later ones are refused at once.
constexpr std::size_t queue_max = 200'000;
// Facts that may wait for it before ticks are put off: a sweep of a large room makes facts much
// faster than the disk takes them, and each occupies 192 bytes until then.
constexpr std::uint64_t waiting_facts_max = 20'000;
constexpr Millis busy_tick{10};
// What a queue keeps allocated between batches; a burst may have made it much larger.
constexpr std::size_t kept_entries_max = 2 * batch_max;
constexpr std::uint64_t prune_step = 2'000;
constexpr auto space_retry = std::chrono::milliseconds(250);
constexpr Millis stuck_tick = seconds(1);

} // namespace

LedgerStore::LedgerStore(const Clock& clock, StoreListener& listener, LedgerOptions options)
    : clock_(clock), listener_(listener), options_(std::move(options)) {}

LedgerStore::~LedgerStore() {
    stop();
}

Result<void> LedgerStore::load(Rooms& rooms, Audit& audit) {
    const std::string& folder = options_.folder;
    if (Result<void> made = make_folder(folder); !made) return made;
    Result<File> lock = lock_folder(folder);
    if (!lock) return lock.fault();
    lock_ = *std::move(lock);
    Result<HeadFile> head = HeadFile::open(folder + "/ledger.head");
    if (!head) return head.fault();
    head_ = *std::move(head);
    Result<LedgerFile> ledger = LedgerFile::open(folder + "/ledger.db");
    if (!ledger) return ledger.fault();
    ledger_.emplace(*std::move(ledger));
    if (Result<void> synced = sync_folder(folder); !synced) return synced;

    const std::string snapshots = folder + "/snapshots";
    if (Result<void> made = make_folder(snapshots); !made) return made;
    Recovery recovery(*ledger_, snapshots, rooms, options_.say);
    if (Result<void> done = recovery.run(*head_); !done) return done;
    Result<std::vector<AuditEntry>> entries = ledger_->audit(Audit::entries_max);
    if (!entries) return entries.fault();
    for (const AuditEntry& entry : *entries) audit.bring_back(entry);

    durable_fact_.store(ledger_->last_fact());
    pruned_.store(ledger_->pruned_through());
    thread_ = std::thread([this] { run(); });
    snapshots_.emplace(*this, rooms, snapshots, options_.snapshots, recovery.snapshots());
    return {};
}

void LedgerStore::stop() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        gives_up_ = true; // Or a snapshot would wait for a disk that is full.
    }
    wake_.notify_all();
    snapshots_.reset();
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
    if (!is_writable()) return;
    const Trouble trouble = ledger_->settle();
    if (trouble && !trouble.is_disk_full() && !trouble.is_busy())
        fail("the ledger cannot be written: " + trouble.message);
}

void LedgerStore::fail(const std::string& why) {
    options_.fatal(why);
    std::abort();
}

void LedgerStore::enqueue(Queued queued) {
    bool was_empty = false;
    {
        const std::lock_guard lock(mutex_);
        if (ended_) return;
        was_empty = queue_.empty();
        waiting_facts_.fetch_add(queued.facts.size(), std::memory_order_relaxed);
        queue_.push_back(std::move(queued));
        queued_.store(queue_.size(), std::memory_order_relaxed);
    }
    if (was_empty) wake_.notify_one();
}

void LedgerStore::submit(HostedRoom& room, const Command& command, net::Loop* loop, OnOutcome done,
                         std::string_view who) {
    if (!is_writable() || queued_.load(std::memory_order_relaxed) > queue_max) {
        if (std::holds_alternative<Tick>(command)) listener_.due(room, clock_.now() + stuck_tick);
        return refuse({.loop = loop, .done = std::move(done)});
    }
    if (std::holds_alternative<Tick>(command) && !done &&
        waiting_facts_.load(std::memory_order_relaxed) > waiting_facts_max)
        return listener_.due(room, clock_.now() + busy_tick);
    Delivery delivery{.loop = loop, .done = std::move(done)};
    std::optional<Instant> due;
    {
        HostedRoom::Writing writing(room);
        Applied applied = apply_command(writing, command, clock_.now());
        due = applied.due;
        delivery.outcome = applied.outcome;
        if (must_wait(room, applied.facts, delivery)) {
            const bool joins = !applied.facts.empty() &&
                               std::holds_alternative<Joined>(applied.facts.front().what);
            room.unsettled().wait();
            // While the room is held: in order.
            enqueue({.room = room.shared_from_this(),
                     .facts = std::move(applied.facts),
                     .who = std::string(joins ? who : ""),
                     .delivery = std::exchange(delivery, {})});
        }
    }
    if (due) listener_.due(room, *due);
    deliver(std::move(delivery)); // Nothing if it waits.
}

void LedgerStore::open_room(HostedRoom& room, const Settings& rules) {
    RoomRow row{.index = room.index(), .id = room.id(), .profile = room.profile()};
    Queued queued{.write = [row = std::move(row), at = clock_.now()](LedgerFile& ledger) {
        return ledger.add_room(row, at);
    }};
    HostedRoom::Writing writing(room);
    queued.facts = apply_command(writing, Configure{rules}, clock_.now()).facts;
    room.unsettled().wait();
    queued.room = room.shared_from_this();
    enqueue(std::move(queued));
}

void LedgerStore::remove_room(HostedRoom& room, net::Loop* loop, net::Job done) {
    OnOutcome told;
    if (done) told = [done = std::move(done)](const Outcome&) { done(); };
    enqueue({.write = [index = room.index(), at = clock_.now()](
                          LedgerFile& ledger) { return ledger.remove_room(index, at); },
             .delivery = {.loop = loop, .done = std::move(told)}});
}

void LedgerStore::set_profile(HostedRoom& room, Profile profile, net::Loop* loop, net::Job done) {
    RoomRow row{.index = room.index(), .id = room.id(), .profile = profile};
    // Shown when it is durable.
    OnOutcome told = [shared = room.shared_from_this(), profile = std::move(profile),
                      done = std::move(done)](const Outcome&) {
        shared->set_profile(profile);
        if (done) done();
    };
    enqueue(
        {.write = [row = std::move(row)](LedgerFile& ledger) { return ledger.set_profile(row); },
         .delivery = {.loop = loop, .done = std::move(told)}});
}

void LedgerStore::note(const AuditEntry& entry) {
    enqueue({.write = [entry](LedgerFile& ledger) { return ledger.add_audit(entry); }});
}

bool LedgerStore::register_snapshot(const SnapshotRow& snapshot) {
    std::promise<void> durable;
    std::future<void> waiting = durable.get_future();
    enqueue({.write = [snapshot](LedgerFile& ledger) { return ledger.set_snapshot(snapshot); },
             .delivery = {.done = [durable = std::move(durable)](const Outcome&) mutable {
                 durable.set_value();
             }}});
    try {
        waiting.get();
        return true;
    } catch (const std::future_error&) { // Dropped, with everything that was not written.
        return false;
    }
}

void LedgerStore::prune_through(std::uint64_t fact) {
    prune_target_.store(fact, std::memory_order_release);
}

void LedgerStore::run() {
    write_batches();
    Batch dropped;
    const std::lock_guard lock(mutex_);
    ended_ = true;
    dropped.swap(queue_);
}

void LedgerStore::write_batches() {
    Batch batch;
    bool prunes = false;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            const auto has_work = [&] { return !queue_.empty() || stopping_ || prunes; };
            // Pruning goes on in small steps between batches; when readers or a full disk hold it
            // up, it is tried again after a while.
            wake_.wait_for(lock, std::chrono::seconds(1), has_work);
            if (queue_.empty() && stopping_) return;
            batch.swap(queue_);
            queued_.store(0, std::memory_order_relaxed);
        }
        for (std::size_t from = 0; from < batch.size(); from += batch_max) {
            const std::span<Queued> part =
                std::span(batch).subspan(from, std::min(batch_max, batch.size() - from));
            if (!write_until_durable(part)) return; // Stopped while the disk was full.
            settle(part);
        }
        if (!batch.empty() && options_.written) options_.written();
        batch.clear();
        if (batch.capacity() > kept_entries_max) Batch().swap(batch);
        prunes = prune_some();
    }
}

bool LedgerStore::write_until_durable(std::span<Queued> batch) {
    for (;;) {
        const auto begin = std::chrono::steady_clock::now();
        const Trouble trouble = write(batch);
        if (!trouble) {
            const auto spent = std::chrono::steady_clock::now() - begin;
            counters_.commit_us.fetch_add(static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::microseconds>(spent).count()));
            break;
        }
        ledger_->roll_back();
        if (!trouble.is_disk_full() && !trouble.is_busy())
            fail("the ledger cannot be written: " + trouble.message);
        if (!wait_for_space(trouble)) return false;
    }
    if (is_stuck_.exchange(false, std::memory_order_acq_rel))
        say("the ledger can be written again");
    const std::uint64_t last = ledger_->last_fact();
    counters_.batches.fetch_add(1, std::memory_order_relaxed);
    counters_.facts.fetch_add(last - durable_fact_.load(std::memory_order_relaxed),
                              std::memory_order_relaxed);
    write_head();
    durable_fact_.store(last, std::memory_order_release);
    return true;
}

void LedgerStore::write_head() {
    const Result<void> written = head_->write(ledger_->last_fact(), ledger_->last_batch());
    if (!written) fail("the ledger's head cannot be written: " + written.fault().reason);
}

Trouble LedgerStore::write(std::span<Queued> batch) {
    if (Trouble trouble = ledger_->begin()) return trouble;
    for (const Queued& queued : batch) {
        for (std::size_t i = 0; i < queued.facts.size(); ++i) {
            const std::string_view who = i == 0 ? std::string_view(queued.who) : "";
            if (Trouble trouble = ledger_->add_fact(queued.room->index(), queued.facts[i], who))
                return trouble;
        }
        if (queued.write)
            if (Trouble trouble = queued.write(*ledger_)) return trouble;
    }
    return ledger_->commit();
}

// False: it is time to stop.
bool LedgerStore::wait_for_space(const Trouble& trouble) {
    if (!is_stuck_.exchange(true, std::memory_order_acq_rel))
        say(fmt::format("the ledger cannot be written now ({}): commands are refused until it can",
                        trouble.message));
    std::unique_lock lock(mutex_);
    return !wake_.wait_for(lock, space_retry, [this] { return gives_up_; });
}

void LedgerStore::settle(std::span<Queued> batch) {
    Deliveries deliveries; // One job for each loop and batch.
    for (Queued& queued : batch) {
        if (queued.room) {
            queued.room->unsettled().end_waiting();
            settle_facts(*queued.room, queued.facts, listener_);
        }
        waiting_facts_.fetch_sub(queued.facts.size(), std::memory_order_relaxed);
        Facts().swap(queued.facts);
        deliveries.add(std::move(queued.delivery));
    }
    deliveries.send();
}

// True when there is more to do.
bool LedgerStore::prune_some() {
    std::uint64_t target = prune_target_.load(std::memory_order_acquire);
    if (options_.consumed) target = std::min(target, options_.consumed());
    if (target <= ledger_->pruned_through() || !is_writable()) return false;
    bool left = false;
    Trouble trouble = ledger_->begin();
    if (!trouble) trouble = ledger_->prune(target, prune_step, left);
    if (!trouble) trouble = ledger_->commit();
    if (trouble) {
        ledger_->roll_back();
        if (!trouble.is_disk_full() && !trouble.is_busy())
            fail("the ledger cannot be pruned: " + trouble.message);
        return false;
    }
    write_head();
    pruned_.store(ledger_->pruned_through(), std::memory_order_release);
    return left;
}

} // namespace anteroom::embedded
