// What has happened in a room, in the past tense. The facts are the room: replaying them in order
// gives the state that wrote them.
//
// Signs of life are not facts: they decide nothing by themselves, only the facts that a tick makes
// of their absence do.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/time.h"
#include "engine/settings.h"
#include "engine/visitor.h"

namespace anteroom {

enum class Expiry : std::uint8_t {
    silent,  // Waiting, and not seen for `idle`.
    no_show, // Called, and did not come: for the third time, or silent for `idle`.
    lease,   // Inside, and the lease ended.
};

constexpr const char* name(Expiry cause) {
    switch (cause) {
        case Expiry::silent: return "silent";
        case Expiry::no_show: return "no_show";
        case Expiry::lease: return "lease";
    }
    return "";
}

struct Joined {
    Number number = 0;
    VisitorKey visitor;
    std::uint8_t lane = 0;
    Number outer =
        0; // The outer number whose order is carried, of the current generation; 0: none.
    bool bound_only =
        false; // `outer` proves the way through the outer line, but its order is spent.
};
struct Called {
    Number number = 0;
};
struct Claimed {
    Number number = 0;
};
struct Missed {
    Number number = 0;
}; // Called, and did not come within the claim window: at the head of the line again.
struct Redeemed {
    Number number = 0;
};
struct LeaseSet {
    Number number = 0;
    Instant until; // When the stay ends, however often they are seen.
};
struct Finished {
    Number number = 0;
};
struct Leaving {
    Number number = 0;
};
struct Returned {
    Number number = 0;
};
struct Left {
    Number number = 0;
};
struct Expired {
    Number number = 0;
    Expiry cause = Expiry::silent;
};
struct NumberTaken {
    Number number = 0;
    VisitorKey visitor;
};
struct Advanced {
    Number serving = 0;
};
struct OuterExpired {
    Number through = 0;
}; // Outer numbers up to this one are forgotten.
struct Activated {
    std::uint32_t generation = 0;
};
struct Deactivated {};
struct Configured {
    Settings settings;
};
struct StateChanged {
    RoomState to = RoomState::open;
};
struct Cleared {};

using Happening = std::variant<Joined, Called, Claimed, Finished, Leaving, Returned, Left, Expired,
                               NumberTaken, Advanced, OuterExpired, Activated, Deactivated,
                               Configured, StateChanged, Cleared, Redeemed, LeaseSet, Missed>;

struct Fact {
    std::uint64_t sequence = 0; // 1, 2, 3, … without a gap, per room.
    Instant at;
    Happening what;
};

using Facts = std::vector<Fact>;

} // namespace anteroom
