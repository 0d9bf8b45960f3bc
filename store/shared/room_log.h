// RoomLog: one room's part of the Redis store: its log, and this process's copy of the room.
//
// One process writes a room at a time; all others follow its log and ask the writer for what they
// want done. Nothing depends on there being only one: a writing names the entry it comes after, and
// is refused when that is not the last one. Who was refused knows less than it thought, and begins
// anew from what is written (docs/decisions/0011-rooms-on-redis.md).
//
//   writer:    apply, then commit; settle when replicas have it
//   follower:  ask; replay what the writer committed; settle when it is confirmed
//
// Threads: submit, set_profile and remove on any thread; everything else on the store's loop. What
// both touch (writes_, dead_, pending_) is changed while the room is held for writing.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/clock.h"
#include "service/deliveries.h"
#include "service/hosted_room.h"
#include "service/seen_numbers.h"
#include "service/store.h"
#include "store/redis/client.h"
#include "store/shared/entry.h"
#include "store/shared/keys.h"

namespace anteroom::shared {

using redis::CallResult;
using redis::Client;
using redis::Reply;
using redis::Trouble;

// What all rooms of this process share.
struct LogContext {
    net::Loop& loop;
    Client& client;
    const Clock& clock;
    StoreListener& listener;
    std::string process; // Of this life: another one of the same server has another.
    std::uint64_t process_id = 0;
    int replicas = 1; // That must have what is acknowledged.
    std::uint64_t snapshot_facts = 250'000;
    UniqueFunction<void(const std::string&)> say;
    UniqueFunction<void(const std::string&)> refused; // Redis will not do what we need.

    // The store's: what becomes of rooms.
    class Owner {
      public:
        virtual void on_live(HostedRoom& room) = 0; // Loaded: it can be shown.
        virtual void on_lost(HostedRoom& room) = 0; // Its copy is of no use: load it again.
        virtual void on_gone(HostedRoom& room) = 0; // Removed.
        virtual void on_opened(HostedRoom& room) = 0;

        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;

      protected:
        Owner() = default;
        ~Owner() = default;
    };
    Owner& owner;

    // Counted on the loop, read by anybody.
    net::Counter commits;
    net::Counter facts;
    net::Counter asks;
    net::Counter followed; // Entries of others.
    net::Counter reloads;
    net::Counter snapshots;
    std::atomic<std::int64_t> skew_ms{0}; // How far the clock of Redis is ahead of ours.
    bool stopping = false;                // Nobody becomes the writer any more.

    // The time of Redis, which all processes have in common.
    Instant shared_now() const {
        return clock.now() + Millis{skew_ms.load(std::memory_order_relaxed)};
    }
};

class RoomLog final : public StorePart {
  public:
    RoomLog(LogContext& context, HostedRoom& room);

    static RoomLog& of(HostedRoom& room) { return *static_cast<RoomLog*>(room.store_part()); }

    // Any thread.
    void note_seen(Number number) override { seen_.note(number); }
    void submit(const Command& command, net::Loop* loop, OnOutcome done, std::string_view who);
    void set_profile(Profile profile, net::Loop* loop, net::Job done);
    void remove(net::Loop* loop, net::Job done);
    // Any thread, once, before anything else: a room that nobody else has.
    void open(const Settings& rules);

    // The store's loop.
    void load();       // A room that is there; on_live when the copy is complete.
    void follow();     // What is new? Once in a while, and when there is news.
    void look_after(); // Who waits too long; who was seen; snapshots.
    void tell_seen();
    void tell_presence(); // The writer, to the others: who is absent, roughly.
    void resign();
    bool writes() const { return writes_.load(std::memory_order_relaxed); }
    // We write it, and no replica has confirmed what we wrote last.
    bool lacks_replica() const { return writes() && must_confirm_; }
    bool is_idle(); // Nothing is under way.
    bool is_live() const { return mode_ == Mode::live; }
    void on_news(std::optional<std::string> news);

  private:
    enum class Mode : std::uint8_t { opening, loading, live, dead };

    // Done to the copy, not in the log yet.
    struct Pending {
        Facts facts;
        std::vector<std::string> changes; // In the sets for people.
        Delivery delivery;
        std::uint64_t process = 0; // Who asked; 0: nobody elsewhere.
        std::uint64_t ask = 0;
        std::string ask_at; // Its place in the stream of asks; empty: it is none.
        std::optional<Profile> profile;
        bool removes = false;
    };
    // Committed, or replayed; perhaps not on a replica yet.
    struct Settling {
        std::uint64_t position = 0;
        std::vector<Facts> facts;
        std::uint32_t commands = 0; // That wait in room_.unsettled().
        std::vector<Delivery> deliveries;
    };
    struct Flight {
        LogEntry entry;
        std::vector<std::string> args;
        std::uint64_t asks = 0; // That it answers,
        std::string asks_kept;  // and the first that it does not, or nothing.
        Settling settling;
        Instant since;
        bool opens = false;
        bool is_uncertain = false; // Sent, and nobody knows whether it was done.
    };
    struct Snapshot {
        std::uint64_t position = 0;
        std::uint64_t stamp = 0;
        std::uint64_t pieces = 0;
        std::uint64_t before = 0; // The position of the one it replaces.
        bool is_committed = false;
        bool under_way = false;
    };
    struct Outgoing {
        std::variant<AskCommand, AskSeen, AskProfile, AskRemove> what;
        Delivery delivery;
    };

    // Writing (room_writer.cpp).
    // When the room wants its next tick.
    std::optional<Instant> apply(HostedRoom::Writing& writing, const Command& command,
                                 std::string_view who, Pending& pending);
    void enqueue(Pending pending); // While the room is held: in order.
    void wake();
    std::vector<Pending> take_batch();
    void pack(std::vector<Pending> batch);
    void flush();
    void send_flight();
    void on_committed(const CallResult& answer);
    void on_opened(const CallResult& answer);
    void doubt(const CallResult& answer);
    void committed(bool is_replicated);
    void confirm();
    void become_writer();
    void step_down();
    void fetch_asks();
    void on_asks(const CallResult& answer);
    void take_ask(const std::string& at, std::string_view bytes);
    // Asking.
    void ask(Outgoing outgoing);
    void send_asks();
    void send(const AskMessage& ask);
    void redo(Outgoing outgoing);

    // Following (room_log.cpp).
    void on_followed(const CallResult& answer, Instant asked);
    struct Head {
        std::uint64_t position = 0;
        std::uint64_t stamp = 0;
        std::uint64_t confirmed = 0;
        bool is_ours = false; // We are the writer,
        bool is_free = false; // or nobody is.
        bool is_removed = false;
        std::uint64_t asks = 0;
        std::vector<std::pair<std::uint64_t, std::string>> entries;
    };
    std::optional<Head> read_head(const Reply& reply);
    void on_uncertain(const std::optional<Head>& head);
    bool take_entries(const Head& head);
    bool take(std::uint64_t position, std::string_view bytes);
    bool replay(LogEntry entry, Settling& settling);
    void settle_through(std::uint64_t position);
    void refuse_everything();
    void lose(const std::string& why);
    void die();

    // Loading and snapshots (room_snapshot.cpp).
    void on_head(const CallResult& answer);
    void fetch_pieces(std::uint64_t from);
    void retry_load();
    // While the room is held, with a flight that has all that was done to it.
    void begin_snapshot_if_due(HostedRoom::Writing& writing);
    void go_on_with_snapshot();
    void finish_snapshot();
    void abandon_snapshot();

    template <class T>
    static std::string text(T number) {
        return std::to_string(number);
    }
    std::shared_ptr<HostedRoom> keep_alive() { return room_.shared_from_this(); }
    std::vector<std::string> all_keys() const;

    LogContext& context_;
    HostedRoom& room_;
    const RoomKeys keys_;

    // Changed while the room is held.
    std::atomic<bool> writes_{false};
    std::atomic<bool> dead_{false};
    std::atomic<bool> is_stuck_{false}; // Nothing gets through: commands are refused.
    std::vector<Pending> pending_;
    std::mutex outgoing_mutex_;
    std::vector<Outgoing> outgoing_; // Guarded by outgoing_mutex_.
    std::atomic<bool> woken_{false};
    SeenNumbers seen_; // Whose signs of life the writer has not been told of.

    // Of the loop's thread.
    Mode mode_ = Mode::loading;
    std::uint64_t position_ = 0;
    std::uint64_t stamp_ = 0;
    std::uint64_t confirmed_ = 0;
    std::optional<Flight> flight_;
    std::deque<Settling> settling_; // By position.
    bool must_confirm_ = false;     // Something is committed that no replica has confirmed.
    bool follows_ = false;          // A look at the log is under way,
    bool follow_again_ = false;     // and another one is wanted.
    std::uint64_t term_ = 0;        // Counts how often we became the writer.
    std::uint64_t asks_taken_ = 0;  // That stand in the stream still.
    std::string last_ask_taken_;
    bool fetches_asks_ = false;
    std::uint64_t last_ask_ = 0;
    PresenceMarks told_presence_;               // What the others heard last.
    std::map<std::uint64_t, Delivery> waiting_; // For the writer's answer, by ask.
    std::uint64_t facts_since_snapshot_ = 0;
    std::uint64_t snapshot_position_ = 0; // Of the last one.
    std::optional<Snapshot> snapshot_;
    std::uint64_t pieces_ = 0; // While loading.
};

} // namespace anteroom::shared
