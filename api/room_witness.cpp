#include "api/room_witness.h"

#include <algorithm>

#include "desk/dialect.h"
#include "token/refusal.h"

namespace anteroom::api {
namespace {

constexpr gate::ShownPass untold{.is_untold = true, .why = "unavailable"};

} // namespace

std::string session_id(Number number) {
    return "s" + std::to_string(number);
}

// A room that may exist and was not heard of here counts as active: then a pass is needed.
bool RoomWitness::outer_line_active(std::string_view event) {
    const RoomSight sight = desk_.visits().room_of(event);
    if (const auto* room = std::get_if<HostedRoom*>(&sight))
        return (*room)->view().outer().active();
    return std::holds_alternative<NotHeard>(sight);
}

std::optional<gate::User> RoomWitness::user() {
    if (caller_.user.empty() && !caller_.is_admin) return std::nullopt;
    return gate::User{.id = caller_.user, .role = caller_.is_admin ? "admin" : "user"};
}

gate::ShownPass RoomWitness::outer_pass(std::string_view token, std::string_view event) {
    const token::PassVerdict verdict = desk_.office().verifier.verify(
        token, call_.unix_now(), {.room = event, .tier = token::Tier::outer});
    const auto* pass = std::get_if<token::VerifiedPass>(&verdict);
    if (!pass) return {.why = token::reason(std::get<token::Refusal>(verdict))};
    const HostedRoom* room = desk_.service().rooms().find(event);
    // A pass that names its number is void with the generation of the number.
    if (room && !pass->request_id.empty()) {
        const std::optional<OuterPlace> place =
            desk_.read_request_id(*room, pass->request_id, call_.unix_now());
        const auto standing = place ? room->view().outer().standing(*place) : std::nullopt;
        if (!standing || !standing->released) return {.why = "superseded"};
    }
    return {.valid = true, .event = pass->room, .visitor = pass->visitor};
}

gate::ShownPass RoomWitness::entry_pass(std::string_view token,
                                        std::optional<std::string_view> event) {
    const token::PassVerdict verdict = desk_.office().verifier.verify(
        token, call_.unix_now(), {.room = event, .tier = token::Tier::entry});
    const auto* pass = std::get_if<token::VerifiedPass>(&verdict);
    if (!pass) return {.why = token::reason(std::get<token::Refusal>(verdict))};
    const RoomSight found = desk_.visits().room_of(pass->room);
    if (std::holds_alternative<NotHeard>(found)) return untold;
    if (std::holds_alternative<NoRoom>(found)) return {.why = "no_such_event"};
    const VisitorKey key =
        key_from_text(pass->visitor).value_or(desk_.office().key_of(pass->visitor));
    const Sight sight =
        desk_.visits().glance({.room = std::get<HostedRoom*>(found), .holder = key}, call_.now());
    if (std::holds_alternative<NotHeard>(sight)) return untold;
    const auto* stands = std::get_if<Stands>(&sight);
    // Finished, left or expired.
    if (!stands || !is_inside(stands->standing.state)) return {.why = "visit_is_over"};
    const Number number = stands->standing.number;
    if (sessions_only_ && (!stands->standing.redeemed || pass->pass_id != session_id(number)))
        return {.why = "not_redeemed"};
    number_ = number;
    return {.valid = true, .event = pass->room, .visitor = pass->visitor};
}

gate::ShownPass RoomWitness::inside(std::string_view ticket,
                                    std::optional<std::string_view> event) {
    ForeignTicket place;
    const auto dialect = std::ranges::find_if(
        dialects_, [&](const auto& one) { return one->looks_like_ticket(ticket); });
    if (dialect != dialects_.end()) {
        std::optional<ForeignTicket> read = (*dialect)->read_ticket(ticket, call_.unix_now());
        if (!read) return {.why = "bad_signature"};
        place = *std::move(read);
    } else {
        // Tickets with a generation are a dialect's, and are shown to the origin instead.
        const token::TicketVerdict verdict = desk_.office().tickets.read(
            ticket, call_.unix_now(),
            {.kind = token::TicketKind::inner, .room = {}, .generation = 0});
        const auto* content = std::get_if<token::TicketContent>(&verdict);
        if (!content) return {.why = token::reason(std::get<token::Refusal>(verdict))};
        place = {.room = content->room, .number = content->number, .holder = {}};
    }
    const RoomSight found = desk_.visits().room_at(place.room);
    if (std::holds_alternative<NotHeard>(found)) return untold;
    if (std::holds_alternative<NoRoom>(found)) return {.why = "no_such_event"};
    HostedRoom& room = *std::get<HostedRoom*>(found);
    if (event && *event != room.id()) return {.why = "wrong_room"};
    const bool needs_holder =
        std::ranges::any_of(dialects_, [&](const auto& one) { return one->has_own_tickets(room); });
    if (needs_holder && place.holder.empty()) return {.why = "malformed"};
    return stand(room, std::move(place));
}

gate::ShownPass RoomWitness::stand(HostedRoom& room, ForeignTicket place) {
    std::optional<VisitorKey> holder;
    if (!place.holder.empty()) holder = desk_.office().key_of(place.holder);
    const Sight sight = desk_.visits().glance(
        {.room = &room, .number = place.number, .holder = holder}, call_.now());
    if (std::holds_alternative<OfAnother>(sight)) return {.why = "bad_signature"};
    if (std::holds_alternative<NotHeard>(sight)) return untold;
    const auto* stands = std::get_if<Stands>(&sight);
    if (!stands || !is_inside(stands->standing.state)) return {.why = "not_inside"};
    number_ = place.number;
    holder_ = std::move(place.holder);
    return {.valid = true, .event = room.id(), .visitor = holder_};
}

} // namespace anteroom::api
