#include "store/history/sql_dialect.h"

namespace anteroom::history {
namespace {

// --- PostgreSQL ----------------------------------------------------------------------------------

constexpr SqlDialect postgresql{
    .backend = "postgresql",
    .package = "libsoci-postgresql4.0",
    .session = "SET client_min_messages = warning; SET lock_timeout = '30s'",
    .encoding = "SELECT current_setting('server_encoding')",
    .has_tables =
        "SELECT count(*) FROM information_schema.tables"
        " WHERE table_schema = current_schema() AND table_name = 'anteroom_cursor'",

    .create_rooms = R"(
CREATE TABLE IF NOT EXISTS anteroom_rooms(
  room INTEGER PRIMARY KEY,
  id VARCHAR(128) NOT NULL,
  created_at BIGINT NOT NULL,
  removed_at BIGINT,
  capacity BIGINT NOT NULL,
  admit_batch BIGINT NOT NULL,
  admit_interval BIGINT NOT NULL,
  state VARCHAR(16) NOT NULL,
  opened_at BIGINT NOT NULL,
  closed_at BIGINT))",
    .create_visits = R"(
CREATE TABLE IF NOT EXISTS anteroom_visits(
  room INTEGER NOT NULL,
  number BIGINT NOT NULL,
  visitor VARCHAR(256) NOT NULL,
  lane INTEGER NOT NULL,
  joined_at BIGINT NOT NULL,
  called_at BIGINT,
  entered_at BIGINT,
  ended_at BIGINT,
  outcome VARCHAR(8),
  cause VARCHAR(8),
  token CHAR(36) NOT NULL UNIQUE,
  PRIMARY KEY(room, number)))",
    .create_visit_indexes =
        {"CREATE INDEX IF NOT EXISTS anteroom_visits_visitor ON anteroom_visits(visitor)",
         "CREATE INDEX IF NOT EXISTS anteroom_visits_ended ON anteroom_visits(ended_at, room)"},
    .create_cursor =
        "CREATE TABLE IF NOT EXISTS anteroom_cursor("
        "id INTEGER PRIMARY KEY, version INTEGER NOT NULL, fact BIGINT NOT NULL)",
    .views = &HistoryViews::postgresql,

    .list_rooms = R"(
INSERT INTO anteroom_rooms SELECT r.room, r.id, r.created_at, r.removed_at, r.capacity,
  r.admit_batch, r.admit_interval, 'open', r.created_at, NULL
FROM json_to_recordset(CAST(:rows AS json)) AS r(room INTEGER, id VARCHAR, created_at BIGINT,
  removed_at BIGINT, capacity BIGINT, admit_batch BIGINT, admit_interval BIGINT)
ON CONFLICT (room) DO UPDATE SET id = EXCLUDED.id, created_at = EXCLUDED.created_at,
  removed_at = EXCLUDED.removed_at)",
    .put_rooms = R"(
INSERT INTO anteroom_rooms SELECT r.* FROM json_to_recordset(CAST(:rows AS json)) AS r(
  room INTEGER, id VARCHAR, created_at BIGINT, removed_at BIGINT, capacity BIGINT,
  admit_batch BIGINT, admit_interval BIGINT, state VARCHAR, opened_at BIGINT, closed_at BIGINT)
ON CONFLICT (room) DO UPDATE SET id = EXCLUDED.id, created_at = EXCLUDED.created_at,
  removed_at = EXCLUDED.removed_at, capacity = EXCLUDED.capacity,
  admit_batch = EXCLUDED.admit_batch, admit_interval = EXCLUDED.admit_interval,
  state = EXCLUDED.state, opened_at = EXCLUDED.opened_at, closed_at = EXCLUDED.closed_at)",
    .insert_visits = R"(
INSERT INTO anteroom_visits SELECT r.* FROM json_to_recordset(CAST(:rows AS json)) AS r(
  room INTEGER, number BIGINT, visitor VARCHAR, lane INTEGER, joined_at BIGINT, called_at BIGINT,
  entered_at BIGINT, ended_at BIGINT, outcome VARCHAR, cause VARCHAR, token CHAR(36)))",
    .remove_visits = R"(
DELETE FROM anteroom_visits v
USING json_to_recordset(CAST(:rows AS json)) AS r(room INTEGER, number BIGINT)
WHERE v.room = r.room AND v.number = r.number)",
    .change_visits = R"(
UPDATE anteroom_visits v SET called_at = NULLIF(COALESCE(r.called_at, v.called_at), 0),
  entered_at = COALESCE(r.entered_at, v.entered_at), ended_at = COALESCE(r.ended_at, v.ended_at),
  outcome = COALESCE(r.outcome, v.outcome), cause = COALESCE(r.cause, v.cause)
FROM json_to_recordset(CAST(:rows AS json)) AS r(room INTEGER, number BIGINT, called_at BIGINT,
  entered_at BIGINT, ended_at BIGINT, outcome VARCHAR, cause VARCHAR)
WHERE v.room = r.room AND v.number = r.number)",
    .set_state = R"(
UPDATE anteroom_rooms SET
  opened_at = CASE WHEN CAST(:joinable AS INTEGER) = 1 AND state IN ('draining', 'closed')
    THEN CAST(:opened AS BIGINT) ELSE opened_at END,
  closed_at = CASE WHEN CAST(:refusing AS INTEGER) = 1 AND state NOT IN ('draining', 'closed')
    THEN CAST(:closed AS BIGINT) ELSE closed_at END,
  state = :state
WHERE room = :room)",
    .forget =
        "DELETE FROM anteroom_visits WHERE (room, number) IN (SELECT room, number"
        " FROM anteroom_visits WHERE ended_at < :before ORDER BY ended_at LIMIT :most)",
};

// --- MySQL and MariaDB ---------------------------------------------------------------------------

// The order of joins is ours: with the rows first, each finds its visit by the primary key. Names
// say their character set, because JSON_TABLE takes that of the database. An UPDATE of MySQL sees
// the columns it has set before, so `state` comes last.
constexpr SqlDialect mysql{
    .backend = "mysql",
    .package = "libsoci-mysql4.0",
    .session = "SET SESSION sql_mode = 'STRICT_ALL_TABLES', innodb_lock_wait_timeout = 30",
    .encoding = "SELECT 'UTF8'", // The tables say it themselves.
    .has_tables =
        "SELECT count(*) FROM information_schema.tables"
        " WHERE table_schema = DATABASE() AND table_name = 'anteroom_cursor'",

    .create_rooms = R"(
CREATE TABLE IF NOT EXISTS anteroom_rooms(
  room INTEGER PRIMARY KEY,
  id VARCHAR(128) NOT NULL,
  created_at BIGINT NOT NULL,
  removed_at BIGINT,
  capacity BIGINT NOT NULL,
  admit_batch BIGINT NOT NULL,
  admit_interval BIGINT NOT NULL,
  state VARCHAR(16) NOT NULL,
  opened_at BIGINT NOT NULL,
  closed_at BIGINT)
ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)",
    .create_visits = R"(
CREATE TABLE IF NOT EXISTS anteroom_visits(
  room INTEGER NOT NULL,
  number BIGINT NOT NULL,
  visitor VARCHAR(256) NOT NULL,
  lane INTEGER NOT NULL,
  joined_at BIGINT NOT NULL,
  called_at BIGINT,
  entered_at BIGINT,
  ended_at BIGINT,
  outcome VARCHAR(8),
  cause VARCHAR(8),
  token CHAR(36) NOT NULL UNIQUE,
  PRIMARY KEY(room, number),
  KEY anteroom_visits_visitor(visitor),
  KEY anteroom_visits_ended(ended_at, room))
ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)",
    .create_visit_indexes = {nullptr, nullptr},
    .create_cursor =
        "CREATE TABLE IF NOT EXISTS anteroom_cursor("
        "id INTEGER PRIMARY KEY, version INTEGER NOT NULL, fact BIGINT NOT NULL)"
        " ENGINE = InnoDB",
    .views = &HistoryViews::mysql,

    .list_rooms = R"(
INSERT INTO anteroom_rooms SELECT r.room, r.id, r.created_at, r.removed_at, r.capacity,
  r.admit_batch, r.admit_interval, 'open', r.created_at, NULL
FROM JSON_TABLE(:rows, '$[*]' COLUMNS(
  room INTEGER PATH '$.room', id VARCHAR(128) PATH '$.id', created_at BIGINT PATH '$.created_at',
  removed_at BIGINT PATH '$.removed_at', capacity BIGINT PATH '$.capacity',
  admit_batch BIGINT PATH '$.admit_batch', admit_interval BIGINT PATH '$.admit_interval')) AS r
ON DUPLICATE KEY UPDATE id = VALUES(id), created_at = VALUES(created_at),
  removed_at = VALUES(removed_at))",
    .put_rooms = R"(
REPLACE INTO anteroom_rooms SELECT r.* FROM JSON_TABLE(:rows, '$[*]' COLUMNS(
  room INTEGER PATH '$.room', id VARCHAR(128) PATH '$.id', created_at BIGINT PATH '$.created_at',
  removed_at BIGINT PATH '$.removed_at', capacity BIGINT PATH '$.capacity',
  admit_batch BIGINT PATH '$.admit_batch', admit_interval BIGINT PATH '$.admit_interval',
  state VARCHAR(16) PATH '$.state', opened_at BIGINT PATH '$.opened_at',
  closed_at BIGINT PATH '$.closed_at')) AS r)",
    .insert_visits = R"(
INSERT INTO anteroom_visits SELECT r.* FROM JSON_TABLE(:rows, '$[*]' COLUMNS(
  room INTEGER PATH '$.room', number BIGINT PATH '$.number',
  visitor VARCHAR(256) CHARACTER SET utf8mb4 PATH '$.visitor', lane INTEGER PATH '$.lane',
  joined_at BIGINT PATH '$.joined_at', called_at BIGINT PATH '$.called_at',
  entered_at BIGINT PATH '$.entered_at', ended_at BIGINT PATH '$.ended_at',
  outcome VARCHAR(8) PATH '$.outcome', cause VARCHAR(8) PATH '$.cause',
  token CHAR(36) PATH '$.token')) AS r)",
    .remove_visits = R"(
DELETE v FROM JSON_TABLE(:rows, '$[*]' COLUMNS(
  room INTEGER PATH '$.room', number BIGINT PATH '$.number')) AS r
STRAIGHT_JOIN anteroom_visits v ON v.room = r.room AND v.number = r.number)",
    .change_visits = R"(
UPDATE JSON_TABLE(:rows, '$[*]' COLUMNS(
  room INTEGER PATH '$.room', number BIGINT PATH '$.number', called_at BIGINT PATH '$.called_at',
  entered_at BIGINT PATH '$.entered_at', ended_at BIGINT PATH '$.ended_at',
  outcome VARCHAR(8) PATH '$.outcome', cause VARCHAR(8) PATH '$.cause')) AS r
STRAIGHT_JOIN anteroom_visits v ON v.room = r.room AND v.number = r.number
SET v.called_at = NULLIF(COALESCE(r.called_at, v.called_at), 0),
  v.entered_at = COALESCE(r.entered_at, v.entered_at),
  v.ended_at = COALESCE(r.ended_at, v.ended_at), v.outcome = COALESCE(r.outcome, v.outcome),
  v.cause = COALESCE(r.cause, v.cause))",
    .set_state = R"(
UPDATE anteroom_rooms SET
  opened_at = CASE WHEN :joinable = 1 AND state IN ('draining', 'closed')
    THEN :opened ELSE opened_at END,
  closed_at = CASE WHEN :refusing = 1 AND state NOT IN ('draining', 'closed')
    THEN :closed ELSE closed_at END,
  state = :state
WHERE room = :room)",
    .forget = "DELETE FROM anteroom_visits WHERE ended_at < :before ORDER BY ended_at LIMIT :most",
};

} // namespace

const SqlDialect& dialect_of(SqlKind kind) {
    return kind == SqlKind::postgresql ? postgresql : mysql;
}

} // namespace anteroom::history
