// Visits: where does this visitor stand? The one use case behind every adapter and the gate.
//
//   room_of, room_at   which room is meant: by its id, or by the index that a ticket names
//   look               what this process knows of a place, if that may be told now
//   ask                otherwise: the room's writer is asked, and says it later
//
// One rule for all:
//   a room, or a standing, that may exist and was not heard of here    NotHeard: ask again soon
//   a number or a visitor that a copy older than age_untold lacks      the writer is asked
//   the store is away                                                  the last standing, with its
//                                                                      age; NotHeard above age_max
//
// Threads: any that holds a slot of Quiet; `done` runs on the thread of `loop`.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "base/unique_function.h"
#include "engine/outcome.h"
#include "service/hosted_room.h"
#include "service/service.h"

namespace anteroom {

// There is no such room.
struct NoRoom {};
// Nobody can say now; the answer may be another one in some seconds.
struct NotHeard {};
using RoomSight = std::variant<HostedRoom*, NoRoom, NotHeard>;

// A place in a room: the number that a ticket proves, or the visitor who is looked for, or both.
struct VisitPlace {
    HostedRoom* room = nullptr;
    Number number = 0;                               // 0: the place of `holder`.
    std::optional<VisitorKey> holder = std::nullopt; // Nothing: whoever has the ticket.
};

// A standing that may be told. `age`: how old the copy was that says so; 0 where the room is
// written.
struct Stands {
    Standing standing;
    Millis age{0};
};
// The room has no such visitor.
struct NoVisit {};
// The place belongs to another visitor than `holder`.
struct OfAnother {};
using Sight = std::variant<Stands, NoVisit, OfAnother, NotHeard>;

class Visits {
  public:
    explicit Visits(Service& service) : service_(service) {}

    RoomSight room_of(std::string_view id) const;
    RoomSight room_at(std::uint32_t index) const;

    // Also a sign of life. Nothing: the writer must be asked. REQUIRES: a number or a holder.
    std::optional<Sight> look(const VisitPlace& place, Instant now) const;

    using OnSight = UniqueFunction<void(const Sight&)>;
    void ask(const VisitPlace& place, net::Loop& loop, OnSight done) const;

    // The store is away: what was true before, as long as the copy is not older than age_max.
    Sight last_known(const VisitPlace& place) const;

    // For the gate, which cannot wait for the writer: the state of the visit as this process has
    // it, also a moment before it is durable. NotHeard where look() would have the writer asked
    // because the place is not known here. A sign of life, too.
    Sight glance(const VisitPlace& place, Instant now) const;

  private:
    Service& service_;
};

} // namespace anteroom
