// The SQL of the history in PostgreSQL and in MySQL or MariaDB: same tables, same statements, two
// ways to write them.
//
// Rows travel as one bound parameter, a JSON array, and the database makes rows of it: one round
// trip for thousands, where a bound parameter per value costs the driver one statement per row.
// Values are only ever bound, never part of the text.
#pragma once

#include <span>

#include "service/history_views.h"
#include "store/history/sql_url.h"

namespace anteroom::history {

struct SqlDialect {
    const char* backend; // As SOCI calls it.
    const char* package; // What to install when SOCI does not find it.
    const char* session; // Said once per connection.
    const char* encoding;
    const char* has_tables;

    const char* create_rooms;
    const char* create_visits;
    const char* create_visit_indexes[2];
    const char* create_cursor;
    std::span<const char* const> HistoryViews::*views; // Those of a dialect in this SQL.

    const char* list_rooms;    // :rows
    const char* put_rooms;     // :rows
    const char* insert_visits; // :rows
    const char* remove_visits; // :rows
    const char* change_visits; // :rows
    const char* set_state;     // :joinable :opened :refusing :closed :state :room
    const char* forget;        // :before :most
};

const SqlDialect& dialect_of(SqlKind kind);

// The same in both.
namespace sql {
inline constexpr const char* begin_cursor = "INSERT INTO anteroom_cursor VALUES(1, :version, 0)";
inline constexpr const char* count_cursors = "SELECT count(*) FROM anteroom_cursor";
inline constexpr const char* read_version = "SELECT version FROM anteroom_cursor WHERE id = 1";
inline constexpr const char* read_cursor = "SELECT fact FROM anteroom_cursor WHERE id = 1";
inline constexpr const char* lock_cursor =
    "SELECT fact FROM anteroom_cursor WHERE id = 1 FOR UPDATE";
inline constexpr const char* move_cursor = "UPDATE anteroom_cursor SET fact = :fact WHERE id = 1";
inline constexpr const char* configure =
    "UPDATE anteroom_rooms SET capacity = :capacity, admit_batch = :admit_batch,"
    " admit_interval = :admit_interval WHERE room = :room";
inline constexpr const char* clear =
    "UPDATE anteroom_visits SET ended_at = :at, outcome = 'expired', cause = 'cleared'"
    " WHERE room = :room AND ended_at IS NULL";
} // namespace sql

} // namespace anteroom::history
