// The pulse on the wire: docs/formats.md, "pulse", version 1.
#pragma once

#include <string>

#include "base/time.h"
#include "service/hosted_room.h"
#include "service/pulse_news.h"

namespace anteroom {

// Reader-safe.
PulseContent pulse_content(const HostedRoom& hosted);
std::string pulse_json(const HostedRoom& hosted, const PulseContent& content, Instant now);
// The frame of this moment.
inline std::string pulse_json(const HostedRoom& hosted, Instant now) {
    return pulse_json(hosted, pulse_content(hosted), now);
}

} // namespace anteroom
