#include "api/room_witness.h"

#include <algorithm>

#include "desk/dialect.h"
#include "token/refusal.h"

namespace anteroom::api {

std::string session_id(Number number) {
    return "s" + std::to_string(number);
}

bool RoomWitness::outer_line_active(std::string_view event) {
    const HostedRoom* room = desk_.service().rooms().find(event);
    return room && room->view().outer().active();
}

std::optional<gate::User> RoomWitness::user() {
    if (caller_.user.empty() && !caller_.is_admin) return std::nullopt;
    return gate::User{.id = caller_.user, .role = caller_.is_admin ? "admin" : "user"};
}

gate::ShownPass RoomWitness::outer_pass(std::string_view token, std::string_view event) {
    const token::PassVerdict verdict = desk_.office().verifier.verify(
        token, ask_.unix_now(), {.room = event, .tier = token::Tier::outer});
    const auto* pass = std::get_if<token::VerifiedPass>(&verdict);
    if (!pass) return {.why = token::reason(std::get<token::Refusal>(verdict))};
    const HostedRoom* room = desk_.service().rooms().find(event);
    // A pass that names its number is void with the generation of the number.
    if (room && !pass->request_id.empty()) {
        const std::optional<OuterPlace> place =
            desk_.read_request_id(*room, pass->request_id, ask_.unix_now());
        const auto standing = place ? room->view().outer().standing(*place) : std::nullopt;
        if (!standing || !standing->released) return {.why = "superseded"};
    }
    return {.valid = true, .event = pass->room, .visitor = pass->visitor};
}

gate::ShownPass RoomWitness::entry_pass(std::string_view token,
                                        std::optional<std::string_view> event) {
    const token::PassVerdict verdict = desk_.office().verifier.verify(
        token, ask_.unix_now(), {.room = event, .tier = token::Tier::entry});
    const auto* pass = std::get_if<token::VerifiedPass>(&verdict);
    if (!pass) return {.why = token::reason(std::get<token::Refusal>(verdict))};
    const HostedRoom* room = desk_.service().rooms().find(pass->room);
    if (!room) return {.why = "no_such_event"};
    const VisitorKey key =
        key_from_text(pass->visitor).value_or(desk_.office().key_of(pass->visitor));
    const Room& view = room->view();
    const Number number = view.find(key);
    const Standing standing = number != 0 ? view.standing(number) : Standing{};
    // Finished, left or expired.
    if (!is_inside(standing.state)) return {.why = "visit_is_over"};
    if (sessions_only_ && (!standing.redeemed || pass->pass_id != session_id(number)))
        return {.why = "not_redeemed"};
    room->touch(number, ask_.now);
    number_ = number;
    return {.valid = true, .event = pass->room, .visitor = pass->visitor};
}

gate::ShownPass RoomWitness::inside(std::string_view ticket,
                                    std::optional<std::string_view> event) {
    Office& office = desk_.office();
    token::TicketContent place;
    std::string holder;
    const auto foreign = std::ranges::find_if(
        dialects_, [&](const auto& dialect) { return dialect->looks_like_ticket(ticket); });
    if (foreign != dialects_.end()) {
        std::optional<ForeignTicket> read = (*foreign)->read_ticket(ticket, ask_.unix_now());
        if (!read) return {.why = "bad_signature"};
        place = {.kind = token::TicketKind::inner, .room = read->room, .number = read->number};
        holder = std::move(read->holder);
    } else {
        const token::TicketVerdict verdict = office.tickets.read(ticket, ask_.unix_now());
        const auto* content = std::get_if<token::TicketContent>(&verdict);
        if (!content) return {.why = token::reason(std::get<token::Refusal>(verdict))};
        // Tickets with a generation are a dialect's, and are shown to the origin instead.
        if (content->generation != 0) return {.why = "malformed"};
        place = *content;
    }
    const Rooms& rooms = desk_.service().rooms();
    const HostedRoom* room = rooms.at(place.room);
    if (!room && rooms.may_come(place.room)) return {.is_untold = true, .why = "unavailable"};
    if (place.kind != token::TicketKind::inner || !room) return {.why = "no_such_event"};
    if (event && *event != room->id()) return {.why = "wrong_room"};
    const bool needs_holder = std::ranges::any_of(
        dialects_, [&](const auto& dialect) { return dialect->has_own_tickets(*room); });
    if (needs_holder && holder.empty()) return {.why = "malformed"};
    const Standing standing = room->view().standing(place.number);
    const bool is_new = standing.state == VisitorState::unknown;
    if (room->age(ask_.now) > (is_new ? limits::age_untold : limits::age_max))
        return {.is_untold = true, .why = "unavailable"};
    // Also when the call is not durable yet: it is a moment's difference, and who shares that
    // moment with others who are called must not be sent away.
    if (!is_inside(standing.state)) return {.why = "not_inside"};
    const VisitorKey* key = room->view().visitor(place.number);
    if (!holder.empty() && (!key || *key != office.key_of(holder))) return {.why = "bad_signature"};
    room->touch(place.number, ask_.now);
    number_ = place.number;
    holder_ = std::move(holder);
    return {.valid = true, .event = room->id(), .visitor = holder_};
}

} // namespace anteroom::api
