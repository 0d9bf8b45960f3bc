// Store: where rooms live. A port: the embedded store applies commands to rooms in memory, others
// may have to ask somebody; callers do not know the difference.
#pragma once

#include <span>

#include "base/unique_function.h"
#include "engine/command.h"
#include "engine/fact.h"
#include "engine/outcome.h"
#include "net/loop.h"
#include "service/hosted_room.h"

namespace anteroom {

// Hears what happened in rooms, once it is as durable as the store promises, in order per room.
class Listener {
  public:
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;
    virtual void happened(HostedRoom& room, std::span<const Fact> facts) = 0;
    // The room wants a tick at this time.
    virtual void due(HostedRoom& room, Instant at) = 0;
};

using OnOutcome = UniqueFunction<void(const Outcome&)>;

class Store {
  public:
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    // Any thread. `done` runs on `loop`'s thread when the outcome is durable: perhaps before
    // submit() returns, if that is the calling thread. Without a loop it runs on any thread.
    virtual void submit(HostedRoom& room, const Command& command, net::Loop* loop,
                        OnOutcome done) = 0;
};

} // namespace anteroom
