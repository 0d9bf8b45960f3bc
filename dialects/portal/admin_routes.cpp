// What operators of system P ask: a queue with its numbers, its end, one batch now.
#include <fmt/format.h>

#include "base/json_text.h"
#include "desk/submitted.h"
#include "dialects/portal/portal.h"

namespace anteroom::portal {
namespace {

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

const Error& missing(bool is_seller) {
    return is_seller ? errors::seller_not_found : errors::queue_not_found;
}

} // namespace

// Sellers' clients read the queue; the older ones want to know that it worked.
void Portal::answer_queue(Call& call, const std::shared_ptr<HostedRoom>& room, Form form) {
    desk_.service().publish(room);
    answer_success(call, form == Form::seller ? queue_json(*room) : std::string());
}

net::Task<void> Portal::change_queue(Call call, std::shared_ptr<HostedRoom> room,
                                     std::vector<Command> steps, Form form) {
    for (const Command& step : steps) {
        const Outcome outcome = co_await submitted(desk_, *room, step);
        const auto* refused = std::get_if<Refused>(&outcome);
        if (!refused) continue;
        refuse(call, refused->reason);
        co_return;
    }
    answer_queue(call, room, form);
}

void Portal::activate(Call& call, Instruction& wanted) {
    Service& service = desk_.service();
    const bool is_seller = wanted.form == Form::seller;
    const std::optional<std::string>& room_id = wanted.event.room_id;
    if (!room_id) {
        std::string rejected;
        append_json_string(rejected, wanted.event.type);
        return refuse_fields(call, {{.field = "eventType",
                                     .message = "must be 1 to 50 of A-Z a-z 0-9 . _ ~ -",
                                     .rejected = std::move(rejected)}});
    }
    const std::optional<HostedRoom*> found = find_room(call, *room_id);
    if (!found) return;
    const HostedRoom* there = *found;
    // Numbers that the order lacks stay as they were, and an old copy does not know them.
    if (there && is_stale(call, *there, limits::age_untold)) return;
    if (there && !is_queue(*there)) return refuse(call, missing(is_seller)); // Of another system.
    const std::optional<Pace> known =
        there ? std::optional(pace_of(there->view().settings())) : std::nullopt;
    const std::optional<Pace> pace = portal::pace_of(wanted.order, known);
    if (!pace) return refuse_fields(call, wanted.order.faults);
    if (there && is_active(*there) && is_seller) return refuse(call, errors::seller_is_active);
    const Settings rules = room_rules(options_, *pace);
    if (!service.is_writable()) return refuse(call, errors::unavailable);
    const std::shared_ptr<HostedRoom> room =
        service.make_room(*room_id, {.rules = rules, .profile = {.dialect = "portal"}}).room;
    if (!room) return refuse(call, errors::unavailable); // There are too many rooms.
    desk_.note(call, *room_id, "activate",
               fmt::format("{} {} {}", pace->capacity, pace->batch, pace->interval_seconds));
    // The numbers first: they count for the first visitor who comes in.
    std::vector<Command> steps{Configure{rules}, SetState{RoomState::open}};
    call.defer();
    net::spawn(desk_.loop(), change_queue(std::move(call), room, std::move(steps), wanted.form));
}

std::shared_ptr<HostedRoom> Portal::find_where(Call& call, const Instruction& wanted,
                                               bool (*holds)(const HostedRoom&)) {
    const std::optional<HostedRoom*> found = find_queue(call, wanted.event);
    if (!found) return nullptr;
    const bool is_there = *found != nullptr;
    const bool is_seller = wanted.form == Form::seller;
    if (is_there && holds(**found)) return (*found)->shared_from_this();
    refuse(call, is_there && is_seller ? errors::seller_not_active : missing(is_seller));
    return nullptr;
}

// A queue that is over is draining and empty; closed is an operator's word (is_guarded).
void Portal::deactivate(Call& call, Instruction& wanted) {
    const std::shared_ptr<HostedRoom> room = find_where(call, wanted, is_guarded);
    if (!room) return;
    desk_.note(call, room->id(), "deactivate", options_.drains ? "drain" : "expire");
    // Draining first: no visitor joins before the room is cleared.
    std::vector<Command> steps{SetState{RoomState::draining}};
    if (!options_.drains) steps.emplace_back(Clear{});
    call.defer();
    net::spawn(desk_.loop(), change_queue(std::move(call), room, std::move(steps), wanted.form));
}

void Portal::process(Call& call, Instruction& wanted) {
    const std::shared_ptr<HostedRoom> room = find_where(call, wanted, is_active);
    if (!room) return;
    desk_.note(call, room->id(), "process", "");
    const CallNext command{room->view().settings().admit_batch};
    desk_.submit(call, *room, command,
                 [this, room, form = wanted.form](Call& asked, const Outcome& outcome) {
                     const auto* refused = std::get_if<Refused>(&outcome);
                     // An operator paused the room: no visitor is called, and that is no error.
                     if (refused && refused->reason != Reason::room_paused)
                         return refuse(asked, refused->reason);
                     answer_queue(asked, room, form);
                 });
}

void Portal::admin_status(Call& call, Instruction& wanted) {
    const std::optional<HostedRoom*> room = find_queue(call, wanted.event);
    if (!room) return;
    if (!*room) return refuse(call, missing(wanted.form == Form::seller));
    answer_success(call, queue_json(**room));
}

} // namespace anteroom::portal
