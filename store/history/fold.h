// fold: what a run of facts means for the rows of the history. Pure; the sinks only write it down.
//
// Facts of one visit that come together become one row. A clearing concerns everybody who is there
// at that moment, rows of earlier runs included, so it ends a chapter: a sink writes the chapter's
// rows, then ends who is left, then goes on with the next.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/history/fact_row.h"
#include "store/history/visit.h"

namespace anteroom::history {

// What happened to a visit that began before this chapter. Only what is set changes.
struct VisitChange {
    std::uint32_t room = 0;
    Number number = 0;
    Progress progress;
};

// Only what is set changes. Each stands for itself and in order: operators make them, they are few.
struct RoomChange {
    std::uint32_t room = 0;
    Instant at;
    std::optional<Admission> admission;
    std::optional<RoomState> state;
};

struct Clearing {
    std::uint32_t room = 0;
    Instant at;
};

struct Chapter {
    std::vector<Visit> arrivals; // In the order of their visitors' names.
    std::vector<VisitChange> changes;
    std::vector<RoomChange> rooms;
    std::optional<Clearing> clearing; // After everything else.
};

std::vector<Chapter> fold(std::span<const FactRow> facts);

} // namespace anteroom::history
