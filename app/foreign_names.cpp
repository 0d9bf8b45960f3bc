#include "app/foreign_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/config_keys.h"
#include "net/text.h"

namespace anteroom::app {
namespace {

constexpr ConfigAlias aliases[] = {
    {"urr", "QUEUE_THRESHOLD", "defaults", "capacity"},
    {"urr", "QUEUE_ACTIVE_TTL_SECONDS", "defaults", "lease", "s"},
    {"urr", "QUEUE_SEEN_TTL_SECONDS", "defaults", "idle", "s"},
    {"urr", "QUEUE_ADMISSION_INTERVAL_MS", "defaults", "admit_interval", "ms"},
    {"urr", "QUEUE_ADMISSION_BATCH_SIZE", "defaults", "admit_batch"},
    {"urr", "QUEUE_STALE_CLEANUP_INTERVAL_MS", "defaults", "sweep_interval", "ms"},
    {"urr", "BATCH_SIZE", "defaults", "outer_batch"},
    {"urr", "QUEUE_ENTRY_TOKEN_SECRET", "keys", "entry"},
    {"urr", "QUEUE_ENTRY_TOKEN_TTL_SECONDS", "urr", "entry_pass", "s"},
    {"urr", "VWR_TOKEN_SECRET", "keys", "outer"},
    {"urr", "JWT_SECRET", "auth", "jwt_secret"},
    {"urr", "CORS_ORIGIN", "server", "cors_origins"},
    {"urr", "CORS_ALLOWED_ORIGINS", "server", "cors_origins"},
    {"urr", "INTERNAL_API_TOKEN", "urr", "catalogue_token"},
    {"urr", "RATE_LIMIT_AUTH_RPM", "gate", "auth_per_minute"},
    {"urr", "RATE_LIMIT_QUEUE_RPM", "gate", "queue_per_minute"},
    {"urr", "RATE_LIMIT_BOOKING_RPM", "gate", "booking_per_minute"},
    {"urr", "RATE_LIMIT_GENERAL_RPM", "gate", "general_per_minute"},
    {"portal", "JWT_SECRET", "auth", "jwt_secret"},
    {"tacos", "JWT_SECRET", "auth", "jwt_secret"},
    {"tacos", "JWT_ISSUER", "tacos", "jwt_issuer"},
    {"tacos", "JWT_AUDIENCE", "tacos", "jwt_audience"},
    {"tacos", "RATE_LIMIT_RPS", "tacos", "limit_per_second"},
    {"tacos", "RATE_LIMIT_BURST", "tacos", "limit_burst"},
    {"tacos", "CORS_ALLOW_ORIGINS", "server", "cors_origins"},
};

constexpr const char* redis_address =
    "name Redis in store.url, such as redis://HOST:PORT; without it rooms are in a folder";
constexpr const char* redis_pool = "the server has its own connections to Redis and no pool to set";
constexpr const char* redis_reads = "standings are answered from memory, never from a replica";
constexpr const char* redis_password = "use store.password_file or store.password";
constexpr const char* no_sqs = "this version sends no messages to SQS";
constexpr const char* no_kafka = "this version sends no messages to Kafka";
constexpr const char* no_dynamo =
    "rooms and their outer lines are kept by store.url, not in DynamoDB";
constexpr const char* no_traces = "this version sends no traces";
constexpr const char* no_users = "the server keeps no accounts of users; your login does";
constexpr const char* fixed_times = "the time limits of connections are fixed";
constexpr const char* no_grpc =
    "the server passes HTTP requests on to gate.origin and speaks no gRPC";

constexpr ForeignName names[] = {
    {"urr", "REDIS_HOST", "store.url", redis_address},
    {"urr", "REDIS_PORT", "store.url", redis_address},
    {"urr", "SQS_ENABLED", "", no_sqs},
    {"urr", "SQS_QUEUE_URL", "", no_sqs},
    {"urr", "KAFKA_BOOTSTRAP_SERVERS", "", no_kafka},
    {"urr", "KAFKA_TOPIC_REPLICATION_FACTOR", "", no_kafka},
    {"urr", "VWR_DYNAMODB_ENABLED", "store.url", no_dynamo},
    {"urr", "VWR_DYNAMODB_COUNTERS_TABLE", "store.url", no_dynamo},
    {"urr", "VWR_DYNAMODB_ENDPOINT", "store.url", no_dynamo},
    {"urr", "TABLE_COUNTERS", "store.url", no_dynamo},
    {"urr", "TABLE_POSITIONS", "store.url", no_dynamo},
    {"urr", "VWR_CONFIG_BUCKET", "",
     "an edge asks the server which events are active: anteroom edge --active-url"},
    {"urr", "CLOUDFRONT_SECRET", "gate.edge_key",
     "an edge proves itself by a signature: use gate.edge_key or gate.edge_key_file"},
    {"urr", "JWT_EXPIRATION_SECONDS", "", "your login decides how long its tokens are valid"},
    {"urr", "COOKIE_SECURE", "", "your login sets its own cookie"},
    {"tacos", "REDIS_ADDRESS", "store.url", redis_address},
    {"tacos", "REDIS_PASSWORD", "store.password", redis_password},
    {"tacos", "REDIS_PASSWORD_FROM_SECRETS", "store.password_file", redis_password},
    {"tacos", "AWS_SECRET_NAME", "store.password_file", redis_password},
    {"tacos", "REDIS_DATABASE", "store.url", "name it in store.url, such as redis://HOST:PORT/1"},
    {"tacos", "REDIS_TLS_ENABLED", "store.url", "use rediss:// in store.url"},
    {"tacos", "REDIS_CLUSTER_MODE", "store.url", "use redis+cluster:// in store.url"},
    {"tacos", "REDIS_READ_ONLY", "", redis_reads},
    {"tacos", "REDIS_ROUTE_BY_LATENCY", "", redis_reads},
    {"tacos", "REDIS_ROUTE_RANDOMLY", "", redis_reads},
    {"tacos", "REDIS_POOL_SIZE", "", redis_pool},
    {"tacos", "REDIS_POOL_TIMEOUT", "", redis_pool},
    {"tacos", "REDIS_MIN_IDLE_CONNS", "", redis_pool},
    {"tacos", "REDIS_MAX_CONN_AGE", "", redis_pool},
    {"tacos", "REDIS_MAX_RETRIES", "", redis_pool},
    {"tacos", "SERVER_PORT", "server.listen", "use server.listen, such as 0.0.0.0:8000"},
    {"tacos", "SERVER_READ_TIMEOUT", "", fixed_times},
    {"tacos", "SERVER_WRITE_TIMEOUT", "", fixed_times},
    {"tacos", "SERVER_IDLE_TIMEOUT", "", fixed_times},
    {"tacos", "JWT_JWKS_ENDPOINT", "auth.jwks_file",
     "put the JWK Set into a file and name it in auth.jwks_file"},
    {"tacos", "JWT_CACHE_TTL", "auth.jwks_file",
     "auth.jwks_file is read at the start and on SIGHUP"},
    {"tacos", "RATE_LIMIT_ENABLED", "tacos.limit_per_second",
     "tacos.limit_per_second = 0 turns the limit off"},
    {"tacos", "RATE_LIMIT_WINDOW_SIZE", "tacos.limit_per_second",
     "tacos.limit_per_second is per second"},
    {"tacos", "RATE_LIMIT_EXEMPT_PATHS", "", "only calls of the dialect are counted"},
    {"tacos", "DYNAMODB_USERS_TABLE_NAME", "", no_users},
    {"tacos", "DYNAMODB_REGION", "", no_users},
    {"tacos", "BACKEND_RESERVATION_API_GRPC_ADDRESS", "gate.origin", no_grpc},
    {"tacos", "BACKEND_RESERVATION_API_TIMEOUT", "gate.timeout", "use gate.timeout"},
    {"tacos", "BACKEND_RESERVATION_API_TLS_ENABLED", "gate.origin", no_grpc},
    {"tacos", "BACKEND_PAYMENT_API_GRPC_ADDRESS", "gate.origin", no_grpc},
    {"tacos", "BACKEND_PAYMENT_API_TIMEOUT", "gate.timeout", "use gate.timeout"},
    {"tacos", "BACKEND_PAYMENT_API_TLS_ENABLED", "gate.origin", no_grpc},
    {"tacos", "OBSERVABILITY_METRICS_PATH", "", "metrics are at /metrics"},
    {"tacos", "OBSERVABILITY_OTLP_ENDPOINT", "", no_traces},
    {"tacos", "OBSERVABILITY_TRACING_ENABLED", "", no_traces},
    {"tacos", "OBSERVABILITY_SAMPLE_RATE", "", no_traces},
    {"tacos", "LOG_LEVEL", "log.level", "use log.level"},
    {"tacos", "LOG_FORMAT", "", "the log is JSON, one line each"},
    {"urr tacos", "AWS_REGION", "", "the server calls nothing of AWS", true},
    {"tacos", "AWS_PROFILE", "", "the server calls nothing of AWS", true},
    {"portal hhplus", "SPRING_DATA_REDIS_HOST", "store.url", redis_address},
    {"portal hhplus", "SPRING_DATA_REDIS_PORT", "store.url", redis_address},
    {"portal hhplus", "SPRING_DATA_REDIS_PASSWORD", "store.password", redis_password},
    {"portal hhplus", "SPRING_DATASOURCE_URL", "history.url",
     "history.url writes the history into a database as well"},
    {"portal hhplus", "SPRING_KAFKA_BOOTSTRAP_SERVERS", "", no_kafka},
};

bool is_spoken(const Config& config, std::string_view dialects) {
    while (!dialects.empty()) {
        const std::string_view one = dialects.substr(0, dialects.find(' '));
        if (speaks(config, one)) return true;
        dialects.remove_prefix(std::min(one.size() + 1, dialects.size()));
    }
    return false;
}

bool is_set_by_our_name(const Config& config, std::string_view setting) {
    if (setting == "store.url")
        return shares_rooms(config); // Another folder says nothing of Redis.
    const std::size_t dot = setting.find('.');
    if (dot == setting.npos) return false;
    const ConfigKey* key = find_key(setting.substr(0, dot), setting.substr(dot + 1));
    return key && config_value(config, *key) != config_value(Config{}, *key);
}

bool is_set(std::string_view variable, const char* const* environment) {
    for (; environment && *environment; ++environment) {
        const std::string_view entry = *environment;
        if (entry.size() > variable.size() + 1 && entry.starts_with(variable) &&
            entry[variable.size()] == '=')
            return true;
    }
    return false;
}

} // namespace

std::span<const ConfigAlias> config_aliases() {
    return aliases;
}

std::span<const ForeignName> foreign_names() {
    return names;
}

std::vector<std::string> foreign_warnings(const Config& config, const char* const* environment) {
    std::vector<const ForeignName*> unused;
    for (const ForeignName& name : names)
        if (!name.is_common && is_set(name.variable, environment) &&
            is_spoken(config, name.dialects) && !is_set_by_our_name(config, name.setting))
            unused.push_back(&name);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < unused.size(); ++i) {
        if (i + 1 < warnings_max || unused.size() == warnings_max) {
            lines.push_back(fmt::format("the environment variable {} is not used: {}",
                                        unused[i]->variable, unused[i]->advice));
            continue;
        }
        if (i + 1 == warnings_max) lines.emplace_back("not used either:");
        lines.back() +=
            fmt::format("{}{}", i + 1 == warnings_max ? " " : ", ", unused[i]->variable);
    }
    return lines;
}

std::string_view system_letter(std::string_view dialect) {
    if (dialect == "urr") return "U";
    if (dialect == "tacos") return "T";
    if (dialect == "portal") return "P";
    return dialect == "hhplus" ? "H" : "";
}

} // namespace anteroom::app
