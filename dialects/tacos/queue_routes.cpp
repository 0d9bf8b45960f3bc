// A token for a place, where it is, going away.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialects/tacos/body.h"
#include "dialects/tacos/eta.h"
#include "dialects/tacos/poll.h"
#include "dialects/tacos/tacos.h"
#include "net/output.h"
#include "net/url.h"
#include "token/secret.h"

namespace anteroom::tacos {
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
    room.tell_to_ask_in(poll_after_seconds(standing.ahead), standing, now);
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

Tacos::TokenSight Tacos::find(const Call& call, std::string_view token, TokenUse use) {
    const std::optional<PlaceToken> place = read(office().tickets, token, use, call.unix_now());
    if (!place) return NoVisit{};
    const RoomSight room = desk_.visits().room_at(place->room);
    if (std::holds_alternative<NotHeard>(room)) return NotHeard{};
    if (std::holds_alternative<NoRoom>(room)) return NoVisit{};
    return ShownToken{.room = std::get<HostedRoom*>(room), .place = *place};
}

void Tacos::join(PendingCall pending, const Caller& caller) {
    const std::optional<Body> body = read_body(pending.call.request().body);
    if (!body) return refuse(pending, errors::invalid_request);
    if (body->event_id.empty()) return refuse(pending, errors::missing_event_id);
    std::string user = caller.user;
    const bool speaks_for_others = caller.is_backend || caller.is_admin;
    const bool is_stranger = user.empty() && !speaks_for_others;
    if (user.empty() && (speaks_for_others || options().trusts_body_user)) user = body->user_id;
    if (!is_room_id(body->event_id) || !is_user_id(user))
        return refuse(pending, errors::invalid_request);

    // An anonymous visitor is named by the key of the call: the same call in another process is
    // the same visitor. Without a key, each call is another visitor.
    std::string visitor = user;
    if (visitor.empty() && caller.key) visitor = "~tacos:" + to_hex(*caller.key);
    if (visitor.empty()) {
        const std::optional<token::VisitorId> fresh = token::VisitorBook::new_visitor();
        if (!fresh) return refuse(pending, errors::join_failed);
        visitor = fmt::format("~tacos:{}", fresh->text().view());
    }
    if (!service().is_writable()) return refuse(pending, errors::join_failed);
    const std::shared_ptr<HostedRoom> room = room_for(pending, body->event_id, is_stranger);
    if (!room) return;

    const Join command{.visitor = office().key_of(visitor),
                       .lane = lane_number(room->profile(), "").value_or(0)};
    const bool has_user = !user.empty();
    submit(
        std::move(pending), *room, command,
        [this, &room = *room, has_user](PendingCall& asked, const Outcome& outcome) {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(asked, error_of(refused->reason));
            answer_join(asked, room, std::get<Standing>(outcome), has_user);
        },
        user);
}

// Null: the call is answered.
std::shared_ptr<HostedRoom> Tacos::room_for(PendingCall& pending, const std::string& event_id,
                                            bool is_stranger) {
    std::shared_ptr<HostedRoom> room = service().rooms().share(event_id);
    if (room && !takes(room->profile(), "tacos"))
        return refuse(pending, errors::event_not_found), nullptr;
    // Rooms are few: strangers make rooms no faster than they may join elsewhere. And in a room
    // that other systems use, too, they take places no faster than there.
    if (is_stranger && (!room || !is_event(room->profile()))) {
        pending.limit.wait_seconds = desk_.join_wait(pending.call);
        if (pending.limit.wait_seconds > 0) return refuse(pending, errors::rate_limited), nullptr;
    }
    if (!room) room = service().find_or_make(event_id, options().room);
    if (!room && std::holds_alternative<NotHeard>(desk_.visits().room_of(event_id)))
        return refuse(pending, errors::join_failed), nullptr;
    if (!room || !takes(room->profile(), "tacos"))
        return refuse(pending, errors::event_not_found), nullptr;
    return room;
}

void Tacos::answer_join(PendingCall& pending, const HostedRoom& room, const Standing& standing,
                        bool has_user) {
    const std::string token = token_of(room, standing.number, TokenUse::waiting, has_user);
    if (token.empty() || !is_live(standing.state)) return refuse(pending, errors::join_failed);
    const bool active = standing.state == VisitorState::active;
    room.tell_to_ask_in(poll_after_seconds(standing.ahead), standing, service().clock().now());
    net::Output body;
    compose(body, R"({"waiting_token":")", token, R"(","position_hint":)",
            active ? 0 : room.view().outside_before(standing) + 1, R"(,"status":")",
            std::string_view(active ? "ready" : "waiting"), R"("})");
    answer(pending, Status::accepted, {body.data(), body.size()});
}

void Tacos::status(Call& call, const Limit& limit) {
    const std::string token = token_in(call.request().query);
    if (token.empty()) return refuse_status(call, limit, errors::missing_query_token);
    const TokenSight found = find(call, token, TokenUse::waiting);
    if (std::holds_alternative<NoVisit>(found))
        return refuse_status(call, limit, errors::token_not_found);
    if (std::holds_alternative<NotHeard>(found))
        return refuse_status(call, limit, errors::status_failed);
    const VisitPlace place = std::get<ShownToken>(found).visit();
    if (const std::optional<Sight> called = look_without_claim(place, call.now()))
        return answer_status(call, limit, *place.room, *called);
    desk_.stand(call, place, [this, room = place.room, limit](Call& asked, const Sight& sight) {
        answer_status(asked, limit, *room, sight);
    });
}

// In a room that system T shares with others a Touch may be a claim. System T's clients claim by
// `enter` only, so a visitor who is called there is told so without asking the writer.
std::optional<Sight> Tacos::look_without_claim(const VisitPlace& place, Instant now) {
    HostedRoom& room = *place.room;
    if (!room.view().settings().claim_by_look) return std::nullopt;
    Sight sight = desk_.visits().glance(place, now);
    const auto* stands = std::get_if<Stands>(&sight);
    const bool is_called = stands && stands->standing.state == VisitorState::called;
    if (!is_called || !room.may_tell(stands->standing)) return std::nullopt;
    room.counters().note_poll();
    return sight;
}

void Tacos::answer_status(Call& call, const Limit& limit, const HostedRoom& room,
                          const Sight& sight) {
    if (std::holds_alternative<NotHeard>(sight))
        return refuse_status(call, limit, errors::status_failed);
    const auto* stands = std::get_if<Stands>(&sight);
    if (!stands) return refuse_status(call, limit, errors::token_not_found);
    if (const Error* fault = fault_of(stands->standing)) return refuse_status(call, limit, *fault);
    shared_.figures.note(Operation::status, true);
    net::Answer answer = begin(call, limit, Status::ok);
    write_status(answer.body(), room, stands->standing, service().clock().now());
}

void Tacos::refuse_status(Call& call, const Limit& limit, const Error& error) {
    shared_.figures.note(Operation::status, false);
    refuse(call, limit, error);
}

void Tacos::leave(Call& call, const Limit& limit) {
    const std::string token = token_in(call.request().query);
    PendingCall pending{
        .call = std::move(call), .limit = limit, .operation = Operation::leave, .lock = {}};
    if (token.empty()) return refuse(pending, errors::missing_query_token);
    const TokenSight found = find(pending.call, token, TokenUse::waiting);
    if (std::holds_alternative<NoVisit>(found)) return answer(pending, Status::ok, gone);
    if (std::holds_alternative<NotHeard>(found)) return refuse(pending, errors::leave_failed);
    const auto& shown = std::get<ShownToken>(found);
    submit(std::move(pending), *shown.room, Leave{shown.place.number},
           [this](PendingCall& asked, const Outcome& outcome) {
               const auto* refused = std::get_if<Refused>(&outcome);
               if (refused && refused->reason == Reason::unavailable)
                   return refuse(asked, errors::leave_failed);
               answer(asked, Status::ok, gone);
           });
}

} // namespace anteroom::tacos
