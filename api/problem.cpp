#include "api/problem.h"

#include <fmt/format.h>

#include <array>

#include "base/json_text.h"

namespace anteroom::api {
namespace {

using net::Status;

// In the order of Code.
constexpr std::array problems{
    Problem{Status::bad_request, "bad_request", "The request cannot be understood"},
    Problem{Status::unauthorized, "unauthorized", "Authentication is required"},
    Problem{Status::forbidden, "forbidden", "This is not allowed"},
    Problem{Status::not_found, "not_found", "There is nothing here"},
    Problem{Status::method_not_allowed, "method_not_allowed", "This method is not allowed here"},
    Problem{Status::not_found, "room_not_found", "There is no such room"},
    Problem{Status::unavailable, "room_full", "The room is full"},
    Problem{Status::conflict, "room_paused", "The room is paused"},
    Problem{Status::conflict, "room_draining", "The room takes nobody new"},
    Problem{Status::conflict, "room_closed", "The room is closed"},
    Problem{Status::forbidden, "outer_required", "The outer line comes first"},
    Problem{Status::forbidden, "outer_refused", "The place in the outer line does not count"},
    Problem{Status::unauthorized, "ticket_invalid", "The ticket is not valid here"},
    Problem{Status::gone, "ticket_expired", "The ticket is too old"},
    Problem{Status::conflict, "not_called", "The turn has not come"},
    Problem{Status::conflict, "lane_in_use", "Somebody stands in that lane"},
    Problem{Status::too_many_requests, "rate_limited", "Too many requests"},
    Problem{Status::unavailable, "unavailable", "The service is not available at the moment"},
    Problem{Status::internal_error, "internal", "Something went wrong here"},
};
static_assert(problems.size() == static_cast<std::size_t>(Code::internal) + 1);

} // namespace

const Problem& problem_of(Code code) {
    return problems[static_cast<std::size_t>(code)];
}

Code code_of(Reason reason) {
    switch (reason) {
        case Reason::room_full: return Code::room_full;
        case Reason::room_draining: return Code::room_draining;
        case Reason::room_closed: return Code::room_closed;
        case Reason::room_paused: return Code::room_paused;
        case Reason::not_paused: return Code::bad_request;
        case Reason::unavailable: return Code::unavailable;
        case Reason::outer_required: return Code::outer_required;
        case Reason::outer_unknown:
        case Reason::outer_not_released:
        case Reason::outer_taken:
        case Reason::outer_inactive: return Code::outer_refused;
        case Reason::unknown_number: return Code::ticket_expired;
        case Reason::not_called: return Code::not_called;
        case Reason::redeemed: return Code::forbidden;
        case Reason::lane_in_use: return Code::lane_in_use;
        case Reason::none: return Code::internal;
        default: return Code::bad_request; // Impossible settings, unknown lanes, bad counts.
    }
}

void write_problem(net::Answer& answer, Code code, std::string_view detail,
                   const RequestId& request_id) {
    const Problem& problem = problem_of(code);
    answer.headers("Content-Type: application/problem+json\r\nCache-Control: no-store\r\n");
    if (problem.status == net::Status::unauthorized) answer.header("WWW-Authenticate", "Bearer");
    net::Output& out = answer.body();
    fmt::format_to(fmt::appender(out),
                   R"({{"type":"about:blank#{}","title":"{}","status":{},"code":"{}","detail":)",
                   problem.code, problem.title, net::code(problem.status), problem.code);
    append_json_string(out, detail.empty() ? problem.title : detail);
    fmt::format_to(fmt::appender(out), R"(,"request_id":"{}"}})", request_id.view());
}

} // namespace anteroom::api
