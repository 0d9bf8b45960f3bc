#include "app/config_tables.h"

namespace anteroom::app {
namespace {

const ConfigKey dialect_table[] = {
    {"dialects", "enabled", &Config::dialects, "names of dialects",
     "The systems whose clients are answered in their own words: urr, tacos, portal, hhplus. A "
     "route that several of them have belongs to the first one in this list."},
    {"urr", "catalogue_url", &Config::urr_catalogue_url, "URL",
     "Where the server asks for the title of an event; {event} stands for its id. Empty: every "
     "title is \"Unknown\"."},
    {"urr", "catalogue_token", &Config::urr_catalogue_token, "text",
     "The bearer token that is sent to urr.catalogue_url. Empty: none.", Secret::whole},
    {"urr", "catalogue_timeout", &Config::urr_catalogue_timeout, "duration",
     "How long one call of urr.catalogue_url may take."},
    {"urr", "entry_pass", &Config::urr_entry_pass, "duration",
     "How long an entry token is valid, but never longer than the lease."},
    {"urr", "trust_vwr_position", &Config::urr_trust_vwr_position, "switch",
     "The query parameter vwrPosition counts when a trusted address sends it."},
    {"urr", "unknown_is_404", &Config::urr_unknown_is_404, "switch",
     "The status of an unknown event is answered with 404 instead of 200."},
    {"portal", "entered", &Config::portal_entered, "duration",
     "How long a user who has entered keeps the slot."},
    {"portal", "idle", &Config::portal_idle, "duration",
     "A waiting entry expires when its user is not seen for so long."},
    {"portal", "stream", &Config::portal_stream, "duration",
     "How long one event stream lasts; the client then opens the next one."},
    {"portal", "idempotent_enter", &Config::portal_idempotent_enter, "switch",
     "Entering twice is answered with 200 and the same status instead of S802."},
    {"portal", "deactivate", &Config::portal_deactivate, "choice",
     "What a deactivation does with users who wait: expire ends their entries, drain still lets "
     "them in.",
     Secret::none, Reload::no, "expire drain"},
    {"tacos", "rank", &Config::tacos_rank, "count",
     "Only so many visitors at the head of the line are ready to enter. 0: no such limit."},
    {"tacos", "min_wait", &Config::tacos_min_wait, "duration",
     "No visitor enters before having waited so long."},
    {"tacos", "rate_per_second", &Config::tacos_rate_per_second, "per second",
     "How many visitors enter per second, in any second. 0: no limit."},
    {"tacos", "idle", &Config::tacos_idle, "duration",
     "A waiting token expires when its status is not asked for so long."},
    {"tacos", "enter_window", &Config::tacos_enter_window, "duration",
     "A visitor who is ready and does not enter for so long loses the turn."},
    {"tacos", "grant", &Config::tacos_grant, "duration", "How long a reservation token is valid."},
    {"tacos", "limit_burst", &Config::tacos_limit_burst, "count, at least 1",
     "How many calls one address may make at once."},
    {"tacos", "limit_per_second", &Config::tacos_limit_per_second, "per second",
     "How many calls one address may make per second in the long run. 0: no limit, and no "
     "headers about it."},
    {"tacos", "idempotency", &Config::tacos_idempotency, "duration",
     "How long the answer to an Idempotency-Key is kept."},
    {"tacos", "require_idempotency_key", &Config::tacos_require_idempotency_key, "switch",
     "A POST without an Idempotency-Key is answered with 400."},
    {"tacos", "trust_body_user", &Config::tacos_trust_body_user, "switch",
     "user_id in the body names the visitor, whoever sends it."},
    {"tacos", "test_token", &Config::tacos_test_token, "secret of at least 32 bytes",
     "A request that shows this token with X-Dev-Mode or X-Load-Test is of a test user. Empty: "
     "there are no test users.",
     Secret::whole},
    {"tacos", "flush", &Config::tacos_flush, "text",
     "An admin may flush events whose ids begin so. \"*\": all events. Empty: none."},
    {"tacos", "jwt_issuer", &Config::tacos_jwt_issuer, "text",
     "What access tokens of system T must have as `iss`. Empty: any."},
    {"tacos", "jwt_audience", &Config::tacos_jwt_audience, "text",
     "What access tokens of system T must name as `aud`. Empty: any."},
    {"hhplus", "room", &Config::hhplus_room, "room id",
     "The room that is the one queue of system H. The settings below are its settings when it is "
     "made."},
    {"hhplus", "batch", &Config::hhplus_batch, "count",
     "At most so many users are activated per hhplus.interval. 0: qps / queries / calls / retry "
     "× interval, less the margin."},
    {"hhplus", "interval", &Config::hhplus_interval, "duration, at most 1h",
     "The interval of hhplus.batch."},
    {"hhplus", "max_active", &Config::hhplus_max_active, "count",
     "At most so many users are active at once. 0: no limit."},
    {"hhplus", "lease", &Config::hhplus_lease, "duration",
     "How long a user is active, from the activation."},
    {"hhplus", "lease_reserved", &Config::hhplus_lease_reserved, "duration",
     "How long a user is still active after a reservation, at most hhplus.lease."},
    {"hhplus", "idle", &Config::hhplus_idle, "duration",
     "A waiting user who does not ask for the rank for so long loses the place."},
    {"hhplus", "wait_min", &Config::hhplus_wait_min, "duration",
     "No user is active before having waited so long."},
    {"hhplus", "qps", &Config::hhplus_qps, "queries per second",
     "How many queries per second the database behind stands."},
    {"hhplus", "queries", &Config::hhplus_queries, "number",
     "How many queries one call of a user costs."},
    {"hhplus", "calls", &Config::hhplus_calls, "number", "How many calls one user makes."},
    {"hhplus", "retry", &Config::hhplus_retry, "factor",
     "How often a call is made again, as a factor."},
    {"hhplus", "margin", &Config::hhplus_margin, "fraction from 0 to below 1",
     "Which part of the computed batch is left out to be safe."},
    {"hhplus", "trust_user_id", &Config::hhplus_trust_user_id, "switch",
     "The header userId is believed, whoever sends it: anybody can then have anybody's token."},
};

} // namespace

std::span<const ConfigKey> dialect_keys() {
    return dialect_table;
}

} // namespace anteroom::app
