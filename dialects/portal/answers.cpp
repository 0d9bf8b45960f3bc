// How system P answers: its envelopes, and those of its gateway.
#include "desk/json_answer.h"
#include "dialects/portal/entry_status.h"
#include "dialects/portal/portal.h"
#include "net/output.h"

namespace anteroom::portal {
namespace {

using net::compose;
using net::Status;

constexpr std::uint64_t retry_seconds = 5;

} // namespace

net::Answer Portal::begin(Ask& ask, Status status) {
    return begin_json(desk_, ask, status);
}

net::Answer Portal::begin(Later& later, Status status) {
    return begin_json(desk_, later, status);
}

void Portal::write_error(net::Answer& answer, const Error& error, std::string_view data,
                         std::string_view more) {
    if (error.status == Status::unavailable) answer.header("Retry-After", retry_seconds);
    if (error.of_gateway && error.status == Status::unauthorized)
        answer.header("WWW-Authenticate", "Bearer");
    net::Output& out = answer.body();
    compose(out, R"({"success":false,)");
    if (error.of_gateway) compose(out, R"("data":null,)");
    if (!data.empty()) compose(out, R"("data":)", data, ",");
    compose(out, R"("error":{"code":")", error.code, R"(","message":")", error.message,
            R"(","timestamp":")", iso_time(desk_.service().clock().now()), R"(")", more, "}}");
}

void Portal::write_success(net::Answer& answer, std::string_view data) {
    compose(answer.body(), R"({"success":true)");
    if (!data.empty()) compose(answer.body(), R"(,"data":)", data);
    compose(answer.body(), "}");
}

void Portal::refuse(Ask& ask, const Error& error, std::string_view more) {
    net::Answer answer = begin(ask, error.status);
    write_error(answer, error, {}, more);
}

void Portal::refuse(Later& later, const Error& error, std::string_view data) {
    net::Answer answer = begin(later, error.status);
    write_error(answer, error, data, {});
}

void Portal::refuse(Later& later, Reason reason) {
    switch (reason) {
        case Reason::room_draining:
        case Reason::room_closed: return refuse(later, errors::queue_not_found);
        case Reason::outer_required:
        case Reason::outer_unknown:
        case Reason::outer_not_released:
        case Reason::outer_taken:
        case Reason::not_called: return refuse(later, errors::not_allowed);
        case Reason::unknown_number: return refuse(later, errors::entry_not_found);
        default: return refuse(later, errors::unavailable);
    }
}

// As the gateway says it, which stood in front of the original.
void Portal::refuse_caller(Ask& ask, const Caller& caller) {
    if (!caller.user.empty()) return refuse(ask, errors::forbidden);
    if (caller.token_expired) return refuse(ask, errors::login_expired);
    refuse(ask, caller.has_token ? errors::login_invalid : errors::unauthenticated);
}

std::string Portal::status_of(const HostedRoom& room, const Standing& standing) {
    return status_json(room, standing, token_of(room, standing.number));
}

} // namespace anteroom::portal
