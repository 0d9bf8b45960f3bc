#include "service/hosted_room.h"

namespace anteroom {

void HostedRoom::set_profile(Profile profile) {
    auto fresh = std::make_unique<Profile>(std::move(profile));
    Retired retired;
    retired.add(
        std::unique_ptr<Profile>(profile_.exchange(fresh.release(), std::memory_order_acq_rel)));
    quiet_.retire(std::move(retired));
}

HostedRoom::Writing::Writing(HostedRoom& hosted) : hosted_(hosted), lock_(hosted.writing_) {}

HostedRoom::Writing::~Writing() {
    Retired retired = hosted_.room_.take_retired();
    lock_.unlock();
    if (!retired.empty()) hosted_.quiet_.retire(std::move(retired));
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
