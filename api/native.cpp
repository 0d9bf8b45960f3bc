#include "api/native.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.h"
#include "net/url.h"
#include "service/room_fields.h"

namespace anteroom::api {
namespace {

constexpr std::int64_t retry_seconds_min = 5;

} // namespace

Native::Native(Desk& desk, Hub& hub, Dialects dialects)
    : desk_(desk), service_(desk.service()), hub_(hub), dialects_(dialects) {
    hub_.set_writer([this](const HostedRoom& room, Number number, std::string& out) {
        fmt::memory_buffer text;
        const VisitorState told =
            write_standing(text, room, number, ticket_of(room, number).view());
        out.append(text.data(), text.size());
        return told;
    });
}

void Native::add_routes(Router& router) {
    const bool has_site = gate_ && gate_->has_origin();
    for (const NativeRoute& route : native_routes())
        if (!(has_site && route.is_site))
            router.add(*this, route.method, route.pattern,
                       [this, &route](Call& call) { begin_route(call, route); });
}

// Every first parameter of a native route is a room.
void Native::begin_route(Call& call, const NativeRoute& route) {
    // Ids need no escapes, but a client may write them so: %2D is a hyphen.
    std::string decoded;
    const std::string_view room = call.parameter(0);
    if (room.find('%') != room.npos) {
        decoded = net::percent_decode(room).value_or("");
        call.set_parameter(0, decoded);
    }
    if (!room.empty() && !is_room_id(call.parameter(0)))
        return refuse(call, Code::bad_request, "a room id is 1 to 128 of A-Z a-z 0-9 . _ : ~ -");
    if (may_call(call, route.role)) (this->*route.handler)(call);
}

bool Native::may_call(Call& call, Role role) {
    if (role == Role::everybody) return true;
    const Caller& caller = call.caller();
    if (caller.is_admin) return true;
    if (role == Role::insider && caller.is_backend) return true;
    const bool known = !caller.user.empty();
    refuse(call, known ? Code::forbidden : Code::unauthorized,
           known ? "this needs the admin role" : "this needs the admin token");
    return false;
}

CrossOrigin Native::cross_origin(std::string_view) const {
    return {.methods = "GET, POST, PUT, DELETE, OPTIONS",
            .headers = "Authorization, Content-Type, X-Request-ID",
            .refuses_strangers = true};
}

void Native::refuse_method(Call& call, std::string_view allowed) {
    net::Answer answer = call.begin(problem_of(Code::method_not_allowed).status);
    answer.header("Allow", allowed);
    write_problem(answer, Code::method_not_allowed, {}, call.request_id());
}

void Native::refuse(Call& call, Code code, std::string_view detail, std::int64_t retry_after) {
    const Problem& problem = problem_of(code);
    const bool may_retry = problem.status == net::Status::too_many_requests ||
                           problem.status == net::Status::unavailable;
    net::Answer answer = call.begin(problem.status);
    if (may_retry)
        answer.header("Retry-After",
                      static_cast<std::uint64_t>(std::max(retry_after, retry_seconds_min)));
    write_problem(answer, code, detail, call.request_id());
}

void Native::refuse(Call& call, const Outcome& outcome) {
    const Reason reason = std::get<Refused>(outcome).reason;
    refuse(call, code_of(reason), in_words(reason));
}

HostedRoom* Native::find_room(Call& call) {
    const RoomSight room = desk_.visits().room_of(call.parameter(0));
    if (const auto* found = std::get_if<HostedRoom*>(&room)) return *found;
    const bool may_come = std::holds_alternative<NotHeard>(room);
    refuse(call, may_come ? Code::unavailable : Code::room_not_found);
    return nullptr;
}

} // namespace anteroom::api
