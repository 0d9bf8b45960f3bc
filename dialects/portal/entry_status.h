// The status object of system P: a standing in its words, with the Korean texts that its clients
// show.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "service/hosted_room.h"

namespace anteroom::portal {

// position / batch x interval, and the last batch counts although it is not full.
std::int64_t estimated_seconds(std::uint64_t position, std::int64_t batch, Millis interval);

// {"entryToken":…}, and the same without its braces.
std::string status_json(const HostedRoom& room, const Standing& standing, std::string_view token);
std::string status_members(const HostedRoom& room, const Standing& standing,
                           std::string_view token);

// "2026-02-06T14:30:00.123", in UTC.
std::string iso_time(Instant at);

} // namespace anteroom::portal
