// Keeper: the thread that gives every room its ticks, when it wants them, and looks once a second
// whether it has a new pulse.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "service/clock.h"
#include "service/hosted_room.h"
#include "service/quiet.h"
#include "service/rooms.h"
#include "service/store.h"

namespace anteroom {

class Keeper {
  public:
    // Publishes a room's pulse; runs on the keeper's thread.
    using Publish = UniqueFunction<void(const std::shared_ptr<HostedRoom>&)>;

    Keeper(Rooms& rooms, Store& store, const Clock& clock, Quiet& quiet, std::size_t quiet_slot,
           Publish publish);
    ~Keeper();
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    void start();
    void stop(); // Waits for the thread.

    // Any thread: the room wants a tick at this time, if not before.
    void schedule(HostedRoom& room, Instant at);
    void forget(HostedRoom& room);

  private:
    static Instant due_of(HostedRoom& room);
    static void set_due(HostedRoom& room, Instant at); // Under mutex_.
    void run();
    void tick_due_rooms();
    void publish_pulses();
    void wake_after_stall(Instant expected);

    Rooms& rooms_;
    Store& store_;
    const Clock& clock_;
    Quiet& quiet_;
    const std::size_t quiet_slot_;
    Publish publish_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::set<std::pair<Instant, HostedRoom*>> due_; // Guarded by mutex_.
    bool stopping_ = false;                         // Guarded by mutex_.
    Instant next_pulse_;
    std::thread thread_;
};

} // namespace anteroom
