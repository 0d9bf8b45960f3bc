// Refusals as RFC 9457 problem documents, with a code that stays the same for ever.
#pragma once

#include <cstdint>
#include <string_view>

#include "desk/request_id.h"
#include "engine/outcome.h"
#include "net/exchange.h"
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
// Headers and body. REQUIRES: the answer has the status of the code.
void write_problem(net::Answer& answer, Code code, std::string_view detail,
                   const RequestId& request_id);
// A room's "no" as the API says it.
Code code_of(Reason reason);

} // namespace anteroom::api
