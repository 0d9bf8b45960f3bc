// FactRow: one row of the ledger's table `facts` (docs/formats-ledger.md), as the history reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "engine/visitor.h"

namespace anteroom::history {

enum class FactKind : std::uint8_t {
    joined = 1,
    called = 2,
    claimed = 3,
    finished = 4,
    leaving = 5,
    returned = 6,
    left = 7,
    expired = 8,
    number_taken = 9,
    advanced = 10,
    outer_expired = 11,
    activated = 12,
    deactivated = 13,
    configured = 14,
    state_changed = 15,
    cleared = 16,
    redeemed = 17,
    lease_set = 18,
    missed = 19,
};

constexpr std::string_view name(FactKind kind) {
    switch (kind) {
        case FactKind::joined: return "joined";
        case FactKind::called: return "called";
        case FactKind::claimed: return "claimed";
        case FactKind::finished: return "finished";
        case FactKind::leaving: return "leaving";
        case FactKind::returned: return "returned";
        case FactKind::left: return "left";
        case FactKind::expired: return "expired";
        case FactKind::number_taken: return "number_taken";
        case FactKind::advanced: return "advanced";
        case FactKind::outer_expired: return "outer_expired";
        case FactKind::activated: return "activated";
        case FactKind::deactivated: return "deactivated";
        case FactKind::configured: return "configured";
        case FactKind::state_changed: return "state_changed";
        case FactKind::cleared: return "cleared";
        case FactKind::redeemed: return "redeemed";
        case FactKind::lease_set: return "lease_set";
        case FactKind::missed: return "missed";
    }
    return "unknown";
}

// Of a room's settings, what the history keeps: how many may be inside, and how fast they come.
struct Admission {
    std::int64_t capacity = 0;
    std::int64_t batch = 0;
    Millis interval;

    friend bool operator==(const Admission&, const Admission&) = default;
};

struct FactRow {
    std::uint64_t fact = 0; // In the order of writing, over all rooms.
    std::uint32_t room = 0; // The index that tickets name.
    std::uint64_t seq = 0;  // Of the room.
    Instant at;
    FactKind kind = FactKind::joined;
    Number number = 0;
    std::string visitor; // The key in hexadecimal; empty when the fact names nobody.
    std::int64_t detail = 0;
    std::string settings;               // Configured: as JSON…
    std::optional<Admission> admission; // …and what we read of it.
    Number outer = 0;
    std::string who; // The id of a visitor who was named.
};

} // namespace anteroom::history
