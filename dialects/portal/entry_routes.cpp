// What a user asks about a queue: a place, where it is, to leave, and for the shop: whether the
// user may buy, and that it is done.
#include "dialects/portal/portal.h"

namespace anteroom::portal {
namespace {

using net::Status;

} // namespace

void Portal::enter(Ask& ask, const Event& event, const std::string& user) {
    const std::optional<HostedRoom*> found = find_queue(ask, event);
    if (!found) return;
    if (!*found || !is_active(**found)) return refuse(ask, errors::queue_not_found);
    if (!desk_.service().is_writable()) return refuse(ask, errors::unavailable);
    const std::shared_ptr<HostedRoom> room = (*found)->shared_from_this();
    const Join command{.visitor = desk_.office().key_of(user),
                       .lane = lane_number(room->profile(), "").value_or(0)};
    desk_.service().submit(
        *room, command, &desk_.loop(),
        [this, room, later = desk_.defer(ask)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(later, refused->reason);
            const Standing& standing = std::get<Standing>(outcome);
            const std::string data = status_of(*room, standing);
            if (!standing.is_new && !options_.idempotent_enter)
                return refuse(later, errors::already_entered, data);
            net::Answer answer = begin(later, Status::ok);
            write_success(answer, data);
        },
        user);
}

void Portal::status(Ask& ask, const Event& event, const std::string& user) {
    const std::optional<HostedRoom*> found = find_queue(ask, event, limits::age_max);
    if (!found) return;
    if (!*found) return refuse(ask, errors::queue_not_found);
    HostedRoom& room = **found;
    const Number number = room.view().find(desk_.office().key_of(user));
    // Who is not in an old copy may have come since.
    if (number == 0 && is_stale(ask, room, limits::age_untold)) return;
    // Who still stands in a queue that drains is told so.
    if (number == 0)
        return refuse(ask, is_active(room) ? errors::entry_not_found : errors::queue_not_found);
    look({.room = room.shared_from_this(), .number = number}, ask, user,
         [this](Later& later, const Entry& entry, const Standing& standing) {
             net::Answer answer = begin(later, Status::ok);
             write_success(answer, status_of(*entry.room, standing));
         });
}

void Portal::leave(Ask& ask, const Event& event, const std::string& user) {
    const std::optional<HostedRoom*> found = find_queue(ask, event);
    if (!found) return;
    if (!*found) return refuse(ask, errors::queue_not_found);
    const Number number = (*found)->view().find(desk_.office().key_of(user));
    if (number == 0) return refuse(ask, errors::entry_not_found);
    end({.room = (*found)->shared_from_this(), .number = number}, Leave{number}, desk_.defer(ask));
}

void Portal::end(const Entry& entry, const Command& command, Later later) {
    desk_.service().submit(
        *entry.room, command, &desk_.loop(),
        [this, room = entry.room, later = std::move(later)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(later, refused->reason);
            net::Answer answer = begin(later, Status::ok);
            write_success(answer);
        });
}

// Without a queue everybody may buy; that there is none must be known, not only not heard of.
void Portal::validate(Ask& ask, const Event& event, const std::string& user) {
    const std::optional<HostedRoom*> found = find_queue(ask, event);
    if (!found) return;
    if (!*found || !is_guarded(**found)) {
        net::Answer answer = begin(ask, Status::ok);
        return write_success(answer);
    }
    const Number number = (*found)->view().find(desk_.office().key_of(user));
    if (number == 0) return refuse(ask, errors::entry_required);
    look({.room = (*found)->shared_from_this(), .number = number}, ask, user,
         [this](Later& later, const Entry& entry, const Standing& standing) {
             answer_validity(later, entry, standing);
         });
}

void Portal::answer_validity(Later& later, const Entry& entry, const Standing& standing) {
    if (is_in_line(standing.state)) return refuse(later, errors::not_allowed);
    if (standing.state == VisitorState::expired) return refuse(later, errors::token_expired);
    if (!is_inside(standing.state)) return refuse(later, errors::entry_required);
    net::Answer answer = begin(later, Status::ok);
    write_success(answer, status_of(*entry.room, standing));
}

// The purchase is done: the slot goes to the next.
void Portal::complete(Ask& ask, const Event& event, const std::string& user) {
    const std::optional<HostedRoom*> found = find_queue(ask, event);
    if (!found) return;
    if (!*found) return refuse(ask, errors::queue_not_found);
    const Number number = (*found)->view().find(desk_.office().key_of(user));
    if (number == 0) return refuse(ask, errors::entry_required);
    end({.room = (*found)->shared_from_this(), .number = number}, Finish{number}, desk_.defer(ask));
}

} // namespace anteroom::portal
