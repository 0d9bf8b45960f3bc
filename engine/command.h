// Everything that can be asked of a room. Commands are imperatives; the time is given beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "engine/settings.h"
#include "engine/visitor.h"

namespace anteroom {

// A place in the outer line, as its pass proves it.
struct OuterPlace {
    std::uint32_t generation = 0;
    Number number = 0;
    friend bool operator==(const OuterPlace&, const OuterPlace&) = default;
};

// Visitors.
struct Join {
    VisitorKey visitor;
    std::uint8_t lane = 0;
    std::optional<OuterPlace> outer = std::nullopt;
};
struct Touch {
    Number number = 0;
    Millis told{0}; // How soon the visitor is told to ask again. 0: as before.
}; // A sign of life: keeps the place, comes back from leaving or absence, claims a call.
struct Seek {
    VisitorKey visitor;
}; // Touch, of a visitor whose number the caller does not know.
struct Claim {
    Number number = 0;
};
struct Redeem {
    Number number = 0;
}; // The pass is exchanged for a session: works once per visit.
struct Finish {
    Number number = 0;
};
struct Leave {
    Number number = 0;
};
struct TakeNumber {
    VisitorKey visitor;
}; // In the outer line.
struct SetLease {
    Number number = 0;
    Millis lease; // At most the room's own.
};                // The visitor's lease ends so long from now, however often the visitor is seen.

// The clock.
struct Tick {};
struct Wake {}; // The server was away until now: silence before now ends no visit.

// Operators.
struct Configure {
    Settings settings;
};
struct SetState {
    RoomState to = RoomState::open;
};
struct Resume {}; // Back to what the room was before it was paused.
struct CallNext {
    std::int64_t count = 0;
}; // Now, whatever the pace; never above the capacity.
struct Advance {
    std::int64_t count = 0;
};                  // The outer line's serving counter.
struct Activate {}; // The outer line, with a new generation of numbers.
struct Deactivate {};
struct Clear {};

using Command =
    std::variant<Join, Touch, Claim, Redeem, Finish, Leave, TakeNumber, Tick, Wake, Configure,
                 SetState, Resume, CallNext, Advance, Activate, Deactivate, Clear, SetLease, Seek>;

} // namespace anteroom
