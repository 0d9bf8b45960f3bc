// Store: applies commands to rooms and makes their facts durable. A port: callers do not know which
// process applies a command, and when its facts are durable.
//
// Everything that is done to one room through one Store becomes durable in the order in which it
// was done; of a new room, its opening comes first.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "base/unique_function.h"
#include "engine/command.h"
#include "engine/fact.h"
#include "engine/outcome.h"
#include "net/job.h"
#include "service/audit.h"
#include "service/deliveries.h"
#include "service/hosted_room.h"
#include "service/rooms.h"

namespace anteroom::net {
class Loop;
}

namespace anteroom {

// Hears the facts of rooms once they are as durable as the store promises, in order per room.
class StoreListener {
  public:
    StoreListener() = default;
    StoreListener(const StoreListener&) = delete;
    StoreListener& operator=(const StoreListener&) = delete;
    virtual ~StoreListener() = default;
    virtual void happened(HostedRoom& room, std::span<const Fact> facts) = 0;
    // The room wants a tick at this time.
    virtual void due(HostedRoom& room, Instant at) = 0;
    // Rooms does not find the room any more: another process removed it, or a fresh copy has
    // replaced it. Streams of the room must end, so that clients find the new one.
    virtual void gone(HostedRoom&) {}
};

class Store {
  public:
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    // Once, before anything else: the rooms and the audit of earlier lives.
    virtual Result<void> load(Rooms& rooms, Audit& audit) = 0;
    // After it nothing is submitted any more; returns when all that was is settled.
    virtual void stop() = 0;

    // False: commands are refused as unavailable until the store has recovered.
    virtual bool is_writable() const = 0;

    // Any thread. True: another process may have made a room of this id that this process has not
    // read yet.
    virtual bool may_have(std::string_view) const { return false; }

    // Any thread. `done` runs on `loop`'s thread when the outcome is durable: perhaps before
    // submit() returns, if that is the calling thread. Without a loop it runs on any thread.
    // `who` is the visitor's own name for the history; empty: there is none.
    virtual void submit(HostedRoom& room, const Command& command, net::Loop* loop, OnOutcome done,
                        std::string_view who = {}) = 0;

    // Any thread. A room that nobody can find yet, with the rules it begins with: both become
    // durable together. REQUIRES: the rules can work.
    virtual void open_room(HostedRoom& room, const Settings& rules) = 0;
    // Any thread. A room that nobody can find any more.
    virtual void remove_room(HostedRoom& room, net::Loop* loop, net::Job done) = 0;
    // Any thread. The room has this profile as soon as it is durable; then `done`, as above.
    virtual void set_profile(HostedRoom& room, Profile profile, net::Loop* loop, net::Job done) = 0;
    virtual void note(const AuditEntry& entry) = 0;
};

} // namespace anteroom
