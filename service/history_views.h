// HistoryViews: the tables of a dialect's system as SQL views of the history, so that reports made
// for that system go on. The history runs the texts as they stand: in history.db whenever it is
// opened, in a database when its tables are made. docs/formats-history.md has the tables that a
// view can read.
//
// A constant of the dialect: the texts live as long as the process.
#pragma once

#include <cstdint>
#include <span>

namespace anteroom {

struct HistoryViews {
    // One statement each, which does no harm when the view is there already.
    std::span<const char* const> sqlite;
    std::span<const char* const> postgresql;
    std::span<const char* const> mysql; // And MariaDB.
    // Of the tickets by which clients of the system name their visits; 0: it has none.
    std::uint32_t token_generation = 0;
};

} // namespace anteroom
