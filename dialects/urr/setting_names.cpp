// What can be set of system U, and the names that its operators know.
#include "desk/foreign_advice.h"
#include "dialects/urr/settings.h"

namespace anteroom::urr {
namespace {

constexpr DialectSetting settings_table[] = {
    {"catalogue_url", std::string_view(""), "URL",
     "Where the server asks for the title of an event; {event} stands for its id. Empty: every "
     "title is \"Unknown\"."},
    {"catalogue_token",
     std::string_view(""),
     "text",
     "The bearer token that is sent to urr.catalogue_url. Empty: none.",
     {},
     true},
    {"catalogue_timeout", std::string_view("2s"), "duration",
     "How long one call of urr.catalogue_url may take."},
    {"entry_pass", std::string_view("10m"), "duration",
     "How long an entry token is valid, but never longer than the lease."},
    {"trust_vwr_position", false, "switch",
     "The query parameter vwrPosition counts when a trusted address sends it."},
    {"unknown_is_404", false, "switch",
     "The status of an unknown event is answered with 404 instead of 200."},
};

constexpr OriginalName taken_names[] = {
    {"QUEUE_THRESHOLD", "defaults", "capacity"},
    {"QUEUE_ACTIVE_TTL_SECONDS", "defaults", "lease", "s"},
    {"QUEUE_SEEN_TTL_SECONDS", "defaults", "idle", "s"},
    {"QUEUE_ADMISSION_INTERVAL_MS", "defaults", "admit_interval", "ms"},
    {"QUEUE_ADMISSION_BATCH_SIZE", "defaults", "admit_batch"},
    {"QUEUE_STALE_CLEANUP_INTERVAL_MS", "defaults", "sweep_interval", "ms"},
    {"BATCH_SIZE", "defaults", "outer_batch"},
    {"QUEUE_ENTRY_TOKEN_SECRET", "keys", "entry"},
    {"QUEUE_ENTRY_TOKEN_TTL_SECONDS", "urr", "entry_pass", "s"},
    {"VWR_TOKEN_SECRET", "keys", "outer"},
    {"JWT_SECRET", "auth", "jwt_secret"},
    {"CORS_ORIGIN", "server", "cors_origins"},
    {"CORS_ALLOWED_ORIGINS", "server", "cors_origins"},
    {"INTERNAL_API_TOKEN", "urr", "catalogue_token"},
    {"RATE_LIMIT_AUTH_RPM", "gate", "auth_per_minute"},
    {"RATE_LIMIT_QUEUE_RPM", "gate", "queue_per_minute"},
    {"RATE_LIMIT_BOOKING_RPM", "gate", "booking_per_minute"},
    {"RATE_LIMIT_GENERAL_RPM", "gate", "general_per_minute"},
};

constexpr std::string_view no_sqs = "this version sends no messages to SQS";
constexpr std::string_view no_dynamo =
    "rooms and their outer lines are kept by store.url, not in DynamoDB";

constexpr ForeignName unused_names[] = {
    {"REDIS_HOST", "store.url", advice::redis_address},
    {"REDIS_PORT", "store.url", advice::redis_address},
    {"SQS_ENABLED", "", no_sqs},
    {"SQS_QUEUE_URL", "", no_sqs},
    {"KAFKA_BOOTSTRAP_SERVERS", "", advice::no_kafka},
    {"KAFKA_TOPIC_REPLICATION_FACTOR", "", advice::no_kafka},
    {"VWR_DYNAMODB_ENABLED", "store.url", no_dynamo},
    {"VWR_DYNAMODB_COUNTERS_TABLE", "store.url", no_dynamo},
    {"VWR_DYNAMODB_ENDPOINT", "store.url", no_dynamo},
    {"TABLE_COUNTERS", "store.url", no_dynamo},
    {"TABLE_POSITIONS", "store.url", no_dynamo},
    {"VWR_CONFIG_BUCKET", "",
     "an edge asks the server which events are active: anteroom edge --active-url"},
    {"CLOUDFRONT_SECRET", "gate.edge_key",
     "an edge proves itself by a signature: use gate.edge_key or gate.edge_key_file"},
    {"JWT_EXPIRATION_SECONDS", "", "your login decides how long its tokens are valid"},
    {"COOKIE_SECURE", "", "your login sets its own cookie"},
    {"AWS_REGION", "", advice::no_aws, true},
};

} // namespace

std::span<const DialectSetting> settings() {
    return settings_table;
}

std::span<const OriginalName> original_names() {
    return taken_names;
}

std::span<const ForeignName> foreign_names() {
    return unused_names;
}

} // namespace anteroom::urr
