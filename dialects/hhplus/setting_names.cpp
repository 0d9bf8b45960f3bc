// What can be set of system H, and the names that its operators know.
#include "desk/foreign_advice.h"
#include "dialects/hhplus/settings.h"

namespace anteroom::hhplus {
namespace {

constexpr DialectSetting settings_table[] = {
    {"room", std::string_view("hhplus"), "room id",
     "The room that is the one queue of system H. The settings below are its settings when it is "
     "made."},
    {"batch", std::int64_t{0}, "count",
     "At most so many users are activated per hhplus.interval. 0: qps / queries / calls / retry "
     "× interval, less the margin."},
    {"interval", std::string_view("10s"), "duration, at most 1h", "The interval of hhplus.batch."},
    {"max_active", std::int64_t{0}, "count",
     "At most so many users are active at once. 0: no limit."},
    {"lease", std::string_view("10m"), "duration",
     "How long a user is active, from the activation."},
    {"lease_reserved", std::string_view("5m"), "duration",
     "How long a user is still active after a reservation, at most hhplus.lease."},
    {"idle", std::string_view("10m"), "duration",
     "A waiting user who does not ask for the rank for so long loses the place."},
    {"wait_min", std::string_view("1s"), "duration",
     "No user is active before having waited so long."},
    {"qps", 10000.0, "queries per second",
     "How many queries per second the database behind stands."},
    {"queries", 3.0, "number", "How many queries one call of a user costs."},
    {"calls", 5.0, "number", "How many calls one user makes."},
    {"retry", 1.5, "factor", "How often a call is made again, as a factor."},
    {"margin", 0.1, "fraction from 0 to below 1",
     "Which part of the computed batch is left out to be safe."},
    {"trust_user_id", false, "switch",
     "The header userId is believed, whoever sends it: anybody can then have anybody's token."},
};

constexpr ForeignName unused_names[] = {
    {"SPRING_DATA_REDIS_HOST", "store.url", advice::redis_address},
    {"SPRING_DATA_REDIS_PORT", "store.url", advice::redis_address},
    {"SPRING_DATA_REDIS_PASSWORD", "store.password", advice::redis_password},
    {"SPRING_DATASOURCE_URL", "history.url",
     "history.url writes the history into a database as well"},
    {"SPRING_KAFKA_BOOTSTRAP_SERVERS", "", advice::no_kafka},
};

} // namespace

std::span<const DialectSetting> settings() {
    return settings_table;
}

std::span<const OriginalName> original_names() {
    return {};
}

std::span<const ForeignName> foreign_names() {
    return unused_names;
}

} // namespace anteroom::hhplus
