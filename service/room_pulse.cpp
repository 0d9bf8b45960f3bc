#include "service/room_pulse.h"

#include "service/pulse_json.h"

namespace anteroom {
namespace {

constexpr Millis document_age_max = seconds(1); // As its Cache-Control says.

} // namespace

RoomPulse::Published RoomPulse::publish(const HostedRoom& room, Instant now) {
    const std::lock_guard lock(mutex_);
    PulseContent content = pulse_content(room);
    document_ = net::make_frame(pulse_json(room, content, now));
    made_at_ = now;
    const PulseNews::Verdict verdict = news_.judge(content, now);
    if (verdict != PulseNews::Verdict::now)
        return {.event = {}, .is_put_off = verdict == PulseNews::Verdict::later};
    news_.tell(std::move(content), now);
    told_.frame = net::make_frame("event: pulse\ndata: " + *document_ + "\n\n");
    ++told_.version;
    return {.event = told_};
}

net::Frame RoomPulse::document(const HostedRoom& room, Instant now) {
    const std::lock_guard lock(mutex_);
    if (!document_ || now - made_at_ >= document_age_max) {
        document_ = net::make_frame(pulse_json(room, now));
        made_at_ = now;
    }
    return document_;
}

RoomPulse::Event RoomPulse::told() const {
    const std::lock_guard lock(mutex_);
    return told_;
}

} // namespace anteroom
