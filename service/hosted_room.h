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
#include "service/room_pulse.h"
#include "service/seen_numbers.h"
#include "service/unsettled.h"
#include "service/wait_probes.h"

namespace anteroom {

namespace limits {
// A copy of a room that is older says so with every answer,
inline constexpr Millis age_untold = seconds(2);
// and after that it is of no use to anybody.
inline constexpr Millis age_max = minutes(1);
} // namespace limits

// What happened to the room's visitors since the start of this process, for /metrics.
struct RoomCounters {
    std::atomic<std::uint64_t> joined{0};
    std::atomic<std::uint64_t> called{0};
    std::atomic<std::uint64_t> missed{0}; // Calls that were not claimed and are not the end.
    std::atomic<std::uint64_t> finished{0};
    std::atomic<std::uint64_t> left{0};
    std::atomic<std::uint64_t> expired{0};
    std::atomic<std::uint64_t> polls{0};
    // How wrong the waiting times told were, in seconds: sum and count of |told - true|.
    std::atomic<std::uint64_t> wait_error_seconds{0};
    std::atomic<std::uint64_t> wait_error_count{0};
};

// What a store keeps beside a room.
struct StorePart {
    StorePart() = default;
    StorePart(const StorePart&) = delete;
    StorePart& operator=(const StorePart&) = delete;
    virtual ~StorePart() = default;
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
    // Only what engine/room.h lists under "Reading".
    const Room& view() const { return room_; }
    // A sign of life that needs no decision, as Room::touch.
    bool touch(Number number, Instant now, Millis told = Millis{0}) const {
        if (!room_.touch(number, now, told)) return false;
        if (seen) seen->note(number);
        return true;
    }
    // An open stream's, as Room::stay.
    bool stay(Number number, Instant now) const {
        const bool is_taken = room_.stay(number, now);
        // Who missed a call is not there, whatever the stream says.
        if (is_taken && seen && room_.is_present(number, now)) seen->note(number);
        return is_taken;
    }
    // Whoever waits is told to ask again in so many seconds, and counts as present for as long as
    // follows from it.
    std::int64_t tell_to_ask_in(std::int64_t told, const Standing& standing, Instant now) const {
        if (standing.state == VisitorState::waiting) touch(standing.number, now, seconds(told));
        return told;
    }
    const Profile& profile() const { return *profile_.load(std::memory_order_acquire); }
    void set_profile(Profile profile);

    // Holds the room for writing. What it does is in the order in which others see it.
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

    // What the room says of this visitor is as durable as the store promises: it may be told.
    // Asked after the standing was read.
    bool may_tell(const Standing& standing) const {
        return standing.state == VisitorState::waiting || !unsettled_.covers(standing.number);
    }
    // The same of what the room says of its outer line.
    bool outer_is_settled() const { return !unsettled_.covers_outer(); }
    // The store's, through service/apply.h.
    Unsettled& unsettled() { return unsettled_; }
    // Set by a store before anybody can find the room.
    std::unique_ptr<StorePart> part;
    // Where the room is written by another process: whom it must be told of. Null: it is not.
    std::unique_ptr<SeenNumbers> seen;

    // How old what the room says may be: nothing where it is written, or a copy's age.
    Millis age(Instant now) const {
        const Instant fresh{fresh_.load(std::memory_order_relaxed)};
        return fresh >= now ? Millis{0} : now - fresh;
    }
    // The copy was up to date at this time.
    void set_fresh(Instant at) { fresh_.store(at.ms, std::memory_order_relaxed); }

    RoomPulse pulse;
    // Something happened since the last pulse.
    std::atomic<bool> changed{true};
    // Somebody wrote to the room, or changed its profile, since the last pulse: also a command
    // without facts moves the estimates.
    std::atomic<bool> stirred{true};
    // Open event streams of this room, in all loops.
    std::atomic<std::int64_t> streams{0};
    // How many there have been.
    std::atomic<std::uint64_t> streams_begun{0};
    RoomCounters counters;
    WaitProbes probes;
    // For the keeper, guarded by its mutex: when the room is to be looked at.
    Instant scheduled = instant_max;
    // Set when the room was removed: who still holds it must not write to it.
    std::atomic<bool> removed{false};

  private:
    const std::string id_;
    const std::uint32_t index_;
    Quiet& quiet_;
    std::atomic<Profile*> profile_;
    std::atomic<std::int64_t> fresh_{instant_max.ms};
    Unsettled unsettled_;
    std::mutex writing_;
    Room room_; // Written under writing_.
};

} // namespace anteroom
