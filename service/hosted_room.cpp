#include "service/hosted_room.h"

namespace anteroom {

void HostedRoom::set_profile(Profile profile) {
    auto fresh = std::make_unique<Profile>(std::move(profile));
    Retired retired;
    retired.add(
        std::unique_ptr<Profile>(profile_.exchange(fresh.release(), std::memory_order_acq_rel)));
    quiet_.retire(std::move(retired));
}

HostedRoom::Applied HostedRoom::apply(const Command& command, Instant now, Facts& facts) {
    Retired retired;
    Applied applied;
    {
        const std::lock_guard lock(writing_);
        applied.outcome = room_.apply(command, now, facts);
        applied.due = room_.next_deadline();
        retired = room_.take_retired();
    }
    if (!retired.empty()) quiet_.retire(std::move(retired));
    return applied;
}

HostedRoom::PulseFrames HostedRoom::pulse() const {
    const std::lock_guard lock(pulse_mutex_);
    return pulse_;
}

void HostedRoom::set_pulse(PulseFrames frames) {
    const std::lock_guard lock(pulse_mutex_);
    pulse_ = std::move(frames);
}

} // namespace anteroom
