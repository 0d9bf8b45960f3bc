// What a command comes to. A domain "no" is an outcome like any other.
#pragma once

#include <cstdint>
#include <variant>

#include "base/time.h"
#include "engine/visitor.h"

namespace anteroom {

enum class Reason : std::uint8_t {
    none,
    // Impossible settings.
    bad_capacity,
    bad_batch,
    bad_interval,
    bad_rate,
    bad_lease,
    bad_wait,
    bad_limit,
    bad_lanes,
    lane_in_use, // Somebody still stands in a lane that the new settings no longer have.
    // Joining.
    unknown_lane,
    room_full,
    room_draining,
    room_closed,
    outer_required,     // The outer line is active: take a number there first.
    outer_unknown,      // No such number in this generation, or it is too old.
    outer_not_released, // Its turn in the outer line has not come.
    outer_taken,        // Another visitor has used this number.
    // Everything else.
    outer_inactive,
    unknown_number,
    not_called,
    redeemed, // The pass was exchanged before.
    bad_count,
    room_paused,
    not_paused,
    unavailable, // Not the rules: where the room lives, nothing can be written now.
    bad_presence,
};

constexpr const char* name(Reason reason) {
    switch (reason) {
        case Reason::none: return "none";
        case Reason::bad_capacity: return "bad_capacity";
        case Reason::bad_batch: return "bad_batch";
        case Reason::bad_interval: return "bad_interval";
        case Reason::bad_rate: return "bad_rate";
        case Reason::bad_lease: return "bad_lease";
        case Reason::bad_wait: return "bad_wait";
        case Reason::bad_limit: return "bad_limit";
        case Reason::bad_lanes: return "bad_lanes";
        case Reason::lane_in_use: return "lane_in_use";
        case Reason::unknown_lane: return "unknown_lane";
        case Reason::room_full: return "room_full";
        case Reason::room_draining: return "room_draining";
        case Reason::room_closed: return "room_closed";
        case Reason::outer_required: return "outer_required";
        case Reason::outer_unknown: return "outer_unknown";
        case Reason::outer_not_released: return "outer_not_released";
        case Reason::outer_taken: return "outer_taken";
        case Reason::outer_inactive: return "outer_inactive";
        case Reason::unavailable: return "unavailable";
        case Reason::bad_presence: return "bad_presence";
        case Reason::unknown_number: return "unknown_number";
        case Reason::not_called: return "not_called";
        case Reason::redeemed: return "redeemed";
        case Reason::bad_count: return "bad_count";
        case Reason::room_paused: return "room_paused";
        case Reason::not_paused: return "not_paused";
    }
    return "";
}

// Where a visitor stands in the room.
struct Standing {
    Number number = 0;
    VisitorState state = VisitorState::unknown;
    std::uint8_t lane = 0;
    std::uint8_t line = 0; // Which line of the pulse holds the visitor, and…
    std::uint64_t order =
        0; // …at which order; it is the number unless an outer number was carried.
    std::uint64_t ahead = 0; // Live visitors who will be called before, as the line stands now.
    std::uint64_t behind = 0;
    Instant joined{};
    Instant until{};         // Called: the last moment to claim. Active: when the lease ends.
    bool is_new = false;     // This command gave the visitor the place.
    bool redeemed = false;   // The pass of this visit was exchanged for a session.
    std::uint8_t missed = 0; // Calls that this visitor did not claim.
    friend bool operator==(const Standing&, const Standing&) = default;
};

// Where a visitor stands in the outer line.
struct OuterStanding {
    std::uint32_t generation = 0;
    Number number = 0;
    std::uint64_t serving = 0;
    std::uint64_t issued = 0;
    bool released = false; // May go on to the inner line.
    bool is_new = false;
    friend bool operator==(const OuterStanding&, const OuterStanding&) = default;
};

// What a command about the room as a whole did.
struct Done {
    std::uint64_t called = 0;
    std::uint64_t expired = 0;
    std::uint64_t left = 0;
    std::uint64_t advanced = 0;
    friend bool operator==(const Done&, const Done&) = default;
};

struct Refused {
    Reason reason = Reason::none;
    friend bool operator==(const Refused&, const Refused&) = default;
};

using Outcome = std::variant<Done, Standing, OuterStanding, Refused>;

} // namespace anteroom
