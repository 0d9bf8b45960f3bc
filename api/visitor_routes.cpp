// What a visitor can ask: a place, where it is, to go in, to be done, to leave, to be told.
#include <fmt/format.h>

#include "api/api.h"
#include "api/body.h"
#include "api/json_answer.h"
#include "api/standing_json.h"
#include "net/url.h"
#include "service/room_fields.h"

namespace anteroom::api {
namespace {

using net::Status;

constexpr std::size_t visitor_id_length_max = 256;

std::optional<PassInHand> in_hand(const auto& pass) {
    if (!pass) return std::nullopt;
    return PassInHand{.pass = pass->text, .expires_in_seconds = pass->expires_in_seconds};
}

// The name of the cookie that holds the ticket of a room.
fmt::memory_buffer ticket_cookie_name(const HostedRoom& room) {
    fmt::memory_buffer name; // Not a string: polls come this way, and polls do not allocate.
    fmt::format_to(fmt::appender(name), "anteroom-{}", room.id());
    return name;
}

std::string_view ticket_in_cookie(const net::Request& request, const HostedRoom& room) {
    if (!request.header("cookie")) return {};
    const fmt::memory_buffer name = ticket_cookie_name(room);
    return cookie(request, {name.data(), name.size()});
}

} // namespace

std::string pass_cookie_name(std::string_view room_id) {
    return "anteroom-pass-" + std::string(room_id);
}

token::NativeTicket Api::ticket_of(const HostedRoom& room, Number number) const {
    return office().tickets.mint_native(
        {.kind = token::TicketKind::inner, .room = room.index(), .number = number});
}

std::string Api::ticket_cookie(const HostedRoom& room, Number number, bool secure) const {
    const fmt::memory_buffer name = ticket_cookie_name(room);
    return set_cookie({name.data(), name.size()}, ticket_of(room, number).view(), secure);
}

VisitorState Api::write_standing(fmt::memory_buffer& out, const HostedRoom& room, Number number,
                                 std::string_view ticket) const {
    const Instant now = service_.clock().now();
    const Standing standing = room.view().standing(number);
    if (!room.may_tell(standing)) return VisitorState::unknown;
    const std::optional<IssuedPass> pass = desk_.issue_pass(room, standing, {}, now);
    append_standing(out, room, standing, now, {.ticket = ticket, .pass = in_hand(pass)});
    return standing.state;
}

// The same as an answer; who may go in also gets the pass as a cookie, for the gate.
void Api::answer_standing(net::Answer& answer, const HostedRoom& room, const Standing& standing,
                          std::string_view ticket, std::string_view user, bool secure) const {
    const Instant now = service_.clock().now();
    const std::optional<IssuedPass> pass = desk_.issue_pass(room, standing, user, now);
    answer.headers(json_unstored);
    if (pass && !standing.redeemed)
        answer.header("Set-Cookie", set_cookie(pass_cookie_name(room.id()), pass->text, secure,
                                               pass->expires_in_seconds));
    append_standing(answer.body(), room, standing, now, {.ticket = ticket, .pass = in_hand(pass)});
}

bool Api::find_ticket(Ask& ask, Held& held, bool query_allowed) {
    held.room = find_room(ask);
    if (!held.room) return false;
    held.ticket = bearer(ask.request);
    if (held.ticket.find('.') != held.ticket.npos) held.ticket = {}; // A user's token, no ticket.
    if (held.ticket.empty() && query_allowed && ask.request.query.starts_with("ticket="))
        held.ticket = ask.request.query.substr(7, ask.request.query.find('&') - 7);
    if (held.ticket.empty()) held.ticket = ticket_in_cookie(ask.request, *held.room);
    if (held.ticket.empty()) {
        refuse(ask, Code::ticket_invalid, "there is no ticket with the request");
        return false;
    }
    held.room->view().expect(token::TicketBook::unverified_number(held.ticket));
    const token::TicketVerdict verdict = office().tickets.read(held.ticket, ask.unix_now());
    const auto* content = std::get_if<token::TicketContent>(&verdict);
    // Tickets of other systems have a generation.
    if (!content || content->kind != token::TicketKind::inner || content->generation != 0 ||
        content->room != held.room->index()) {
        refuse(ask, Code::ticket_invalid);
        return false;
    }
    held.number = content->number;
    return true;
}

void Api::look(Ask& ask) {
    Held held;
    if (!find_ticket(ask, held)) return;
    held.room->counters().note_poll();
    if (held.room->age(ask.now) > limits::age_max) return refuse(ask, Code::unavailable);
    const Room& view = held.room->view();
    if (!held.room->touch(held.number, ask.now))
        return submit_for_standing(ask, held, Touch{held.number});
    const Standing standing = view.standing(held.number);
    // A moment ago called, or over: said when it is on the disk.
    if (!held.room->may_tell(standing)) return submit_for_standing(ask, held, Touch{held.number});
    net::Answer answer = begin(ask, Status::ok);
    if (is_inside(standing.state))
        return answer_standing(answer, *held.room, standing, held.ticket, {}, ask.request.secure);
    answer.headers(json_unstored);
    append_standing(answer.body(), *held.room, standing, ask.now, {.ticket = held.ticket});
}

void Api::join(Ask& ask) {
    const Caller caller = desk_.identify(ask);
    JoinBody body;
    if (const std::string fault = read_join_body(ask.request.body, body); !fault.empty())
        return refuse(ask, Code::bad_request, fault);
    const bool speaks_for_others = caller.is_admin || caller.is_backend;
    const bool names_another = body.visitor && *body.visitor != caller.user;
    if ((names_another || body.lane) && !speaks_for_others)
        return refuse(ask, Code::forbidden, "only a trusted backend may name a visitor or a lane");
    if (body.visitor && body.visitor->size() > visitor_id_length_max)
        return refuse(ask, Code::bad_request, "a visitor id has at most 256 characters");
    if (const std::int64_t wait = speaks_for_others ? 0 : desk_.join_wait(ask); wait > 0)
        return refuse(ask, Code::rate_limited, "too many joins from this address", wait);
    const std::optional<Visitor> visitor =
        desk_.name_visitor(ask, body.visitor.value_or(caller.user));
    if (!visitor) return refuse(ask, Code::unavailable);
    if (!service_.is_writable()) return refuse(ask, Code::unavailable);
    const std::shared_ptr<HostedRoom> room = service_.find_or_make(ask.room_id);
    if (!room) return refuse(ask, Code::room_not_found);
    if (!takes(room->profile(), ""))
        return refuse(ask, Code::forbidden, "places in this room are taken in another way");
    const std::optional<std::uint8_t> lane = lane_number(room->profile(), body.lane.value_or(""));
    if (!lane) return refuse(ask, Code::bad_request, "there is no such lane");

    const Join command{.visitor = visitor->key, .lane = *lane};
    service_.submit(
        *room, command, &loop_,
        [this, room, secure = ask.request.secure, visitor = *visitor,
         later = defer(ask)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(later, code_of(refused->reason), in_words(refused->reason));
            const Standing& standing = std::get<Standing>(outcome);
            net::Answer answer = begin(later, standing.is_new ? Status::created : Status::ok);
            if (!visitor.cookie.empty()) answer.header("Set-Cookie", visitor.cookie);
            answer.header("Set-Cookie", ticket_cookie(*room, standing.number, secure));
            answer_standing(answer, *room, standing, ticket_of(*room, standing.number).view(),
                            visitor.id, secure);
        },
        body.visitor.value_or(caller.user));
}

void Api::submit_for_standing(Ask& ask, const Held& held, const Command& command) {
    const std::shared_ptr<HostedRoom> room = held.room->shared_from_this();
    service_.submit(
        *room, command, &loop_,
        [this, room, number = held.number, ticket = std::string(held.ticket),
         secure = ask.request.secure, later = defer(ask)](const Outcome& outcome) mutable {
            const auto* refused = std::get_if<Refused>(&outcome);
            // Nothing can be written now; what was written before is still true.
            const Standing before = room->view().standing(number);
            const bool is_known = before.state != VisitorState::unknown && room->may_tell(before);
            if (refused && !(refused->reason == Reason::unavailable && is_known))
                return refuse(later, code_of(refused->reason), in_words(refused->reason));
            net::Answer answer = begin(later, Status::ok);
            answer_standing(answer, *room, refused ? before : std::get<Standing>(outcome), ticket,
                            {}, secure);
        });
}

void Api::submit_for_nothing(Ask& ask, const Held& held, const Command& command) {
    const std::shared_ptr<HostedRoom> room = held.room->shared_from_this();
    service_.submit(
        *room, command, &loop_, [this, room, later = defer(ask)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(later, code_of(refused->reason), in_words(refused->reason));
            begin(later, Status::no_content).send();
        });
}

void Api::claim(Ask& ask) {
    Held held;
    if (find_ticket(ask, held)) submit_for_standing(ask, held, Claim{held.number});
}

void Api::finish(Ask& ask) {
    Held held;
    if (find_ticket(ask, held)) submit_for_nothing(ask, held, Finish{held.number});
}

void Api::leave(Ask& ask) {
    Held held;
    if (find_ticket(ask, held)) submit_for_nothing(ask, held, Leave{held.number});
}

void Api::events(Ask& ask) {
    Held held;
    if (!find_ticket(ask, held, true)) return;
    if (held.room->view().standing(held.number).state == VisitorState::unknown)
        return refuse(ask, Code::ticket_expired);
    const std::shared_ptr<HostedRoom> room = held.room->shared_from_this();
    // Who opens a stream has come back, or is there: the room hears of it before the stream begins.
    auto open = [this, room, number = held.number, later = defer(ask)](const Outcome&) mutable {
        const std::string origin = later.origin;
        std::vector<net::Header> headers{{"X-Request-ID", later.request_id.view()},
                                         {"X-Accel-Buffering", "no"}};
        if (!origin.empty()) headers.push_back({"Access-Control-Allow-Origin", origin});
        if (!origin.empty() && origin != "*")
            headers.push_back({"Access-Control-Allow-Credentials", "true"});
        if (std::optional<net::EventStream> stream = later.reply.stream(headers))
            hub_.add(room, number, *std::move(stream));
    };
    const VisitorState state = held.room->view().standing(held.number).state;
    if (!held.room->touch(held.number, ask.now) && is_in_line(state))
        service_.submit(*room, Touch{held.number}, &loop_, std::move(open));
    else
        OnOutcome(std::move(open))(Done{});
}

} // namespace anteroom::api
