// What operators of system P ask: a queue with its numbers, its end, one batch now.
#include <fmt/format.h>

#include "base/json_text.h"
#include "dialects/portal/portal.h"

namespace anteroom::portal {
namespace {

using net::Status;

Pace pace_of(const Settings& rules) {
    return {.capacity = rules.capacity,
            .batch = rules.admit_batch,
            .interval_seconds = (rules.admit_interval.count + 999) / 1'000};
}

std::string queue_json(const HostedRoom& room) {
    const std::string_view id = room.id();
    const std::size_t colon = id.find(':');
    const Pace pace = pace_of(room.view().settings());
    return fmt::format(
        R"({{"queueId":{},"eventType":"{}","eventId":{},"isActive":{},"waitingCount":{},)"
        R"("enteredCount":{},"maxCapacity":{},"entryBatchSize":{},"entryIntervalSeconds":{}}})",
        room.index(), id.substr(0, colon), id.substr(colon + 1), may_join(room.view().state()),
        room.view().waiting(), room.view().inside(), pace.capacity, pace.batch,
        pace.interval_seconds);
}

const Error& missing(Form form) {
    return form == Form::seller ? errors::seller_not_found : errors::queue_not_found;
}

} // namespace

// Sellers' clients read the queue; the older ones want to know that it worked.
void Portal::answer_queue(Later& later, Form form, const HostedRoom& room) {
    net::Answer answer = begin(later, Status::ok);
    write_success(answer, form == Form::seller ? queue_json(room) : std::string());
}

void Portal::activate(Ask& ask, const Caller& caller, Form form, const Event& event, Order& order) {
    Service& service = desk_.service();
    if (!event.room_id) {
        std::string rejected;
        append_json_string(rejected, event.type);
        return refuse_fields(ask, {{.field = "eventType",
                                    .message = "must be 1 to 50 of A-Z a-z 0-9 . _ ~ -",
                                    .rejected = std::move(rejected)}});
    }
    const std::optional<HostedRoom*> found = find_room(ask, *event.room_id);
    if (!found) return;
    const HostedRoom* there = *found;
    // What is not said stays as it was, and an old copy does not know that.
    if (there && is_stale(ask, *there, limits::age_untold)) return;
    if (there && !is_queue(*there)) return refuse(ask, missing(form)); // Somebody else's room.
    const std::optional<Pace> known =
        there ? std::optional(pace_of(there->view().settings())) : std::nullopt;
    const std::optional<Pace> pace = portal::pace_of(order, known);
    if (!pace) return refuse_fields(ask, order.faults);
    if (there && is_active(*there) && form == Form::seller)
        return refuse(ask, errors::seller_is_active);
    const Settings rules = room_rules(options_, *pace);
    if (!service.is_writable()) return refuse(ask, errors::unavailable);
    const std::shared_ptr<HostedRoom> room =
        service.make_room(*event.room_id, {.rules = rules, .profile = {.dialect = "portal"}}).room;
    if (!room) return refuse(ask, errors::unavailable); // There are too many rooms.
    desk_.note(ask, caller, "activate",
               fmt::format("{} {} {}", pace->capacity, pace->batch, pace->interval_seconds));
    // The numbers first: whoever comes in meets them.
    service.submit(*room, Configure{rules}, &desk_.loop(),
                   [this, room, form, later = desk_.defer(ask)](const Outcome& outcome) mutable {
                       if (const auto* refused = std::get_if<Refused>(&outcome))
                           return refuse(later, refused->reason);
                       finish_with(room, SetState{RoomState::open}, form, std::move(later));
                   });
}

void Portal::finish_with(const std::shared_ptr<HostedRoom>& room, const Command& command, Form form,
                         Later later) {
    desk_.service().submit(
        *room, command, &desk_.loop(),
        [this, room, form, later = std::move(later)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(later, refused->reason);
            desk_.service().publish(room);
            answer_queue(later, form, *room);
        });
}

std::shared_ptr<HostedRoom> Portal::find_where(Ask& ask, Form form, const Event& event,
                                               bool (*holds)(const HostedRoom&)) {
    const std::optional<HostedRoom*> found = find_queue(ask, event);
    if (!found) return nullptr;
    const bool is_there = *found != nullptr;
    if (is_there && holds(**found)) return (*found)->shared_from_this();
    refuse(ask, is_there && form == Form::seller ? errors::seller_not_active : missing(form));
    return nullptr;
}

// A queue that is over is drained and empty; closed is an operator's word (is_guarded).
void Portal::deactivate(Ask& ask, const Caller& caller, Form form, const Event& event) {
    const std::shared_ptr<HostedRoom> room = find_where(ask, form, event, is_guarded);
    if (!room) return;
    desk_.note(ask, caller, "deactivate", options_.drains ? "drain" : "expire");
    const SetState drain{RoomState::draining};
    if (options_.drains) return finish_with(room, drain, form, desk_.defer(ask));
    // Nobody comes in between.
    desk_.service().submit(
        *room, drain, &desk_.loop(),
        [this, room, form, later = desk_.defer(ask)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(later, refused->reason);
            finish_with(room, Clear{}, form, std::move(later));
        });
}

void Portal::process(Ask& ask, const Caller& caller, Form form, const Event& event) {
    const std::shared_ptr<HostedRoom> room = find_where(ask, form, event, is_active);
    if (!room) return;
    desk_.note(ask, caller, "process", "");
    const CallNext command{room->view().settings().admit_batch};
    desk_.service().submit(
        *room, command, &desk_.loop(),
        [this, room, form, later = desk_.defer(ask)](const Outcome& outcome) mutable {
            const auto* refused = std::get_if<Refused>(&outcome);
            // A pause is an operator's: nobody is called, and nothing is wrong.
            if (refused && refused->reason != Reason::room_paused)
                return refuse(later, refused->reason);
            desk_.service().publish(room);
            answer_queue(later, form, *room);
        });
}

void Portal::admin_status(Ask& ask, Form form, const Event& event) {
    const std::optional<HostedRoom*> room = find_queue(ask, event);
    if (!room) return;
    if (!*room) return refuse(ask, missing(form));
    net::Answer answer = begin(ask, Status::ok);
    write_success(answer, queue_json(**room));
}

} // namespace anteroom::portal
