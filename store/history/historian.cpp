#include "store/history/historian.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "base/check.h"
#include "store/history/fact_feed.h"
#include "store/history/history_reader.h"

namespace anteroom::history {
namespace {

constexpr std::size_t visits_per_copy = 5'000;
constexpr Millis retention_interval = minutes(1);

std::chrono::milliseconds chrono(Millis span) {
    return std::chrono::milliseconds(span.count);
}

} // namespace

// One sink and its thread. Shared with the thread, because a thread that hangs in a database is
// left behind by stop() and ends when it can.
struct Historian::Worker {
    const std::shared_ptr<const HistorianOptions> options;
    const std::unique_ptr<HistorySink> sink;
    const bool is_source; // history.db, which others are filled from.

    // Any thread.
    std::atomic<bool> nudged{false};
    std::atomic<std::uint64_t> cursor{0};
    std::atomic<std::uint64_t> behind{0};
    mutable std::mutex mutex;
    mutable std::condition_variable changed;
    bool stopping = false; // Guarded by mutex, as is all below.
    bool ended = false;
    bool failing = false;
    std::string trouble;

    // The thread's own.
    std::optional<FactFeed> feed;
    std::optional<std::uint64_t> at; // The sink's cursor; nothing: to be asked.
    std::vector<LedgerRoom> listed;  // As the sink has them.
    Millis backoff{0};
    std::chrono::steady_clock::time_point next_retention;
    std::thread thread;

    Worker(std::shared_ptr<const HistorianOptions> given, std::unique_ptr<HistorySink> kept,
           bool source)
        : options(std::move(given)), sink(std::move(kept)), is_source(source) {}

    void nudge();
    void run();
    Result<bool> turn();
    Result<void> carry(FactFeed::Reading reading);
    Result<void> bridge(const FactFeed::Reading& reading);
    Result<void> fill();
    Result<bool> delete_old();
    void publish(std::uint64_t fact);
    void report(const Result<bool>& outcome);
    template <class Work>
    bool unless_stopping(Work work);
    void wait(Millis span, bool for_nudge);
};

// --- From outside --------------------------------------------------------------------------------

Historian::Historian(HistorianOptions options, std::vector<std::unique_ptr<HistorySink>> sinks) {
    CHECK(options.now && options.tell);
    CHECK(options.facts_per_batch > 0);
    const auto shared = std::make_shared<const HistorianOptions>(std::move(options));
    for (std::unique_ptr<HistorySink>& sink : sinks)
        workers_.push_back(std::make_shared<Worker>(shared, std::move(sink), workers_.empty()));
}

Historian::~Historian() {
    stop();
}

void Historian::start() {
    for (const std::shared_ptr<Worker>& worker : workers_)
        worker->thread = std::thread([worker] { worker->run(); });
}

void Historian::stop() {
    const auto deadline = std::chrono::steady_clock::now() +
                          (workers_.empty() ? std::chrono::milliseconds(0)
                                            : chrono(workers_.front()->options->stop_max));
    for (const std::shared_ptr<Worker>& worker : workers_) {
        const std::lock_guard lock(worker->mutex);
        worker->stopping = true;
        worker->changed.notify_all();
    }
    for (const std::shared_ptr<Worker>& worker : workers_) {
        if (!worker->thread.joinable()) continue;
        std::unique_lock lock(worker->mutex);
        const bool ended =
            worker->changed.wait_until(lock, deadline, [&] { return worker->ended; });
        lock.unlock();
        if (ended)
            worker->thread.join();
        else
            worker->thread.detach();
    }
}

void Historian::nudge() {
    for (const std::shared_ptr<Worker>& worker : workers_) worker->nudge();
}

std::uint64_t Historian::consumed() const {
    std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
    for (const std::shared_ptr<Worker>& worker : workers_)
        lowest = std::min(lowest, worker->cursor.load());
    return lowest;
}

bool Historian::wait_consumed(std::uint64_t fact, Millis at_most) const {
    const auto deadline = std::chrono::steady_clock::now() + chrono(at_most);
    return std::all_of(workers_.begin(), workers_.end(), [&](const auto& worker) {
        std::unique_lock lock(worker->mutex);
        return worker->changed.wait_until(lock, deadline,
                                          [&] { return worker->cursor.load() >= fact; });
    });
}

std::vector<SinkStatus> Historian::status() const {
    std::vector<SinkStatus> all;
    for (const std::shared_ptr<Worker>& worker : workers_) {
        const std::lock_guard lock(worker->mutex);
        all.push_back({.name = worker->sink->name(),
                       .cursor = worker->cursor.load(),
                       .behind = worker->behind.load(),
                       .failing = worker->failing,
                       .trouble = worker->trouble});
    }
    return all;
}

// --- The thread ----------------------------------------------------------------------------------

void Historian::Worker::nudge() {
    if (nudged.load(std::memory_order_relaxed)) return;
    {
        const std::lock_guard lock(mutex);
        nudged.store(true);
    }
    changed.notify_all();
}

void Historian::Worker::wait(Millis span, bool for_nudge) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, chrono(span), [&] { return stopping || (for_nudge && nudged.load()); });
}

// True when it was done: what belongs to others is used only before stop().
template <class Work>
bool Historian::Worker::unless_stopping(Work work) {
    const std::lock_guard lock(mutex);
    if (stopping) return false;
    work();
    return true;
}

void Historian::Worker::run() {
    while (unless_stopping([] {})) {
        nudged.store(false);
        const Result<bool> more = turn();
        report(more);
        if (!more) {
            feed.reset();
            at.reset();
            listed.clear();
            backoff =
                std::clamp(Millis{backoff.count * 2}, options->backoff_min, options->backoff_max);
            wait(backoff, false);
            continue;
        }
        backoff = Millis{0};
        if (*more) continue;
        wait(options->rest, true);
        wait(options->pause, false);
    }
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
}

// One look at the ledger and at most one batch. True: there is more to do at once.
Result<bool> Historian::Worker::turn() {
    if (!feed) {
        Result<FactFeed> opened = FactFeed::open(options->folder);
        if (!opened) return opened.fault();
        feed.emplace(std::move(*opened));
    }
    if (!at) {
        // Before the sink answers, so that the lag is known while it does not.
        const Result<std::uint64_t> last = feed->last();
        if (!last) return last.fault();
        behind.store(*last - std::min(*last, cursor.load()));
        const Result<std::uint64_t> known = sink->cursor();
        if (!known) return known.fault();
        at = *known;
    }
    Result<FactFeed::Reading> reading = feed->read(*at, options->facts_per_batch);
    if (!reading) return reading.fault();
    if (*at > reading->last) {
        cursor.store(0); // The ledger prunes nothing until an operator has looked.
        return Fault{sink->name() + " knows fact " + std::to_string(*at) +
                     ", but the ledger ends at " + std::to_string(reading->last) +
                     ": they do not belong together"};
    }
    if (*at < reading->pruned_through) {
        if (const Result<void> bridged = bridge(*reading); !bridged) return bridged.fault();
        return true;
    }
    const std::uint64_t last = reading->last;
    const bool is_full = reading->facts.size() == options->facts_per_batch;
    if (const Result<void> carried = carry(std::move(*reading)); !carried) return carried.fault();
    behind.store(last - *at);
    publish(*at);
    if (is_full) return true;
    return delete_old();
}

void Historian::Worker::publish(std::uint64_t fact) {
    const std::lock_guard lock(mutex);
    cursor.store(fact);
    changed.notify_all();
}

Result<void> Historian::Worker::carry(FactFeed::Reading reading) {
    const bool caught_up = reading.facts.size() < options->facts_per_batch;
    const std::uint64_t through = reading.facts.empty() ? *at : reading.facts.back().fact;
    std::vector<LedgerRoom> rooms;
    std::vector<FactRow> facts = std::move(reading.facts);
    for (const LedgerRoom& room : reading.rooms) {
        // A room goes when all its facts are there: until then it is listed as if it stayed.
        LedgerRoom entry = room;
        if (!caught_up) entry.removed_at.reset();
        const auto known =
            std::lower_bound(listed.begin(), listed.end(), entry.room,
                             [](const LedgerRoom& a, std::uint32_t b) { return a.room < b; });
        const bool is_known = known != listed.end() && known->room == entry.room;
        if (is_known && (*known == entry || (known->removed_at && !entry.removed_at))) continue;
        // Visits that are live when their room is removed end with it.
        if (entry.removed_at)
            facts.push_back(
                {.room = entry.room, .at = *entry.removed_at, .kind = FactKind::cleared});
        rooms.push_back(std::move(entry));
    }
    if (rooms.empty() && facts.empty()) return {};
    Result<void> written =
        sink->write({.after = *at, .through = through, .rooms = rooms, .facts = facts});
    if (!written) return written;
    at = through;
    for (LedgerRoom& room : rooms) {
        const auto place =
            std::lower_bound(listed.begin(), listed.end(), room.room,
                             [](const LedgerRoom& a, std::uint32_t b) { return a.room < b; });
        if (place != listed.end() && place->room == room.room)
            *place = std::move(room);
        else
            listed.insert(place, std::move(room));
    }
    return {};
}

// Facts between the cursor and the ledger's first are gone.
Result<void> Historian::Worker::bridge(const FactFeed::Reading& reading) {
    if (!is_source) return fill();
    const std::uint64_t through = reading.pruned_through;
    Result<void> written = sink->write({.after = *at, .through = through});
    if (!written) return written;
    unless_stopping([&] {
        options->tell(Mood::trouble, sink->name() + ": the facts " + std::to_string(*at + 1) +
                                         " to " + std::to_string(through) +
                                         " are no longer in the ledger: the history has a gap");
    });
    at = through;
    return {};
}

// Copies history.db as it is at one moment, and goes on from there. If that is cut off, it begins
// anew: until the end the cursor says that nothing is there.
Result<void> Historian::Worker::fill() {
    Result<HistoryReader> reader = HistoryReader::open(options->folder);
    if (!reader) return reader.fault();
    if (Result<void> held = reader->hold_still(); !held) return held;
    const Result<std::uint64_t> through = reader->cursor();
    if (!through) return through.fault();
    if (*through <= *at) return Fault{sink->name() + " waits for history.db"};
    const Result<std::vector<RoomRow>> rooms = reader->rooms();
    if (!rooms) return rooms.fault();
    if (Result<void> copied = sink->copy(*rooms, {}); !copied) return copied;
    std::uint32_t room = 0;
    Number number = 0;
    while (unless_stopping([] {})) {
        Result<std::vector<VisitEntry>> page = reader->visits_after(room, number, visits_per_copy);
        if (!page) return page.fault();
        if (page->empty()) {
            Result<void> written = sink->write({.after = *at, .through = *through});
            if (written) at = *through;
            return written;
        }
        std::vector<Visit> visits;
        for (VisitEntry& entry : *page) visits.push_back(std::move(entry.visit));
        room = visits.back().room;
        number = visits.back().number;
        if (Result<void> copied = sink->copy({}, visits); !copied) return copied;
    }
    return Fault{"stopped"};
}

// True: there is more.
Result<bool> Historian::Worker::delete_old() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_retention) return false;
    Instant wall;
    if (!unless_stopping([&] { wall = options->now(); })) return false;
    const Result<std::size_t> deleted =
        sink->forget(wall - options->keep, options->deletions_per_turn);
    if (!deleted) return deleted.fault();
    if (*deleted >= options->deletions_per_turn) return true;
    next_retention = now + chrono(retention_interval);
    return false;
}

void Historian::Worker::report(const Result<bool>& outcome) {
    unless_stopping([&] {
        const bool was_failing = failing;
        failing = !outcome;
        const std::string reason = outcome ? std::string() : outcome.fault().reason;
        const bool is_news = failing ? !was_failing || reason != trouble : was_failing;
        trouble = reason;
        if (!is_news) return;
        if (failing)
            options->tell(Mood::trouble, "the history is not written: " + reason);
        else
            options->tell(Mood::well, "the history is written again: " + sink->name());
    });
}

} // namespace anteroom::history
