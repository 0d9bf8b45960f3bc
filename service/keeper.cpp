#include "service/keeper.h"

#include <chrono>

namespace anteroom {
namespace {

constexpr Millis pulse_interval = seconds(1);
// Later than this and it was we who were away (stopped, or starved): nobody may be blamed for
// silence.
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

void Keeper::schedule(HostedRoom& room, Instant at) {
    const std::lock_guard lock(mutex_);
    if (room.scheduled <= at || room.removed.load(std::memory_order_acquire)) return;
    due_.erase({room.scheduled, &room});
    room.scheduled = at;
    due_.emplace(at, &room);
    if (due_.begin()->second == &room) changed_.notify_one();
}

void Keeper::forget(HostedRoom& room) {
    const std::lock_guard lock(mutex_);
    due_.erase({room.scheduled, &room});
    room.scheduled = instant_max;
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
            due->scheduled = instant_max;
            // Shared, not borrowed: an operator may remove the room while it is being ticked.
            room = due->weak_from_this().lock();
        }
        if (room) store_.submit(*room, Tick{}, nullptr, {});
    }
}

void Keeper::publish_pulses() {
    next_pulse_ = std::max(next_pulse_ + pulse_interval, clock_.now());
    for (const std::shared_ptr<HostedRoom>& room : rooms_.all()) {
        // A room that nobody wrote to says what it said before.
        const bool wanted = room->streams.load(std::memory_order_relaxed) > 0 &&
                            room->stirred.exchange(false, std::memory_order_acq_rel);
        if (room->changed.exchange(false, std::memory_order_acq_rel) || wanted) publish_(room);
    }
}

} // namespace anteroom
