#include "service/visits.h"

namespace anteroom {
namespace {

Number number_of(const VisitPlace& place) {
    const Room& view = place.room->view();
    return place.number != 0 ? place.number : view.find(*place.holder);
}

// Of visits that ended long ago the room does not know any more whose they were.
bool is_of_another(const VisitPlace& place, Number number) {
    if (!place.holder) return false;
    const VisitorKey* key = place.room->view().visitor(number);
    return key && *key != *place.holder;
}

// Whether the room's own threads know all there is to know, so that no command is needed: who waits
// or is inside and was seen, who is over, and who is called where only a claim takes the call.
bool needs_no_writer(const HostedRoom& room, const Standing& standing, bool is_seen) {
    switch (standing.state) {
        case VisitorState::waiting:
        case VisitorState::active: return is_seen;
        case VisitorState::called: return !room.view().settings().claim_by_look;
        case VisitorState::leaving:
        case VisitorState::unknown: return false;
        default: return true;
    }
}

Sight last_known_at(const VisitPlace& place, Instant now) {
    const HostedRoom& room = *place.room;
    const Number number = number_of(place);
    const Standing before = number != 0 ? room.view().standing(number) : Standing{};
    const Millis age = room.age(now);
    const bool is_known = before.state != VisitorState::unknown && room.may_tell(before);
    if (!is_known || age > limits::age_max) return NotHeard{};
    if (is_of_another(place, number)) return OfAnother{};
    return Stands{.standing = before, .age = age};
}

Sight sight_of(const VisitPlace& place, const Outcome& outcome, Instant now) {
    if (const auto* standing = std::get_if<Standing>(&outcome)) {
        if (is_of_another(place, standing->number)) return OfAnother{};
        return Stands{.standing = *standing};
    }
    const auto* refused = std::get_if<Refused>(&outcome);
    if (refused && refused->reason == Reason::unknown_number) return NoVisit{};
    return last_known_at(place, now);
}

} // namespace

RoomSight Visits::room_of(std::string_view id) const {
    const Rooms& rooms = service_.rooms();
    if (HostedRoom* room = rooms.find(id)) return room;
    if (!service_.may_have(id)) {
        HostedRoom* room = rooms.find(id); // It may have come in between.
        return room ? RoomSight(room) : RoomSight(NoRoom{});
    }
    return NotHeard{};
}

RoomSight Visits::room_at(std::uint32_t index) const {
    const Rooms& rooms = service_.rooms();
    if (HostedRoom* room = rooms.at(index)) return room;
    if (rooms.may_come(index)) return NotHeard{};
    return NoRoom{};
}

std::optional<Sight> Visits::look(const VisitPlace& place, Instant now) const {
    const HostedRoom& room = *place.room;
    const Millis age = room.age(now);
    if (age > limits::age_max) return NotHeard{};
    const Number number = number_of(place);
    if (number == 0) {
        if (age > limits::age_untold) return std::nullopt; // The visitor may have come since.
        return NoVisit{};
    }
    if (is_of_another(place, number)) return OfAnother{};
    const bool is_seen = room.touch(number, now);
    const Standing standing = room.view().standing(number);
    // Read before may_tell() is asked: what is told is what was durable then.
    if (!needs_no_writer(room, standing, is_seen) || !room.may_tell(standing)) return std::nullopt;
    return Stands{.standing = standing, .age = age};
}

Sight Visits::glance(const VisitPlace& place, Instant now) const {
    const HostedRoom& room = *place.room;
    const Millis age = room.age(now);
    if (age > limits::age_max) return NotHeard{};
    const Number number = number_of(place);
    const Standing standing = number != 0 ? room.view().standing(number) : Standing{};
    if (standing.state == VisitorState::unknown) {
        if (age > limits::age_untold) return NotHeard{};
        return NoVisit{};
    }
    if (is_of_another(place, number)) return OfAnother{};
    room.touch(number, now);
    return Stands{.standing = standing, .age = age};
}

Sight Visits::last_known(const VisitPlace& place) const {
    return last_known_at(place, service_.clock().now());
}

void Visits::ask(const VisitPlace& place, net::Loop& loop, OnSight done) const {
    const std::shared_ptr<HostedRoom> room = place.room->shared_from_this();
    const Command command =
        place.number != 0 ? Command{Touch{place.number}} : Command{Seek{*place.holder}};
    service_.submit(
        *room, command, &loop,
        [room, place, done = std::move(done), &clock = service_.clock()](
            const Outcome& outcome) mutable { done(sight_of(place, outcome, clock.now())); });
}

} // namespace anteroom
