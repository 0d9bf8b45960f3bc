// Who stands in a room, and in which state.
#pragma once

#include <compare>
#include <cstdint>

namespace anteroom {

// A visitor's identity inside the engine: 128 bits that the service made from the visitor's id with
// a secret, so that clients cannot choose keys that collide.
struct VisitorKey {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend constexpr auto operator<=>(const VisitorKey&, const VisitorKey&) = default;
};

// The place a visitor got: strictly increasing, never reused. 0: no visitor.
using Number = std::uint64_t;

// Not one whose low 32 bits are 0: in the indexes these mean an empty slot.
constexpr bool may_be_issued(Number number) {
    return (number & 0xffff'ffff) != 0;
}

enum class VisitorState : std::uint8_t {
    unknown,  // Never issued, or ended so long ago that the room has forgotten it.
    waiting,  // In the line.
    leaving,  // Left a moment ago; a return within the grace period restores the place.
    called,   // May go in; a slot is reserved.
    active,   // Inside.
    finished, // Done, gave the slot back.
    left,     // Gave up.
    expired,  // Went silent, did not come when called, stayed too long, or was cleared away.
};

constexpr bool is_in_line(VisitorState s) {
    return s == VisitorState::waiting || s == VisitorState::leaving;
}
constexpr bool is_inside(VisitorState s) {
    return s == VisitorState::called || s == VisitorState::active;
}
constexpr bool is_live(VisitorState s) {
    return is_in_line(s) || is_inside(s);
}

constexpr const char* name(VisitorState state) {
    switch (state) {
        case VisitorState::unknown: return "unknown";
        case VisitorState::waiting: return "waiting";
        case VisitorState::leaving: return "leaving";
        case VisitorState::called: return "called";
        case VisitorState::active: return "active";
        case VisitorState::finished: return "finished";
        case VisitorState::left: return "left";
        case VisitorState::expired: return "expired";
    }
    return "";
}

enum class RoomState : std::uint8_t {
    open,
    paused,      // Nobody is called; places are kept and may be taken.
    draining,    // Nobody may join; who waits is still called.
    closed,      // Nobody may join and nobody is called; places and leases are kept.
    passthrough, // Everybody is let in at once.
};

constexpr const char* name(RoomState state) {
    switch (state) {
        case RoomState::open: return "open";
        case RoomState::paused: return "paused";
        case RoomState::draining: return "draining";
        case RoomState::closed: return "closed";
        case RoomState::passthrough: return "passthrough";
    }
    return "";
}

constexpr bool may_join(RoomState s) {
    return s != RoomState::draining && s != RoomState::closed;
}
constexpr bool may_call(RoomState s) {
    return s != RoomState::paused && s != RoomState::closed;
}

} // namespace anteroom
