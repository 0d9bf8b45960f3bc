// What can be set of system T, and the names that its operators know.
#include "desk/foreign_advice.h"
#include "dialects/tacos/settings.h"

namespace anteroom::tacos {
namespace {

constexpr DialectSetting settings_table[] = {
    {"rank", std::int64_t{100}, "count",
     "Only so many visitors at the head of the line are ready to enter. 0: no such limit."},
    {"min_wait", std::string_view("5s"), "duration",
     "No visitor enters before having waited so long."},
    {"rate_per_second", 50.0, "per second",
     "How many visitors enter per second, in any second. 0: no limit."},
    {"idle", std::string_view("5m"), "duration",
     "A waiting token expires when its status is not asked for so long."},
    {"enter_window", std::string_view("20s"), "duration",
     "A visitor who is ready and does not enter for so long loses the turn."},
    {"grant", std::string_view("30s"), "duration", "How long a reservation token is valid."},
    {"limit_burst", std::int64_t{100}, "count, at least 1",
     "How many calls one address may make at once."},
    {"limit_per_second", std::int64_t{50}, "per second",
     "How many calls one address may make per second in the long run. 0: no limit, and no "
     "headers about it."},
    {"idempotency", std::string_view("5m"), "duration",
     "How long the answer to an Idempotency-Key is kept."},
    {"require_idempotency_key", false, "switch",
     "A POST without an Idempotency-Key is answered with 400."},
    {"trust_body_user", false, "switch",
     "user_id in the body names the visitor, whoever sends it."},
    {"test_token",
     std::string_view(""),
     "secret of at least 32 bytes",
     "A request that shows this token with X-Dev-Mode or X-Load-Test is of a test user. Empty: "
     "there are no test users.",
     {},
     true},
    {"flush", std::string_view(""), "text",
     "An admin may flush events whose ids begin so. \"*\": all events. Empty: none."},
    {"jwt_issuer", std::string_view(""), "text",
     "What access tokens of system T must have as `iss`. Empty: any."},
    {"jwt_audience", std::string_view("traffic-tacos-api"), "text",
     "What access tokens of system T must name as `aud`. Empty: any."},
};

constexpr OriginalName taken_names[] = {
    {"JWT_SECRET", "auth", "jwt_secret"},         {"JWT_ISSUER", "tacos", "jwt_issuer"},
    {"JWT_AUDIENCE", "tacos", "jwt_audience"},    {"RATE_LIMIT_RPS", "tacos", "limit_per_second"},
    {"RATE_LIMIT_BURST", "tacos", "limit_burst"}, {"CORS_ALLOW_ORIGINS", "server", "cors_origins"},
};

constexpr std::string_view redis_pool =
    "the server has its own connections to Redis and no pool to set";
constexpr std::string_view redis_reads = "standings are answered from memory, never from a replica";
constexpr std::string_view no_traces = "this version sends no traces";
constexpr std::string_view no_users = "the server keeps no accounts of users; your login does";
constexpr std::string_view fixed_times = "the time limits of connections are fixed";
constexpr std::string_view no_grpc =
    "the server passes HTTP requests on to gate.origin and speaks no gRPC";

constexpr ForeignName unused_names[] = {
    {"REDIS_ADDRESS", "store.url", advice::redis_address},
    {"REDIS_PASSWORD", "store.password", advice::redis_password},
    {"REDIS_PASSWORD_FROM_SECRETS", "store.password_file", advice::redis_password},
    {"AWS_SECRET_NAME", "store.password_file", advice::redis_password},
    {"REDIS_DATABASE", "store.url", "name it in store.url, such as redis://HOST:PORT/1"},
    {"REDIS_TLS_ENABLED", "store.url", "use rediss:// in store.url"},
    {"REDIS_CLUSTER_MODE", "store.url", "use redis+cluster:// in store.url"},
    {"REDIS_READ_ONLY", "", redis_reads},
    {"REDIS_ROUTE_BY_LATENCY", "", redis_reads},
    {"REDIS_ROUTE_RANDOMLY", "", redis_reads},
    {"REDIS_POOL_SIZE", "", redis_pool},
    {"REDIS_POOL_TIMEOUT", "", redis_pool},
    {"REDIS_MIN_IDLE_CONNS", "", redis_pool},
    {"REDIS_MAX_CONN_AGE", "", redis_pool},
    {"REDIS_MAX_RETRIES", "", redis_pool},
    {"SERVER_PORT", "server.listen", "use server.listen, such as 0.0.0.0:8000"},
    {"SERVER_READ_TIMEOUT", "", fixed_times},
    {"SERVER_WRITE_TIMEOUT", "", fixed_times},
    {"SERVER_IDLE_TIMEOUT", "", fixed_times},
    {"JWT_JWKS_ENDPOINT", "auth.jwks_file",
     "put the JWK Set into a file and name it in auth.jwks_file"},
    {"JWT_CACHE_TTL", "auth.jwks_file", "auth.jwks_file is read at the start and on SIGHUP"},
    {"RATE_LIMIT_ENABLED", "tacos.limit_per_second",
     "tacos.limit_per_second = 0 turns the limit off"},
    {"RATE_LIMIT_WINDOW_SIZE", "tacos.limit_per_second", "tacos.limit_per_second is per second"},
    {"RATE_LIMIT_EXEMPT_PATHS", "", "only calls of the dialect are counted"},
    {"DYNAMODB_USERS_TABLE_NAME", "", no_users},
    {"DYNAMODB_REGION", "", no_users},
    {"BACKEND_RESERVATION_API_GRPC_ADDRESS", "gate.origin", no_grpc},
    {"BACKEND_RESERVATION_API_TIMEOUT", "gate.timeout", "use gate.timeout"},
    {"BACKEND_RESERVATION_API_TLS_ENABLED", "gate.origin", no_grpc},
    {"BACKEND_PAYMENT_API_GRPC_ADDRESS", "gate.origin", no_grpc},
    {"BACKEND_PAYMENT_API_TIMEOUT", "gate.timeout", "use gate.timeout"},
    {"BACKEND_PAYMENT_API_TLS_ENABLED", "gate.origin", no_grpc},
    {"OBSERVABILITY_METRICS_PATH", "", "metrics are at /metrics"},
    {"OBSERVABILITY_OTLP_ENDPOINT", "", no_traces},
    {"OBSERVABILITY_TRACING_ENABLED", "", no_traces},
    {"OBSERVABILITY_SAMPLE_RATE", "", no_traces},
    {"LOG_LEVEL", "log.level", "use log.level"},
    {"LOG_FORMAT", "", "the log is JSON, one line each"},
    {"AWS_REGION", "", advice::no_aws, true},
    {"AWS_PROFILE", "", advice::no_aws, true},
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

} // namespace anteroom::tacos
