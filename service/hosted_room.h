// HostedRoom: a room of the engine with its name, its profile and its place among the others.
//
// Threads: reading (view, profile, pulse) is free on any thread that holds a slot of Quiet. Writing
// goes through a Writing, one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/time.h"
#include "engine/room.h"
#include "net/exchange.h"
#include "service/profile.h"
#include "service/quiet.h"
#include "service/room_counters.h"
#include "service/room_pulse.h"
#include "service/unsettled.h"

namespace anteroom {

namespace limits {
// Answers from a copy of a room that is older than this say how old it is,
inline constexpr Millis age_untold = seconds(2);
// and from a copy that is older than this there are none.
inline constexpr Millis age_max = minutes(1);
} // namespace limits

// What a store keeps beside a room.
class StorePart {
  public:
    StorePart() = default;
    StorePart(const StorePart&) = delete;
    StorePart& operator=(const StorePart&) = delete;
    virtual ~StorePart() = default;
    // Any thread: the visitor gave a sign of life that the room itself has noted.
    virtual void note_seen(Number) {}
};

// What the keeper keeps beside a room: when the room's next tick is due.
class KeeperPart {
  private:
    friend class Keeper;
    std::atomic<std::int64_t> due_ms_{instant_max.ms}; // Changed under Keeper::mutex_.
};

class HostedRoom : public std::enable_shared_from_this<HostedRoom> {
  public:
    HostedRoom(std::string id, std::uint32_t index, Profile profile, Quiet& quiet)
        : id_(std::move(id)),
          index_(index),
          quiet_(quiet),
          profile_(new Profile(std::move(profile))) {}
    ~HostedRoom() { delete profile_.load(std::memory_order_relaxed); }
    HostedRoom(const HostedRoom&) = delete;
    HostedRoom& operator=(const HostedRoom&) = delete;

    const std::string& id() const { return id_; }
    std::uint32_t index() const { return index_; }
    // Only the functions that engine/room.h lists under "Reading".
    const Room& view() const { return room_; }
    // A sign of life that needs no decision, as Room::touch.
    bool touch(Number number, Instant now, Millis told = Millis{0}) const {
        if (!room_.touch(number, now, told)) return false;
        if (store_part_) store_part_->note_seen(number);
        return true;
    }
    // An open stream's, as Room::stay.
    bool stay(Number number, Instant now) const {
        const bool is_taken = room_.stay(number, now);
        // A visitor who missed a call is absent, although the stream is open.
        if (is_taken && store_part_ && room_.is_present(number, now))
            store_part_->note_seen(number);
        return is_taken;
    }
    // Notes that a waiting visitor was told to ask again in `told` seconds: `presence` (settings.h)
    // follows from it. Returns `told`.
    std::int64_t tell_to_ask_in(std::int64_t told, const Standing& standing, Instant now) const {
        if (standing.state == VisitorState::waiting) touch(standing.number, now, seconds(told));
        return told;
    }
    const Profile& profile() const { return *profile_.load(std::memory_order_acquire); }
    void set_profile(Profile profile);

    // Holds the room for writing: changes are seen in the order in which Writings are made.
    class Writing {
      public:
        explicit Writing(HostedRoom& hosted);
        ~Writing();
        Writing(const Writing&) = delete;
        Writing& operator=(const Writing&) = delete;
        Room& room() { return hosted_.room_; }
        HostedRoom& hosted() { return hosted_; }

      private:
        HostedRoom& hosted_;
        std::unique_lock<std::mutex> lock_;
    };

    // True: the standing is as durable as the store promises, and may leave the process. To be
    // called after the standing was read.
    bool may_tell(const Standing& standing) const {
        return standing.state == VisitorState::waiting || !unsettled_.covers(standing.number);
    }
    // The same of what the room says of its outer line.
    bool outer_is_settled() const { return !unsettled_.covers_outer(); }
    // The store's, through service/apply.h.
    Unsettled& unsettled() { return unsettled_; }
    // Null: the store keeps nothing beside the room. Set before anybody can find the room.
    StorePart* store_part() const { return store_part_.get(); }
    void set_store_part(std::unique_ptr<StorePart> part) { store_part_ = std::move(part); }
    KeeperPart& keeper_part() { return keeper_part_; }

    // Staleness of this process's copy of the room; 0 in the process that writes it.
    Millis age(Instant now) const {
        const Instant fresh{fresh_.load(std::memory_order_relaxed)};
        return fresh >= now ? Millis{0} : now - fresh;
    }
    // The copy was up to date at this time.
    void set_fresh(Instant at) { fresh_.store(at.ms, std::memory_order_relaxed); }

    RoomPulse& pulse() { return pulse_; }
    RoomCounters& counters() { return counters_; }
    const RoomCounters& counters() const { return counters_; }

    // Open event streams of this room, in all loops.
    std::int64_t streams() const { return streams_.load(); }
    // One more; how many there have been, with this one.
    std::uint64_t begin_stream() {
        streams_.fetch_add(1);
        return streams_begun_.fetch_add(1, std::memory_order_relaxed) + 1;
    }
    void end_streams(std::size_t count = 1) {
        streams_.fetch_sub(static_cast<std::int64_t>(count));
    }

    // Rooms does not find the room any more: the keeper does not tick it.
    bool is_removed() const { return is_removed_.load(std::memory_order_acquire); }
    void mark_removed() { is_removed_.store(true, std::memory_order_release); }

  private:
    const std::string id_;
    const std::uint32_t index_;
    Quiet& quiet_;
    std::atomic<Profile*> profile_;
    std::atomic<std::int64_t> fresh_{instant_max.ms};
    Unsettled unsettled_;
    std::unique_ptr<StorePart> store_part_;
    KeeperPart keeper_part_;
    RoomPulse pulse_;
    RoomCounters counters_;
    std::atomic<std::int64_t> streams_{0};
    std::atomic<std::uint64_t> streams_begun_{0};
    std::atomic<bool> is_removed_{false};
    std::mutex writing_;
    Room room_; // Written under writing_.
};

} // namespace anteroom
