// What the holder of an entry token asks. The token is a UUID ticket: made from the place, read
// back without a table, in every process; the history writes the same.
#include "dialects/portal/portal.h"

namespace anteroom::portal {

std::string Portal::token_of(const HostedRoom& room, Number number) const {
    const std::optional<token::UuidTicket> ticket =
        desk_.office().tickets.mint_uuid({.kind = token::TicketKind::inner,
                                          .room = room.index(),
                                          .generation = token_generation,
                                          .number = number});
    return ticket ? std::string(ticket->view()) : std::string();
}

std::optional<VisitPlace> Portal::read_token(Call& call, std::string_view token) {
    const PlaceSight found = desk_.place_of(token,
                                            {.kind = token::TicketKind::inner,
                                             .room = std::nullopt,
                                             .generation = token_generation,
                                             .shape = token::TicketShape::uuid},
                                            call.unix_now());
    const auto* proven = std::get_if<VisitPlace>(&found);
    if (!proven) {
        const bool is_later = std::holds_alternative<NotHeard>(found);
        refuse(call, is_later ? errors::unavailable : errors::entry_not_found);
        return std::nullopt;
    }
    VisitPlace place = *proven;
    const std::string& user = call.caller().user;
    if (!user.empty()) place.holder = desk_.office().key_of(user);
    return place;
}

void Portal::token_status(Call& call) {
    const std::optional<VisitPlace> place = read_token(call, call.parameter(0));
    if (!place) return;
    desk_.stand(call, *place, [this, room = place->room](Call& asked, const Sight& sight) {
        if (const Stands* stands = stands_of(asked, sight, errors::entry_not_found))
            answer_status(asked, *room, stands->standing);
    });
}

void Portal::token_leave(Call& call) {
    const std::optional<VisitPlace> place = read_token(call, call.parameter(0));
    if (!place) return;
    desk_.stand(call, *place, [this, room = place->room](Call& asked, const Sight& sight) {
        const Stands* stands = stands_of(asked, sight, errors::entry_not_found);
        if (!stands) return;
        const Standing& standing = stands->standing;
        if (standing.state == VisitorState::expired) return refuse(asked, errors::token_expired);
        if (!is_live(standing.state)) return refuse(asked, errors::entry_not_found);
        end_entry(asked, *room, Leave{standing.number});
    });
}

// For a purchase in one queue: the entry of another queue does not count.
void Portal::token_validate(Call& call) {
    const Order order = read_order({}, call.request().query);
    const std::optional<Event> event = name_event(call, order);
    if (!event) return;
    const std::optional<HostedRoom*> queue = find_queue(call, *event);
    if (!queue) return;
    if (!*queue || !is_guarded(**queue)) return answer_success(call);
    const std::optional<VisitPlace> place = read_token(call, call.parameter(0));
    if (!place) return;
    const bool is_of_queue = place->room == *queue;
    desk_.stand(call, *place,
                [this, room = place->room, is_of_queue](Call& asked, const Sight& sight) {
                    const Stands* stands = stands_of(asked, sight, errors::entry_not_found);
                    if (!stands) return;
                    if (!is_of_queue) return refuse(asked, errors::entry_required);
                    answer_validity(asked, *room, *stands);
                });
}

} // namespace anteroom::portal
