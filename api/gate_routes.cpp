// What proxies, edges and the holders of passes ask.
#include <fmt/format.h>

#include "api/native.h"
#include "api/room_witness.h"
#include "net/url.h"
#include "service/room_fields.h"

namespace anteroom::api {

using net::Status;

namespace {

constexpr std::string_view pass_header = "x-queue-entry-token";

std::string_view shown_pass(const net::Request& request, std::string_view room_id) {
    std::string_view pass = request.single_header(pass_header).value_or("");
    if (pass.empty()) pass = bearer(request);
    if (pass.empty()) pass = cookie(request, gate::entry_cookie);
    if (pass.empty()) pass = cookie(request, pass_cookie_name(room_id));
    return pass;
}

// A path of this site and nothing else: who is sent on must not be sent away.
bool is_local_path(std::string_view path) {
    if (!path.starts_with('/') || path.starts_with("//") || path.starts_with("/\\")) return false;
    return path.find_first_of("\r\n\\") == path.npos && path.size() <= 2'000;
}

} // namespace

// Forward auth. About a request that a proxy describes: the gate's rules decide. About a room: is
// there a pass for it with the request, and is its visitor inside?
void Native::verify(Call& call) {
    if (gate_ && GateKeeper::is_forward_auth(call)) return gate_->verify(call);
    const std::optional<net::Query> query = net::Query::parse(call.request().query);
    const std::string* room_id = query ? query->find("room") : nullptr;
    if (!room_id || !is_room_id(*room_id))
        return refuse(call, Code::bad_request,
                      "name the room, /v1/verify?room=ID, or the request: X-Original-URI");
    const std::string_view pass = shown_pass(call.request(), *room_id);
    if (pass.empty()) return refuse(call, Code::unauthorized, "there is no pass with the request");
    const Caller nobody;
    RoomWitness witness(desk_, call, nobody, gate_ && gate_->wants_sessions(), dialects_);
    const gate::ShownPass shown = witness.entry_pass(pass, *room_id);
    if (!shown.valid)
        return refuse(call, Code::forbidden,
                      shown.why == "visit_is_over" ? "the visit that this pass was for is over"
                                                   : "the pass is not valid here");
    net::Answer answer = call.begin(Status::no_content);
    answer.header("X-Anteroom-Room", *room_id);
    answer.header("X-Anteroom-Visitor", shown.visitor);
    answer.header("X-Anteroom-Number", witness.number());
    answer.send();
}

// A pass becomes a session, once: whoever shows a copy later is refused. Browsers are sent on to
// ?next=/path.
void Native::redeem(Call& call) {
    HostedRoom* found = find_room(call);
    if (!found) return;
    const std::optional<net::Query> query = net::Query::parse(call.request().query);
    const std::string* next = query ? query->find("next") : nullptr;
    const bool is_browser = call.request().method != net::Method::post;
    if (is_browser && (!next || !is_local_path(*next)))
        return refuse(call, Code::bad_request, "say where to go: ?next=/path");
    const std::string_view pass = shown_pass(call.request(), call.parameter(0));
    if (pass.empty()) return refuse(call, Code::unauthorized, "there is no pass with the request");
    const token::PassVerdict verdict = office().verifier.verify(
        pass, call.unix_now(), {.room = call.parameter(0), .tier = token::Tier::entry});
    const auto* verified = std::get_if<token::VerifiedPass>(&verdict);
    if (!verified || !verified->pass_id.empty())
        return refuse(call, Code::forbidden, "the pass is not valid here");
    const std::string visitor(verified->visitor);
    const VisitorKey key = key_from_text(visitor).value_or(office().key_of(visitor));
    const Number number = found->view().find(key);
    if (number == 0)
        return refuse(call, Code::forbidden, "the visit that this pass was for is over");
    desk_.submit(call, *found, Redeem{number},
                 [this, &room = *found, visitor, is_browser, secure = call.request().secure,
                  next = next ? *next : std::string()](Call& asked, const Outcome& outcome) {
                     const auto* standing = std::get_if<Standing>(&outcome);
                     if (!standing) return refuse(asked, outcome);
                     const std::optional<IssuedPass> session =
                         desk_.issue_pass(room, *standing, visitor, service_.clock().now(),
                                          limits::span_max, session_id(standing->number));
                     if (!session) return refuse(asked, Code::internal);
                     net::Answer answer = asked.begin(is_browser ? Status::see_other : Status::ok);
                     const std::int64_t seconds = session->expires_in_seconds;
                     answer.header("Set-Cookie", set_cookie(pass_cookie_name(room.id()),
                                                            session->text, secure, seconds));
                     answer.header("Set-Cookie", set_cookie(gate::entry_cookie, session->text,
                                                            secure, seconds, SameSite::strict));
                     answer.header("Cache-Control", "no-store");
                     if (is_browser) {
                         answer.header("Location", next);
                         return answer.send();
                     }
                     answer.header("Content-Type", "application/json");
                     fmt::format_to(fmt::appender(answer.body()),
                                    R"({{"room":"{}","pass":"{}","pass_expires_in":{}}})",
                                    room.id(), session->text, session->expires_in_seconds);
                 });
}

// For edges that check passes by themselves: which outer lines are active.
void Native::edge_active(Call& call) {
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "application/json");
    answer.header("Cache-Control", "public, max-age=1");
    net::Output& out = answer.body();
    net::append(out, R"({"active":[)");
    const char* separator = "";
    for (const std::shared_ptr<HostedRoom>& room : service_.rooms().all()) {
        if (!room->view().outer().active()) continue;
        fmt::format_to(fmt::appender(out), R"({}"{}")", std::exchange(separator, ","), room->id());
    }
    net::append(out, "]}");
}

} // namespace anteroom::api
