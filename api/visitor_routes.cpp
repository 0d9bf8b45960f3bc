// What a visitor can ask: a place, where it is, to go in, to be done, to leave, to be told.
#include <fmt/format.h>

#include "api/body.h"
#include "api/native.h"
#include "api/standing_json.h"
#include "base/overload.h"
#include "desk/json_answer.h"
#include "desk/kept_text.h"
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

token::NativeTicket Native::ticket_of(const HostedRoom& room, Number number) const {
    return office().tickets.mint_native(
        {.kind = token::TicketKind::inner, .room = room.index(), .number = number});
}

std::string Native::ticket_cookie(const HostedRoom& room, Number number, bool secure) const {
    const fmt::memory_buffer name = ticket_cookie_name(room);
    return set_cookie({name.data(), name.size()}, ticket_of(room, number).view(), secure);
}

VisitorState Native::write_standing(fmt::memory_buffer& out, const HostedRoom& room, Number number,
                                    std::string_view ticket) const {
    const Instant now = service_.clock().now();
    const Standing standing = room.view().standing(number);
    if (!room.may_tell(standing)) return VisitorState::unknown;
    const std::optional<IssuedPass> pass = desk_.issue_pass(room, standing, {}, now);
    append_standing(out, room, standing, now, {.ticket = ticket, .pass = in_hand(pass)});
    return standing.state;
}

// The same as an answer; who may go in also gets the pass as a cookie, for the gate.
void Native::answer_standing(net::Answer& answer, const HostedRoom& room, const Standing& standing,
                             std::string_view ticket, std::string_view user, bool secure) const {
    const Instant now = service_.clock().now();
    const std::optional<IssuedPass> pass = desk_.issue_pass(room, standing, user, now);
    answer.headers(json_unstored);
    if (pass && !standing.redeemed)
        answer.header("Set-Cookie", set_cookie(pass_cookie_name(room.id()), pass->text, secure,
                                               pass->expires_in_seconds));
    append_standing(answer.body(), room, standing, now, {.ticket = ticket, .pass = in_hand(pass)});
}

// A sight in the native words, now or later.
class StandingAnswer {
  public:
    StandingAnswer(Native& native, HostedRoom& room, std::string_view ticket, bool secure)
        : native_(native), room_(room), ticket_(ticket), secure_(secure) {}

    void keep() { ticket_.keep(); }
    void operator()(Call& call, const Sight& sight) const {
        if (const auto* stands = std::get_if<Stands>(&sight)) [[likely]] {
            net::Answer answer = call.begin(Status::ok);
            return native_.answer_standing(answer, room_, stands->standing, ticket_.view(), {},
                                           secure_);
        }
        const bool is_later = std::holds_alternative<NotHeard>(sight);
        if (is_later) return native_.refuse(call, Code::unavailable);
        constexpr Reason gone = Reason::unknown_number;
        native_.refuse(call, code_of(gone), in_words(gone));
    }

  private:
    Native& native_;
    HostedRoom& room_;
    KeptText ticket_;
    const bool secure_;
};

std::optional<Native::ShownTicket> Native::show_ticket(Call& call, TicketIn in) {
    HostedRoom* room = find_room(call);
    if (!room) return std::nullopt;
    const net::Request& request = call.request();
    std::string_view ticket = bearer(request);
    if (ticket.find('.') != ticket.npos) ticket = {}; // A user's token, no ticket.
    if (ticket.empty() && in == TicketIn::query_too && request.query.starts_with("ticket="))
        ticket = request.query.substr(7, request.query.find('&') - 7);
    if (ticket.empty()) ticket = ticket_in_cookie(request, *room);
    if (ticket.empty()) {
        refuse(call, Code::ticket_invalid, "there is no ticket with the request");
        return std::nullopt;
    }
    room->view().expect(token::TicketBook::unverified_number(ticket));
    const token::TicketVerdict verdict = office().tickets.read(
        ticket, call.unix_now(),
        {.kind = token::TicketKind::inner, .room = room->index(), .generation = 0});
    const auto* content = std::get_if<token::TicketContent>(&verdict);
    if (!content) {
        refuse(call, Code::ticket_invalid);
        return std::nullopt;
    }
    return ShownTicket{.place = {.room = room, .number = content->number}, .ticket = ticket};
}

void Native::look(Call& call) {
    const std::optional<ShownTicket> shown = show_ticket(call);
    if (!shown) return;
    desk_.stand(call, shown->place,
                StandingAnswer(*this, *shown->place.room, shown->ticket, call.request().secure));
}

void Native::join(Call& call) {
    const Caller& caller = call.caller();
    JoinBody body;
    if (const std::string fault = read_join_body(call.request().body, body); !fault.empty())
        return refuse(call, Code::bad_request, fault);
    const bool speaks_for_others = caller.is_admin || caller.is_backend;
    const bool names_another = body.visitor && *body.visitor != caller.user;
    if ((names_another || body.lane) && !speaks_for_others)
        return refuse(call, Code::forbidden, "only a trusted backend may name a visitor or a lane");
    if (body.visitor && body.visitor->size() > visitor_id_length_max)
        return refuse(call, Code::bad_request, "a visitor id has at most 256 characters");
    if (const std::int64_t wait = speaks_for_others ? 0 : desk_.join_wait(call); wait > 0)
        return refuse(call, Code::rate_limited, "too many joins from this address", wait);
    const std::string user = body.visitor.value_or(caller.user);
    const std::optional<Visitor> visitor = desk_.name_visitor(call, user);
    if (!visitor || !service_.is_writable()) return refuse(call, Code::unavailable);
    const std::shared_ptr<HostedRoom> room = service_.find_or_make(call.parameter(0));
    if (!room) return refuse(call, Code::room_not_found);
    if (!takes(room->profile(), ""))
        return refuse(call, Code::forbidden, "places in this room are taken in another way");
    const std::optional<std::uint8_t> lane = lane_number(room->profile(), body.lane.value_or(""));
    if (!lane) return refuse(call, Code::bad_request, "there is no such lane");

    const Join command{.visitor = visitor->key, .lane = *lane};
    desk_.submit(
        call, *room, command,
        [this, &room = *room, secure = call.request().secure, visitor = *visitor](
            Call& asked, const Outcome& outcome) {
            const auto* standing = std::get_if<Standing>(&outcome);
            if (!standing) return refuse(asked, outcome);
            net::Answer answer = asked.begin(standing->is_new ? Status::created : Status::ok);
            if (!visitor.cookie.empty()) answer.header("Set-Cookie", visitor.cookie);
            answer.header("Set-Cookie", ticket_cookie(room, standing->number, secure));
            answer_standing(answer, room, *standing, ticket_of(room, standing->number).view(),
                            visitor.id, secure);
        },
        user);
}

void Native::claim(Call& call) {
    const std::optional<ShownTicket> shown = show_ticket(call);
    if (!shown) return;
    StandingAnswer answer(*this, *shown->place.room, shown->ticket, call.request().secure);
    answer.keep();
    desk_.submit(call, *shown->place.room, Claim{shown->place.number},
                 [this, place = shown->place, answer](Call& asked, const Outcome& outcome) {
                     const auto* refused = std::get_if<Refused>(&outcome);
                     if (!refused) return answer(asked, Stands{std::get<Standing>(outcome)});
                     if (refused->reason != Reason::unavailable) return refuse(asked, outcome);
                     answer(asked, desk_.visits().last_known(place));
                 });
}

void Native::submit_for_nothing(Call& call, const Command& command, const VisitPlace& place) {
    desk_.submit(call, *place.room, command, [this](Call& asked, const Outcome& outcome) {
        if (std::holds_alternative<Refused>(outcome)) return refuse(asked, outcome);
        asked.begin(Status::no_content).send();
    });
}

void Native::finish(Call& call) {
    const std::optional<ShownTicket> shown = show_ticket(call);
    if (shown) submit_for_nothing(call, Finish{shown->place.number}, shown->place);
}

void Native::leave(Call& call) {
    const std::optional<ShownTicket> shown = show_ticket(call);
    if (shown) submit_for_nothing(call, Leave{shown->place.number}, shown->place);
}

void Native::events(Call& call) {
    const std::optional<ShownTicket> shown = show_ticket(call, TicketIn::query_too);
    if (!shown) return;
    // Who opens a stream has come back, or is there: the room hears of it before the stream begins.
    auto open = [this, room = shown->place.room->shared_from_this(), number = shown->place.number](
                    Call& asked, const Sight& sight) {
        if (std::holds_alternative<NoVisit>(sight)) return refuse(asked, Code::ticket_expired);
        if (!std::holds_alternative<Stands>(sight)) return refuse(asked, Code::unavailable);
        constexpr net::Header unbuffered[]{{"X-Accel-Buffering", "no"}};
        if (std::optional<net::EventStream> stream = asked.stream(unbuffered))
            hub_.add(room, number, *std::move(stream));
    };
    // A stream claims no call: of a visitor who is not in line any more the writer is not asked.
    const Sight seen = desk_.visits().glance(shown->place, call.now());
    const auto* stands = std::get_if<Stands>(&seen);
    if (stands && !is_in_line(stands->standing.state)) return open(call, seen);
    desk_.stand(call, shown->place, std::move(open));
}

} // namespace anteroom::api
