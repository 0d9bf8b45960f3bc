// How system P answers: its envelopes, and those of its gateway.
#include "base/json_text.h"
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

void Portal::write_error(net::Answer& answer, const Error& error, const ErrorExtras& extras) {
    if (error.status == Status::unavailable) answer.header("Retry-After", retry_seconds);
    if (error.of_gateway && error.status == Status::unauthorized)
        answer.header("WWW-Authenticate", "Bearer");
    net::Output& out = answer.body();
    compose(out, R"({"success":false,)");
    if (error.of_gateway) compose(out, R"("data":null,)");
    if (!extras.data.empty()) compose(out, R"("data":)", extras.data, ",");
    compose(out, R"("error":{"code":")", error.code, R"(","message":")", error.message,
            R"(","timestamp":")", iso_time(desk_.service().clock().now()), R"(")", extras.members,
            "}}");
}

void Portal::refuse(Call& call, const Error& error, const ErrorExtras& extras) {
    net::Answer answer = begin_json(call, error.status);
    write_error(answer, error, extras);
}

void Portal::refuse(Call& call, Reason reason) {
    switch (reason) {
        case Reason::room_draining:
        case Reason::room_closed: return refuse(call, errors::queue_not_found);
        case Reason::outer_required:
        case Reason::outer_unknown:
        case Reason::outer_not_released:
        case Reason::outer_taken:
        case Reason::not_called: return refuse(call, errors::not_allowed);
        case Reason::unknown_number: return refuse(call, errors::entry_not_found);
        default: return refuse(call, errors::unavailable);
    }
}

void Portal::refuse_fields(Call& call, const std::vector<FieldFault>& faults) {
    std::string members = R"(,"path":)";
    append_json_string(members, call.request().path);
    members += "," + details_json(faults);
    refuse(call, errors::invalid_input, {.members = members});
}

void Portal::refuse_method(Call& call, std::string_view allowed) {
    net::Answer answer = begin_json(call, errors::wrong_method.status);
    answer.header("Allow", allowed);
    write_error(answer, errors::wrong_method);
}

void Portal::refuse_path(Call& call) {
    refuse(call, errors::not_found);
}

// As the gateway says it, which stood in front of the original.
void Portal::refuse_caller(Call& call) {
    const Caller& caller = call.caller();
    if (!caller.user.empty()) return refuse(call, errors::forbidden);
    if (caller.token_expired) return refuse(call, errors::login_expired);
    refuse(call, caller.has_token ? errors::login_invalid : errors::unauthenticated);
}

bool Portal::over_limit(Call& call, bool owns, std::int64_t wait_seconds) {
    if (!owns) return false;
    net::Answer answer = begin_json(call, errors::too_many.status);
    answer.header("Retry-After", static_cast<std::uint64_t>(wait_seconds));
    write_error(answer, errors::too_many);
    return true;
}

void Portal::answer_success(Call& call, std::string_view data) {
    net::Answer answer = begin_json(call, Status::ok);
    compose(answer.body(), R"({"success":true)");
    if (!data.empty()) compose(answer.body(), R"(,"data":)", data);
    compose(answer.body(), "}");
}

std::string Portal::status_of(const HostedRoom& room, const Standing& standing) {
    return status_json(room, standing, token_of(room, standing.number));
}

void Portal::answer_status(Call& call, const HostedRoom& room, const Standing& standing) {
    answer_success(call, status_of(room, standing));
}

const Stands* Portal::stands_of(Call& call, const Sight& sight, const Error& missing) {
    const auto* stands = std::get_if<Stands>(&sight);
    if (std::holds_alternative<NotHeard>(sight)) refuse(call, errors::unavailable);
    if (std::holds_alternative<OfAnother>(sight)) refuse(call, errors::user_mismatch);
    if (std::holds_alternative<NoVisit>(sight)) refuse(call, missing);
    return stands;
}

} // namespace anteroom::portal
