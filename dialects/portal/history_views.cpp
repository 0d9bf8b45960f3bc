#include "dialects/portal/history_views.h"

#include "dialects/portal/options.h"

namespace anteroom::portal {
namespace {

// In waiting_queues a room is a queue when its id ends in a 64-bit number, written as numbers are:
// the same rooms in every database. Nineteen digits can be more than fits; PostgreSQL and MySQL
// read them into a wider type and compare before the cast: a query never fails because of a name.

// --- SQLite --------------------------------------------------------------------------------------

constexpr const char* sqlite_views[] = {
    R"(
CREATE VIEW IF NOT EXISTS waiting_queues AS SELECT
  room AS id,
  iif(is_queue, substr(id, 1, colon - 1), id) AS event_type,
  iif(is_queue, CAST(substr(id, colon + 1) AS INTEGER), NULL) AS event_id,
  capacity AS max_capacity,
  admit_batch AS entry_batch_size,
  (admit_interval + 999) / 1000 AS entry_interval_seconds,
  removed_at IS NULL AND state NOT IN ('draining', 'closed') AS is_active,
  strftime('%Y-%m-%d %H:%M:%f', created_at / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%d %H:%M:%f', opened_at / 1000.0, 'unixepoch') AS activated_at,
  strftime('%Y-%m-%d %H:%M:%f', iif(state IN ('draining', 'closed'), closed_at, removed_at) / 1000.0,
    'unixepoch') AS deactivated_at
FROM (SELECT *, instr(id, ':') AS colon, instr(id, ':') > 1 AND
  CAST(CAST(substr(id, instr(id, ':') + 1) AS INTEGER) AS TEXT) = substr(id, instr(id, ':') + 1)
  AS is_queue FROM rooms))",
    R"(
CREATE VIEW IF NOT EXISTS queue_entries AS SELECT
  v.room * 1099511627776 + v.number AS id,
  v.room AS queue_id,
  v.visitor AS user_id,
  t.token AS entry_token,
  CASE WHEN outcome = 'expired' THEN 'EXPIRED' WHEN outcome IS NOT NULL THEN 'LEFT'
    WHEN called_at IS NOT NULL THEN 'ENTERED' ELSE 'WAITING' END AS status,
  strftime('%Y-%m-%d %H:%M:%f', joined_at / 1000.0, 'unixepoch') AS joined_at,
  strftime('%Y-%m-%d %H:%M:%f', called_at / 1000.0, 'unixepoch') AS entered_at,
  strftime('%Y-%m-%d %H:%M:%f', iif(outcome = 'expired', ended_at, NULL) / 1000.0, 'unixepoch')
    AS expired_at,
  strftime('%Y-%m-%d %H:%M:%f', iif(outcome <> 'expired', ended_at, NULL) / 1000.0, 'unixepoch')
    AS left_at
FROM visits v LEFT JOIN entry_tokens t ON t.room = v.room AND t.number = v.number)"};

// --- PostgreSQL ----------------------------------------------------------------------------------

constexpr const char* postgresql_views[] = {
    R"(
CREATE OR REPLACE VIEW waiting_queues AS SELECT
  CAST(room AS BIGINT) AS id,
  CASE WHEN event BETWEEN -9223372036854775808 AND 9223372036854775807
    THEN split_part(id, ':', 1) ELSE id END AS event_type,
  CASE WHEN event BETWEEN -9223372036854775808 AND 9223372036854775807
    THEN CAST(event AS BIGINT) END AS event_id,
  capacity AS max_capacity,
  admit_batch AS entry_batch_size,
  (admit_interval + 999) / 1000 AS entry_interval_seconds,
  removed_at IS NULL AND state NOT IN ('draining', 'closed') AS is_active,
  to_timestamp(created_at / 1000.0) AT TIME ZONE 'UTC' AS created_at,
  to_timestamp(opened_at / 1000.0) AT TIME ZONE 'UTC' AS activated_at,
  CASE WHEN state IN ('draining', 'closed') THEN to_timestamp(closed_at / 1000.0) AT TIME ZONE 'UTC'
    ELSE to_timestamp(removed_at / 1000.0) AT TIME ZONE 'UTC' END AS deactivated_at
FROM (SELECT *, CASE WHEN id ~ '^[^:]+:(0|-?[1-9][0-9]{0,18})$'
  THEN CAST(split_part(id, ':', 2) AS NUMERIC) END AS event FROM anteroom_rooms) AS rooms)",
    R"(
CREATE OR REPLACE VIEW queue_entries AS SELECT
  room * 1099511627776 + number AS id,
  CAST(room AS BIGINT) AS queue_id,
  visitor AS user_id,
  token AS entry_token,
  CASE WHEN outcome = 'expired' THEN 'EXPIRED' WHEN outcome IS NOT NULL THEN 'LEFT'
    WHEN called_at IS NOT NULL THEN 'ENTERED' ELSE 'WAITING' END AS status,
  to_timestamp(joined_at / 1000.0) AT TIME ZONE 'UTC' AS joined_at,
  to_timestamp(called_at / 1000.0) AT TIME ZONE 'UTC' AS entered_at,
  CASE WHEN outcome = 'expired' THEN to_timestamp(ended_at / 1000.0) AT TIME ZONE 'UTC' END
    AS expired_at,
  CASE WHEN outcome <> 'expired' THEN to_timestamp(ended_at / 1000.0) AT TIME ZONE 'UTC' END
    AS left_at
FROM anteroom_visits)"};

// --- MySQL and MariaDB ---------------------------------------------------------------------------

constexpr const char* mysql_views[] = {
    R"(
CREATE OR REPLACE VIEW waiting_queues AS SELECT
  CAST(room AS SIGNED) AS id,
  CASE WHEN event BETWEEN -9223372036854775808 AND 9223372036854775807
    THEN SUBSTRING_INDEX(id, ':', 1) ELSE id END AS event_type,
  CASE WHEN event BETWEEN -9223372036854775808 AND 9223372036854775807
    THEN CAST(event AS SIGNED) END AS event_id,
  capacity AS max_capacity,
  admit_batch AS entry_batch_size,
  (admit_interval + 999) DIV 1000 AS entry_interval_seconds,
  removed_at IS NULL AND state NOT IN ('draining', 'closed') AS is_active,
  TIMESTAMP('1970-01-01') + INTERVAL created_at * 1000 MICROSECOND AS created_at,
  TIMESTAMP('1970-01-01') + INTERVAL opened_at * 1000 MICROSECOND AS activated_at,
  TIMESTAMP('1970-01-01') + INTERVAL
    CASE WHEN state IN ('draining', 'closed') THEN closed_at ELSE removed_at END * 1000 MICROSECOND
    AS deactivated_at
FROM (SELECT *, CASE WHEN id REGEXP '^[^:]+:(0|-?[1-9][0-9]{0,18})$'
  THEN CAST(SUBSTRING_INDEX(id, ':', -1) AS DECIMAL(20)) END AS event FROM anteroom_rooms)
  AS rooms)",
    R"(
CREATE OR REPLACE VIEW queue_entries AS SELECT
  room * 1099511627776 + number AS id,
  CAST(room AS SIGNED) AS queue_id,
  visitor AS user_id,
  token AS entry_token,
  CASE WHEN outcome = 'expired' THEN 'EXPIRED' WHEN outcome IS NOT NULL THEN 'LEFT'
    WHEN called_at IS NOT NULL THEN 'ENTERED' ELSE 'WAITING' END AS status,
  TIMESTAMP('1970-01-01') + INTERVAL joined_at * 1000 MICROSECOND AS joined_at,
  TIMESTAMP('1970-01-01') + INTERVAL called_at * 1000 MICROSECOND AS entered_at,
  TIMESTAMP('1970-01-01') + INTERVAL
    CASE WHEN outcome = 'expired' THEN ended_at END * 1000 MICROSECOND AS expired_at,
  TIMESTAMP('1970-01-01') + INTERVAL
    CASE WHEN outcome <> 'expired' THEN ended_at END * 1000 MICROSECOND AS left_at
FROM anteroom_visits)"};

} // namespace

const HistoryViews& history_views() {
    static constexpr HistoryViews all{.sqlite = sqlite_views,
                                      .postgresql = postgresql_views,
                                      .mysql = mysql_views,
                                      .token_generation = token_generation};
    return all;
}

} // namespace anteroom::portal
