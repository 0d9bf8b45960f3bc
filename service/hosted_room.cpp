#include "service/hosted_room.h"

namespace anteroom {

void HostedRoom::set_profile(Profile profile) {
    auto fresh = std::make_unique<Profile>(std::move(profile));
    Retired retired;
    retired.add(
        std::unique_ptr<Profile>(profile_.exchange(fresh.release(), std::memory_order_acq_rel)));
    quiet_.retire(std::move(retired));
    pulse_.stir();
}

HostedRoom::Writing::Writing(HostedRoom& hosted) : hosted_(hosted), lock_(hosted.writing_) {}

HostedRoom::Writing::~Writing() {
    Retired retired = hosted_.room_.take_retired();
    hosted_.pulse_.stir();
    lock_.unlock();
    if (!retired.empty()) hosted_.quiet_.retire(std::move(retired));
}

} // namespace anteroom
