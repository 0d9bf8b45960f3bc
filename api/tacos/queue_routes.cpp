// A token for a place, where it is, going away.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/tacos/body.h"
#include "api/tacos/eta.h"
#include "api/tacos/tacos.h"
#include "engine/poll.h"
#include "net/output.h"
#include "net/url.h"
#include "token/secret.h"

namespace anteroom::api::tacos {
namespace {

using net::compose;
using net::Status;

constexpr std::string_view gone = R"({"status":"left"})";

// The token of a query; empty: there is none.
std::string token_in(std::string_view query) {
    const std::optional<net::Query> parsed = net::Query::parse(query);
    const std::string* token = parsed ? parsed->find("token") : nullptr;
    return token ? *token : std::string();
}

std::int64_t eta_of(const Room& view, const Standing& standing, std::uint64_t position,
                    Instant now) {
    if (standing.state == VisitorState::called) return 1;
    return eta_seconds(position, view.rate_per_second(),
                       standing.joined + view.settings().wait_min - now);
}

// What is wrong with a token of this standing; null: it can be told where it stands.
const Error* fault_of(const Standing& standing) {
    if (standing.redeemed) return &errors::token_not_found;
    if (is_inside(standing.state) || standing.state == VisitorState::waiting) return nullptr;
    return standing.state == VisitorState::expired ? &errors::token_expired
                                                   : &errors::token_not_found;
}

// REQUIRES: no fault.
void write_status(net::Output& out, const HostedRoom& room, const Standing& standing, Instant now) {
    const Room& view = room.view();
    // How often to ask is the client's own rule: as often as the documents of system T say.
    room.tell_to_ask_in(poll_after_seconds(PollPolicy::tacos, standing.ahead), standing, now);
    const std::int64_t waited = std::max<std::int64_t>(0, (now - standing.joined).count / 1'000);
    if (standing.state == VisitorState::active)
        return compose(out, R"({"status":"ready","position":0,"eta_sec":0,"waiting_time":)", waited,
                       R"(,"ready_for_entry":true})");
    const std::uint64_t position = view.outside_before(standing) + 1;
    const bool ready = standing.state == VisitorState::called;
    compose(out, R"({"status":"waiting","position":)", position, R"(,"eta_sec":)",
            eta_of(view, standing, position, now), R"(,"waiting_time":)", waited,
            R"(,"ready_for_entry":)", std::string_view(ready ? "true" : "false"), "}");
}

const Error& error_of(Reason reason) {
    switch (reason) {
        case Reason::outer_required:
        case Reason::outer_unknown:
        case Reason::outer_not_released: return errors::outer_line_first;
        default: return errors::join_failed;
    }
}

} // namespace

std::string Tacos::token_of(const HostedRoom& room, Number number, TokenUse use, bool has_user) {
    return mint(office().tickets,
                {.use = use, .has_user = has_user, .room = room.index(), .number = number});
}

std::optional<Tacos::Found> Tacos::find(const Ask& ask, std::string_view token, TokenUse use) {
    const std::optional<PlaceToken> place = read(office().tickets, token, use, ask.unix_now());
    HostedRoom* room = place ? service().rooms().at(place->room) : nullptr;
    if (!room && (!place || !service().rooms().may_come(place->room))) return std::nullopt;
    return Found{.room = room, .place = *place};
}

void Tacos::join(const Ask& ask, const Caller& caller, PendingCall call) {
    const std::optional<Body> body = read_body(ask.request.body);
    if (!body) return refuse(call, errors::invalid_request);
    if (body->event_id.empty()) return refuse(call, errors::missing_event_id);
    std::string user = caller.user;
    const bool speaks_for_others = caller.is_backend || caller.is_admin;
    const bool is_stranger = user.empty() && !speaks_for_others;
    if (user.empty() && (speaks_for_others || options().trusts_body_user)) user = body->user_id;
    if (!is_room_id(body->event_id) || !is_user_id(user))
        return refuse(call, errors::invalid_request);

    // An anonymous visitor is whoever has the key of the call: the same call in another process is
    // the same visitor. Without a key, each call is another one.
    std::string visitor = user;
    if (visitor.empty() && caller.key) visitor = "~tacos:" + token::hex(*caller.key);
    if (visitor.empty()) {
        const std::optional<token::VisitorId> fresh = token::VisitorBook::new_visitor();
        if (!fresh) return refuse(call, errors::join_failed);
        visitor = fmt::format("~tacos:{}", fresh->text().view());
    }
    if (!service().is_writable()) return refuse(call, errors::join_failed);
    const std::shared_ptr<HostedRoom> room = room_for(ask, body->event_id, is_stranger, call);
    if (!room) return;

    const Join command{.visitor = office().key_of(visitor),
                       .lane = lane_number(room->profile(), "").value_or(0)};
    const bool has_user = !user.empty();
    service().submit(
        *room, command, &desk_.loop(),
        [this, room, has_user, call = std::move(call)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(call, error_of(refused->reason));
            answer_join(call, *room, std::get<Standing>(outcome), has_user);
        },
        user);
}

// Null: the call is answered.
std::shared_ptr<HostedRoom> Tacos::room_for(const Ask& ask, const std::string& event_id,
                                            bool is_stranger, PendingCall& call) {
    std::shared_ptr<HostedRoom> room = service().rooms().find_shared(event_id);
    if (room && !takes(room->profile(), "tacos"))
        return refuse(call, errors::event_not_found), nullptr;
    // Rooms are few: strangers make them no faster than they may join elsewhere. And in a room that
    // is not ours alone they take places no faster than there.
    if (is_stranger && (!room || !is_event(room->profile()))) {
        call.limit.wait_seconds = desk_.join_wait(ask);
        if (call.limit.wait_seconds > 0) return refuse(call, errors::rate_limited), nullptr;
    }
    if (!room) room = service().find_or_make(event_id, options().room);
    if (!room || !takes(room->profile(), "tacos"))
        return refuse(call, errors::event_not_found), nullptr;
    return room;
}

void Tacos::answer_join(PendingCall& call, const HostedRoom& room, const Standing& standing,
                        bool has_user) {
    const std::string token = token_of(room, standing.number, TokenUse::waiting, has_user);
    if (token.empty() || !is_live(standing.state)) return refuse(call, errors::join_failed);
    const bool active = standing.state == VisitorState::active;
    room.tell_to_ask_in(poll_after_seconds(PollPolicy::tacos, standing.ahead), standing,
                        service().clock().now());
    net::Output body;
    compose(body, R"({"waiting_token":")", token, R"(","position_hint":)",
            active ? 0 : room.view().outside_before(standing) + 1, R"(,"status":")",
            std::string_view(active ? "ready" : "waiting"), R"("})");
    answer(call, Status::accepted, {body.data(), body.size()});
}

void Tacos::status(Ask& ask, const Limit& limit) {
    const auto fail = [&](const Error& error) {
        shared_.figures.note(Operation::status, false);
        refuse(ask, limit, error);
    };
    const std::string token = token_in(ask.request.query);
    if (token.empty()) return fail(errors::missing_query_token);
    const std::optional<Found> found = find(ask, token, TokenUse::waiting);
    if (!found) return fail(errors::token_not_found);
    if (!found->room) return fail(errors::status_failed);
    const Number number = found->place.number;
    found->room->counters().note_poll();
    if (found->room->age(ask.now) > limits::age_max) return fail(errors::status_failed);

    const bool is_seen = found->room->touch(number, ask.now);
    const Standing standing = found->room->view().standing(number);
    // Who was passed over needs the writer to be back.
    const bool is_known = is_seen || (standing.state != VisitorState::unknown &&
                                      standing.state != VisitorState::waiting);
    if (is_known && found->room->may_tell(standing)) {
        if (const Error* fault = fault_of(standing)) return fail(*fault);
        shared_.figures.note(Operation::status, true);
        net::Answer answer = begin(ask, limit, Status::ok);
        return write_status(answer.body(), *found->room, standing, ask.now);
    }
    // A moment ago called, or over; or this copy of the room has not heard of the place yet.
    const std::shared_ptr<HostedRoom> room = found->room->shared_from_this();
    service().submit(
        *room, Touch{number}, &desk_.loop(),
        [this, room, call = defer(ask, limit, Operation::status)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(call, refused->reason == Reason::unavailable
                                        ? errors::status_failed
                                        : errors::token_not_found);
            answer_status(call, *room, std::get<Standing>(outcome));
        });
}

void Tacos::answer_status(PendingCall& call, const HostedRoom& room, const Standing& standing) {
    if (const Error* fault = fault_of(standing)) return refuse(call, *fault);
    net::Output body;
    write_status(body, room, standing, service().clock().now());
    answer(call, Status::ok, {body.data(), body.size()});
}

void Tacos::leave(Ask& ask, const Limit& limit) {
    const std::string token = token_in(ask.request.query);
    if (token.empty()) {
        shared_.figures.note(Operation::leave, false);
        return refuse(ask, limit, errors::missing_query_token);
    }
    PendingCall call = defer(ask, limit, Operation::leave);
    const std::optional<Found> found = find(ask, token, TokenUse::waiting);
    if (!found) return answer(call, Status::ok, gone);
    if (!found->room) return refuse(call, errors::leave_failed);
    const std::shared_ptr<HostedRoom> room = found->room->shared_from_this();
    service().submit(*room, Leave{found->place.number}, &desk_.loop(),
                     [this, room, call = std::move(call)](const Outcome& outcome) mutable {
                         const auto* refused = std::get_if<Refused>(&outcome);
                         if (refused && refused->reason == Reason::unavailable)
                             return refuse(call, errors::leave_failed);
                         answer(call, Status::ok, gone);
                     });
}

} // namespace anteroom::api::tacos
