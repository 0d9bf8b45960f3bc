// A standing on the wire: docs/api.md.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "engine/outcome.h"
#include "service/hosted_room.h"

namespace anteroom::api {

// What a visitor who may go in is given with the standing.
struct PassInHand {
    std::string_view pass;
    std::int64_t expires_in_seconds = 0;
};

struct StandingExtras {
    std::string_view ticket;
    std::optional<PassInHand> pass = std::nullopt;
};

void append_standing(fmt::memory_buffer& out, const HostedRoom& room, const Standing& standing,
                     Instant now, const StandingExtras& extras);

} // namespace anteroom::api
