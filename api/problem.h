// Refusals as RFC 9457 problem documents, with a code that stays the same for ever.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/outcome.h"
#include "net/status.h"

namespace anteroom::api {

enum class Code : std::uint8_t {
    bad_request,
    unauthorized,
    forbidden,
    not_found,
    method_not_allowed,
    room_not_found,
    room_full,
    room_paused,
    room_draining,
    room_closed,
    outer_required,
    outer_refused,
    ticket_invalid,
    ticket_expired,
    not_called,
    lane_in_use,
    rate_limited,
    unavailable,
    internal,
};

struct Problem {
    net::Status status;
    std::string_view code;
    std::string_view title;
};

const Problem& problem_of(Code code);
// A room's "no" as the API says it.
Code code_of(Reason reason);

} // namespace anteroom::api
