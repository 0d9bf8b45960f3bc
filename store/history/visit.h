// Visit: one visitor's stay in a room, from joining to the end. What the history consists of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "engine/visitor.h"
#include "store/history/fact_row.h"

namespace anteroom::history {

// Why somebody expired.
enum class Cause : std::uint8_t {
    none,
    silent,  // Not seen for too long while waiting.
    no_show, // Called, and did not come.
    lease,   // Inside, and the lease ended.
    cleared, // The room was cleared or removed.
};

constexpr std::string_view name(Cause cause) {
    switch (cause) {
        case Cause::none: return "";
        case Cause::silent: return "silent";
        case Cause::no_show: return "no_show";
        case Cause::lease: return "lease";
        case Cause::cleared: return "cleared";
    }
    return "";
}

// In a change: the visitor missed the call, and is in line again. In a row it is NULL.
inline constexpr Instant call_taken_back{0};

// How far a visit came.
struct Progress {
    std::optional<Instant> called_at;
    std::optional<Instant> entered_at;
    std::optional<Instant> ended_at;
    std::optional<VisitorState> outcome; // finished, left or expired; nothing while it lasts.
    Cause cause = Cause::none;

    friend bool operator==(const Progress&, const Progress&) = default;
};

struct Visit {
    std::uint32_t room = 0;
    Number number = 0;
    std::string visitor; // The id of one who was named, otherwise the key in hexadecimal.
    std::uint8_t lane = 0;
    Instant joined_at;
    Progress progress;

    friend bool operator==(const Visit&, const Visit&) = default;
};

// waiting, called, active, finished, left or expired: what can be told from the row.
constexpr VisitorState state_of(const Progress& progress) {
    if (progress.outcome) return *progress.outcome;
    if (progress.entered_at) return VisitorState::active;
    return progress.called_at ? VisitorState::called : VisitorState::waiting;
}

// A room as the history knows it.
struct RoomRow {
    std::uint32_t room = 0;
    std::string id;
    Instant created_at;
    std::optional<Instant> removed_at;
    Admission admission;
    RoomState state = RoomState::open;
    Instant opened_at;                // When it last began to take visitors…
    std::optional<Instant> closed_at; // …and when it last ceased to.

    friend bool operator==(const RoomRow&, const RoomRow&) = default;
};

} // namespace anteroom::history
