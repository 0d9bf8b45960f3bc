// What a user asks about a queue: a place, where it is, to leave, and for the shop: whether the
// user may buy, and that it is done.
#include "dialects/portal/portal.h"

namespace anteroom::portal {

void Portal::enter(Call& call, const Event& event) {
    const std::optional<HostedRoom*> found = find_queue(call, event);
    if (!found) return;
    if (!*found || !is_active(**found)) return refuse(call, errors::queue_not_found);
    if (!desk_.service().is_writable()) return refuse(call, errors::unavailable);
    HostedRoom& room = **found;
    const std::string user = call.caller().user;
    const Join command{.visitor = desk_.office().key_of(user),
                       .lane = lane_number(room.profile(), "").value_or(0)};
    desk_.submit(
        call, room, command,
        [this, &room](Call& asked, const Outcome& outcome) {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(asked, refused->reason);
            const Standing& standing = std::get<Standing>(outcome);
            if (standing.is_new || options_.idempotent_enter)
                return answer_status(asked, room, standing);
            const std::string data = status_of(room, standing);
            refuse(asked, errors::already_entered, {.data = data});
        },
        user);
}

void Portal::status(Call& call, const Event& event) {
    const std::optional<HostedRoom*> found = find_queue(call, event, limits::age_max);
    if (!found) return;
    if (!*found) return refuse(call, errors::queue_not_found);
    HostedRoom& room = **found;
    const VisitPlace place = place_of_caller(call, room);
    desk_.stand(call, place, [this, &room](Call& asked, const Sight& sight) {
        // A visitor who still stands in a queue that drains is told so; without a visit an old
        // copy does not prove that the queue is over.
        const bool is_over = !is_active(room);
        if (std::holds_alternative<NoVisit>(sight) && is_over &&
            is_stale(asked, room, limits::age_untold))
            return;
        const Error& missing = is_over ? errors::queue_not_found : errors::entry_not_found;
        if (const Stands* stands = stands_of(asked, sight, missing))
            answer_status(asked, room, stands->standing);
    });
}

std::optional<Number> Portal::find_entry(Call& call, HostedRoom& room, const Error& missing) {
    const VisitPlace place = place_of_caller(call, room);
    const Sight sight = desk_.visits().glance(place, call.now());
    const Stands* stands = stands_of(call, sight, missing);
    return stands ? std::optional(stands->standing.number) : std::nullopt;
}

void Portal::end_entry(Call& call, HostedRoom& room, const Command& command) {
    desk_.submit(call, room, command, [this](Call& asked, const Outcome& outcome) {
        if (const auto* refused = std::get_if<Refused>(&outcome))
            return refuse(asked, refused->reason);
        answer_success(asked);
    });
}

void Portal::leave(Call& call, const Event& event) {
    const std::optional<HostedRoom*> found = find_queue(call, event);
    if (!found) return;
    if (!*found) return refuse(call, errors::queue_not_found);
    const std::optional<Number> number = find_entry(call, **found, errors::entry_not_found);
    if (number) end_entry(call, **found, Leave{*number});
}

// The purchase is done: the slot goes to the next visitor.
void Portal::complete(Call& call, const Event& event) {
    const std::optional<HostedRoom*> found = find_queue(call, event);
    if (!found) return;
    if (!*found) return refuse(call, errors::queue_not_found);
    const std::optional<Number> number = find_entry(call, **found, errors::entry_required);
    if (number) end_entry(call, **found, Finish{*number});
}

// Without a queue every user may buy; a copy of the room older than age_untold does not prove that
// there is none.
void Portal::validate(Call& call, const Event& event) {
    const std::optional<HostedRoom*> found = find_queue(call, event);
    if (!found) return;
    if (!*found || !is_guarded(**found)) return answer_success(call);
    HostedRoom& room = **found;
    const VisitPlace place = place_of_caller(call, room);
    desk_.stand(call, place, [this, &room](Call& asked, const Sight& sight) {
        if (const Stands* stands = stands_of(asked, sight, errors::entry_required))
            answer_validity(asked, room, *stands);
    });
}

// Fails closed: a standing from an old copy allows no purchase.
void Portal::answer_validity(Call& call, const HostedRoom& room, const Stands& stands) {
    const VisitorState state = stands.standing.state;
    if (stands.age > limits::age_untold) return refuse(call, errors::unavailable);
    if (is_in_line(state)) return refuse(call, errors::not_allowed);
    if (state == VisitorState::expired) return refuse(call, errors::token_expired);
    if (!is_inside(state)) return refuse(call, errors::entry_required);
    answer_status(call, room, stands.standing);
}

} // namespace anteroom::portal
