// The pulse on the wire: docs/formats.md, "pulse", version 1.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/time.h"
#include "service/hosted_room.h"
#include "service/pulse_news.h"

namespace anteroom {

// Appends text as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
void append_json_string(fmt::memory_buffer& out, std::string_view text);

// Reader-safe.
PulseContent pulse_content(const HostedRoom& hosted);
std::string pulse_json(const HostedRoom& hosted, const PulseContent& content, Instant now);
// The frame of this moment.
inline std::string pulse_json(const HostedRoom& hosted, Instant now) {
    return pulse_json(hosted, pulse_content(hosted), now);
}

} // namespace anteroom
