// The one table of metrics: what /metrics can tell, with type, labels, meaning and when it is told.
// metrics.cpp writes through metric(), which compiles only for names that are here;
// docs/metrics.md is written from it.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "desk/metric_text.h"

namespace anteroom::app {

namespace told_when {
inline constexpr std::string_view always;
inline constexpr std::string_view gate = "`gate.origin` is set";
inline constexpr std::string_view ledger = "rooms are in a folder";
inline constexpr std::string_view redis = "rooms are in Redis";
} // namespace told_when

inline constexpr std::array metric_families{
    MetricFamily{"anteroom_build_info", MetricType::gauge, "version compiler", told_when::always,
                 "Always 1; the labels say which program this is."},
    MetricFamily{"process_resident_memory_bytes", MetricType::gauge, "", told_when::always,
                 "Memory of the process that is in use."},
    MetricFamily{
        "anteroom_heap_bytes", MetricType::gauge, "kind", told_when::always,
        "Memory that the allocator has; kind is used, free or mapped (large pieces, used)."},
    MetricFamily{"anteroom_sqlite_bytes", MetricType::gauge, "", told_when::ledger,
                 "Part of the heap that SQLite uses, for ledger and history together."},
    MetricFamily{"anteroom_rooms", MetricType::gauge, "", told_when::always,
                 "How many rooms there are."},
    // Rooms.
    MetricFamily{"anteroom_joins_total", MetricType::counter, "room", told_when::always,
                 "Places taken."},
    MetricFamily{"anteroom_calls_total", MetricType::counter, "room", told_when::always,
                 "Visitors called."},
    MetricFamily{"anteroom_missed_calls_total", MetricType::counter, "room", told_when::always,
                 "Calls that were not claimed in time; the visitor is first in line again."},
    MetricFamily{"anteroom_polls_total", MetricType::counter, "room", told_when::always,
                 "Standings asked for."},
    MetricFamily{"anteroom_departures_total", MetricType::counter, "room how", told_when::always,
                 "Visits that ended; how is finished, left or expired."},
    MetricFamily{"anteroom_waiting", MetricType::gauge, "room", told_when::always,
                 "Visitors in line."},
    MetricFamily{
        "anteroom_absent", MetricType::gauge, "room", told_when::always,
        "Those of them who are not called until they are back: not seen for the time of "
        "presence, or leaving. In a copy of a room that another process writes, only those "
        "whose turn came."},
    MetricFamily{"anteroom_outer_waiting", MetricType::gauge, "room", told_when::always,
                 "Numbers of the outer line whose turn has not come."},
    MetricFamily{"anteroom_active", MetricType::gauge, "room", told_when::always,
                 "Visitors inside, called ones included."},
    MetricFamily{"anteroom_capacity", MetricType::gauge, "room", told_when::always,
                 "How many visitors may be inside."},
    MetricFamily{"anteroom_rate_per_second", MetricType::gauge, "room", told_when::always,
                 "Visitors called per second, as measured."},
    MetricFamily{"anteroom_event_streams", MetricType::gauge, "room", told_when::always,
                 "Open event streams."},
    MetricFamily{"anteroom_eta_error_seconds_sum", MetricType::counter, "room", told_when::always,
                 "Seconds by which told waiting times were wrong, added up."},
    MetricFamily{"anteroom_eta_error_seconds_count", MetricType::counter, "room", told_when::always,
                 "Told waiting times that were checked."},
    // The HTTP server.
    MetricFamily{"anteroom_answer_seconds", MetricType::histogram, "", told_when::always,
                 "Time from the parsed request to its answer."},
    MetricFamily{"anteroom_connections", MetricType::gauge, "loop", told_when::always,
                 "Open connections."},
    MetricFamily{"anteroom_requests_total", MetricType::counter, "loop", told_when::always,
                 "Requests."},
    MetricFamily{"anteroom_refused_requests_total", MetricType::counter, "loop", told_when::always,
                 "Requests that broke a rule or a limit."},
    MetricFamily{"anteroom_refused_connections_total", MetricType::counter, "loop",
                 told_when::always, "Connections that were refused."},
    MetricFamily{"anteroom_cut_streams_total", MetricType::counter, "loop", told_when::always,
                 "Event streams that were cut because their reader was too slow."},
    MetricFamily{"anteroom_loop_lag_seconds", MetricType::gauge, "loop", told_when::always,
                 "The longest time that the loop was busy in the last second."},
    // The gate.
    MetricFamily{"anteroom_gate_requests_total", MetricType::counter, "", told_when::gate,
                 "Requests passed on to origins."},
    MetricFamily{"anteroom_gate_under_way", MetricType::gauge, "", told_when::gate,
                 "Requests at the origins now."},
    MetricFamily{"anteroom_gate_tunnels", MetricType::gauge, "", told_when::gate,
                 "Upgraded connections (WebSocket) now."},
    MetricFamily{"anteroom_gate_retries_total", MetricType::counter, "", told_when::gate,
                 "Requests that were sent to another origin after the first failed."},
    MetricFamily{"anteroom_gate_failures_total", MetricType::counter, "", told_when::gate,
                 "Requests that the gate answered with 502, 503 or 504."},
    MetricFamily{"anteroom_gate_cuts_total", MetricType::counter, "", told_when::gate,
                 "Answers of origins that could not be completed."},
    MetricFamily{"anteroom_gate_abandoned_total", MetricType::counter, "", told_when::gate,
                 "Requests whose client left before the answer."},
    // Rooms in a folder.
    MetricFamily{"anteroom_ledger_writable", MetricType::gauge, "", told_when::ledger,
                 "0 while commands are refused because the disk is full, else 1."},
    MetricFamily{"anteroom_ledger_facts_total", MetricType::counter, "", told_when::ledger,
                 "Facts written to the disk since the start."},
    MetricFamily{"anteroom_ledger_batches_total", MetricType::counter, "", told_when::ledger,
                 "Transactions that held these facts."},
    MetricFamily{"anteroom_ledger_commit_seconds_total", MetricType::counter, "", told_when::ledger,
                 "Time spent writing these transactions."},
    // Rooms in Redis.
    MetricFamily{"anteroom_redis_writable", MetricType::gauge, "", told_when::redis,
                 "0 while commands are refused because Redis cannot be written, else 1."},
    MetricFamily{"anteroom_redis_rooms_written", MetricType::gauge, "", told_when::redis,
                 "Rooms that this process writes."},
    MetricFamily{"anteroom_redis_rooms_unreplicated", MetricType::gauge, "", told_when::redis,
                 "Rooms written here whose commands are refused for want of a replica."},
    MetricFamily{"anteroom_redis_copy_age_seconds", MetricType::gauge, "", told_when::redis,
                 "How old the oldest copy of a room is."},
    MetricFamily{"anteroom_redis_clock_skew_seconds", MetricType::gauge, "", told_when::redis,
                 "How far the clock of Redis is ahead."},
    MetricFamily{"anteroom_redis_commits_total", MetricType::counter, "", told_when::redis,
                 "Entries written by this process."},
    MetricFamily{"anteroom_redis_facts_total", MetricType::counter, "", told_when::redis,
                 "Facts in these entries."},
    MetricFamily{"anteroom_redis_asks_total", MetricType::counter, "", told_when::redis,
                 "Commands of other processes that this process decided."},
    MetricFamily{"anteroom_redis_followed_total", MetricType::counter, "", told_when::redis,
                 "Entries of other processes that this process took over."},
    MetricFamily{"anteroom_redis_reloads_total", MetricType::counter, "", told_when::redis,
                 "Copies of rooms that had to be made again."},
    MetricFamily{"anteroom_redis_snapshots_total", MetricType::counter, "", told_when::redis,
                 "Rooms written as a whole."},
    MetricFamily{"anteroom_redis_calls_total", MetricType::counter, "", told_when::redis,
                 "Calls to Redis."},
    MetricFamily{"anteroom_redis_calls_failed_total", MetricType::counter, "", told_when::redis,
                 "Calls that Redis did not answer or refused."},
    MetricFamily{"anteroom_redis_reconnects_total", MetricType::counter, "", told_when::redis,
                 "Connections to Redis that ended."},
    MetricFamily{"anteroom_redis_redirections_total", MetricType::counter, "", told_when::redis,
                 "Calls that a node of a Cluster sent on to another node."},
    // The history.
    MetricFamily{"anteroom_history_behind_facts", MetricType::gauge, "sink", told_when::ledger,
                 "Facts that a history has not got yet; sink is file or database."},
    MetricFamily{"anteroom_history_failing", MetricType::gauge, "sink", told_when::ledger,
                 "1 while a history cannot be written, else 0."},
};

// The row of a name. A name that is not in the table does not compile.
consteval const MetricFamily& metric(std::string_view name) {
    return find_metric(metric_families, name);
}

// docs/metrics.md.
std::string metric_reference();

} // namespace anteroom::app
