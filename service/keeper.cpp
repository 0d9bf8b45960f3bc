#include "service/keeper.h"

#include <chrono>

namespace anteroom {
namespace {

constexpr Millis pulse_interval = seconds(1);
// A keeper that wakes up so much later than planned was stopped or starved, perhaps with the whole
// process: the silence of visitors in that time must not end their visits.
constexpr Millis stall_min = seconds(5);

} // namespace

Keeper::Keeper(Rooms& rooms, Store& store, const Clock& clock, Quiet& quiet, std::size_t quiet_slot,
               Publish publish)
    : rooms_(rooms),
      store_(store),
      clock_(clock),
      quiet_(quiet),
      quiet_slot_(quiet_slot),
      publish_(std::move(publish)) {}

Keeper::~Keeper() {
    stop();
}

void Keeper::start() {
    next_pulse_ = clock_.now();
    thread_ = std::thread([this] { run(); });
}

void Keeper::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
}

Instant Keeper::due_of(HostedRoom& room) {
    return Instant{room.keeper_part().due_ms_.load(std::memory_order_relaxed)};
}

void Keeper::set_due(HostedRoom& room, Instant at) {
    room.keeper_part().due_ms_.store(at.ms, std::memory_order_relaxed);
}

// Nearly every command leaves the room's deadline as it was, so the mutex is not taken for those.
// A tick that is about to run sets the time to instant_max before it takes the room: a thread that
// still sees the old time has released the room before, and the tick sees what the thread did to it
// and schedules the room anew.
void Keeper::schedule(HostedRoom& room, Instant at) {
    if (due_of(room) <= at) return;
    const std::lock_guard lock(mutex_);
    const Instant before = due_of(room);
    if (before <= at || room.is_removed()) return;
    due_.erase({before, &room});
    set_due(room, at);
    due_.emplace(at, &room);
    if (due_.begin()->second == &room) changed_.notify_one();
}

void Keeper::forget(HostedRoom& room) {
    const std::lock_guard lock(mutex_);
    due_.erase({due_of(room), &room});
    set_due(room, instant_max);
}

void Keeper::run() {
    for (;;) {
        Instant wanted = next_pulse_;
        {
            std::unique_lock lock(mutex_);
            if (stopping_) return;
            if (!due_.empty()) wanted = std::min(wanted, due_.begin()->first);
            const Millis rest = wanted - clock_.now();
            if (rest > Millis{0}) {
                changed_.wait_for(lock, std::chrono::milliseconds(rest.count));
                continue; // Something may be due earlier now; look again.
            }
        }
        quiet_.online(quiet_slot_);
        wake_after_stall(wanted);
        tick_due_rooms();
        if (clock_.now() >= next_pulse_) publish_pulses();
        quiet_.offline(quiet_slot_);
        quiet_.retire({});
    }
}

void Keeper::wake_after_stall(Instant expected) {
    if (clock_.now() - expected < stall_min) return;
    for (const std::shared_ptr<HostedRoom>& room : rooms_.all())
        store_.submit(*room, Wake{}, nullptr, {});
}

void Keeper::tick_due_rooms() {
    for (;;) {
        std::shared_ptr<HostedRoom> room;
        {
            const std::lock_guard lock(mutex_);
            if (due_.empty() || due_.begin()->first > clock_.now()) return;
            HostedRoom* due = due_.begin()->second;
            due_.erase(due_.begin());
            set_due(*due, instant_max);
            // A shared_ptr: an operator may remove the room while it is being ticked.
            room = due->weak_from_this().lock();
        }
        if (room) store_.submit(*room, Tick{}, nullptr, {});
    }
}

void Keeper::publish_pulses() {
    next_pulse_ = std::max(next_pulse_ + pulse_interval, clock_.now());
    for (const std::shared_ptr<HostedRoom>& room : rooms_.all()) {
        // The pulse of a room that was not written to has not changed.
        if (room->pulse().take_wanted(room->streams() > 0)) publish_(room);
    }
}

} // namespace anteroom
