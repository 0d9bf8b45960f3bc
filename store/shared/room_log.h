// RoomLog: one room's part of the Redis store: its log, and this process's copy of the room.
//
// One process writes a room at a time; all others follow its log and ask the writer for what they
// want done. Correctness does not depend on there being only one writer: each commit names the
// entry it comes after, and Redis refuses it when that is not the last one. A process whose commit
// was refused has a wrong copy and loads the room again (docs/decisions/0011-rooms-on-redis.md).
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

// Shared by all RoomLogs of this process.
struct LogContext {
    net::Loop& loop;
    Client& client;
    const Clock& clock;
    StoreListener& listener;
    std::string process; // Of this life: another one of the same server has another.
    std::uint64_t process_id = 0;
    int replicas = 1; // That must confirm an entry before it is acknowledged.
    std::uint64_t snapshot_facts = 250'000;
    UniqueFunction<void(const std::string&)> say;
    UniqueFunction<void(const std::string&)> refused; // Redis answered a command with an error.

    // Implemented by the store.
    class Owner {
      public:
        virtual void on_live(HostedRoom& room) = 0; // The copy is complete: show it.
        virtual void on_lost(HostedRoom& room) = 0; // The copy is wrong: load it again.
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
    net::Counter followed; // Entries of other processes that were replayed.
    net::Counter reloads;
    net::Counter snapshots;
    std::atomic<std::int64_t> skew_ms{0}; // How far the clock of Redis is ahead of ours.
    bool stopping = false;                // This process does not become a writer any more.

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
    // Any thread, once, before anything else: a new room.
    void open(const Settings& rules);

    // The store's loop.
    void load();       // A room that is there; on_live when the copy is complete.
    void follow();     // Reads new entries and the head.
    void look_after(); // Follows, refuses late deliveries, goes on with the snapshot.
    void tell_seen();
    void tell_presence(); // The writer publishes its PresenceMarks.
    void resign();
    bool writes() const { return writes_.load(std::memory_order_relaxed); }
    // This process writes the room, and no replica has confirmed its last entry.
    bool lacks_replica() const { return writes() && must_confirm_; }
    bool is_idle(); // No command, commit or ask is under way.
    bool is_live() const { return mode_ == Mode::live; }
    void on_news(std::optional<std::string> news);

  private:
    enum class Mode : std::uint8_t { opening, loading, live, dead };

    // Done to the copy, not in the log yet.
    struct Pending {
        Facts facts;
        std::vector<std::string> changes; // In the sets for people.
        Delivery delivery;
        std::uint64_t process = 0; // The process that asked; 0: this one.
        std::uint64_t ask = 0;
        std::string ask_at; // Id in the stream of asks; empty: not from there.
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
        std::uint64_t asks = 0; // Answered by this entry,
        std::string asks_kept;  // and the id of the first one that stays, or nothing.
        Settling settling;
        Instant since;
        bool opens = false;
        bool is_uncertain = false; // The reply was lost: see on_uncertain().
    };
    struct Snapshot {
        std::uint64_t position = 0;
        std::uint64_t stamp = 0;
        std::uint64_t pieces = 0;
        std::uint64_t before = 0; // The position of the snapshot that it replaces.
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
        bool is_ours = false; // This process is the writer,
        bool is_free = false; // or there is none.
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
    // REQUIRES: the flight has every change of the room so far.
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
    std::atomic<bool> is_stuck_{false}; // A commit got no reply, or no replica confirms: refuse.
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
    std::uint64_t term_ = 0;        // How often this process became the writer.
    std::uint64_t asks_taken_ = 0;  // Taken, and not yet removed from the stream.
    std::string last_ask_taken_;
    bool fetches_asks_ = false;
    std::uint64_t last_ask_ = 0;
    PresenceMarks told_presence_;               // The last one that was published.
    std::map<std::uint64_t, Delivery> waiting_; // For the writer's answer, by ask.
    std::uint64_t facts_since_snapshot_ = 0;
    std::uint64_t snapshot_position_ = 0; // Of the last one.
    std::optional<Snapshot> snapshot_;
    std::uint64_t pieces_ = 0; // While loading.
};

} // namespace anteroom::shared
