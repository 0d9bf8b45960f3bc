// Config: what the server is told, from a file and the environment. Every key is in one table, with
// its name, its meaning and its default; unknown keys and wrong types are errors, said in one line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "api/hhplus/options.h"
#include "api/portal/options.h"
#include "api/tacos/options.h"
#include "api/urr/options.h"
#include "gate/categories.h"
#include "gate/edge_stamp.h"
#include "gate/proxy.h"
#include "gate/rules.h"
#include "service/profile.h"
#include "store/history/sql_url.h"
#include "store/shared/redis_store.h"
#include "token/access.h"

namespace anteroom::app {

// The exceptions of the house: caught in main, one line, exit code 2.
struct ConfigError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What is in the data folder cannot be used, or not now. One line, too.
struct DataError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
inline constexpr int exit_data = 3;

struct Config {
    // [server]
    std::string listen = "127.0.0.1:8080";
    std::int64_t threads = 0;
    std::vector<std::string> trusted_proxies{"127.0.0.0/8", "::1"};
    std::vector<std::string> cors_origins;
    std::string tls_certificate;
    std::string tls_key;
    std::int64_t connections_per_address = 1'000;
    // [store]
    std::string store_url = "embedded:./data";
    std::int64_t store_replicas = 1; // Of Redis, that must have what is acknowledged; 0: none.
    std::string store_password;      // Of Redis, instead of the one in the URL.
    std::string store_password_file;
    std::string store_authorities; // PEM file for rediss://; empty: the system's.
    std::string store_server_name; // What certificates must be for; empty: the host.
    // [ledger]
    std::int64_t snapshot_facts = 250'000; // Rooms are written whole after so many facts.
    // [history]
    std::string history_url;          // A database that keeps it, too; empty: only history.db.
    std::string history_keep = "30d"; // How long visits that ended are kept.
    // [auth]
    std::string admin_token;
    std::string jwt_secret;
    std::string jwks_file; // Public keys of the login that signs users' access tokens (RFC 7517).
    std::string issuer;    // What those must have as `iss`; empty: anything.
    std::string audience;  // What they must name as `aud`; empty: they must name none.
    // [keys]
    std::string keys_folder = "./data"; // Of keys.json, when rooms are in Redis.
    std::string ticket_key;
    std::string outer_key;
    std::string entry_key;
    // [dialects]
    std::vector<std::string> dialects{dialect_names.begin(), dialect_names.end()};
    // [urr]
    std::string urr_catalogue_url;   // Says what an event is called; "{event}" stands for its id.
    std::string urr_catalogue_token; // Sent there as a bearer token.
    std::string urr_catalogue_timeout = "2s";
    std::string urr_entry_pass = "10m"; // At most; never longer than the lease.
    bool urr_trust_vwr_position = false;
    bool urr_unknown_is_404 = false;
    // [portal]
    std::string portal_entered = "10m"; // Who entered holds the slot so long.
    std::string portal_idle = "10m";    // Who waits and is not seen for so long expires.
    std::string portal_stream = "5m";   // One event stream; the client comes back for the next.
    bool portal_idempotent_enter = false;
    std::string portal_deactivate = "expire"; // Who is there; or drain: they are still let in.
    // [tacos]
    std::int64_t tacos_rank = 100;          // Only the first so many may enter; 0: everybody.
    std::string tacos_min_wait = "5s";      // Nobody enters before.
    double tacos_rate_per_second = 50;      // Entries; 0: no limit.
    std::string tacos_idle = "5m";          // A token that nobody asks about expires.
    std::string tacos_enter_window = "20s"; // Who may enter and does not loses the turn.
    std::string tacos_grant = "30s";        // The life of a reservation token.
    std::int64_t tacos_limit_burst = 100;   // Calls of one address.
    std::int64_t tacos_limit_per_second = 50;
    std::string tacos_idempotency = "5m"; // How long the answer to an Idempotency-Key is kept.
    bool tacos_require_idempotency_key = false;
    bool tacos_trust_body_user = false;
    std::string tacos_test_token; // Whoever shows it is a test user; empty: nobody.
    std::string tacos_flush;      // Events that an admin may flush begin so; "*": all.
    std::string tacos_jwt_issuer; // Of T's access tokens; empty: not looked at.
    std::string tacos_jwt_audience = "traffic-tacos-api";
    // [hhplus]
    std::string hhplus_room = "hhplus";
    std::int64_t hhplus_batch = 0; // So many are activated per interval; 0: by the formula.
    std::string hhplus_interval = "10s";
    std::int64_t hhplus_max_active = 0; // 0: no limit.
    std::string hhplus_lease = "10m";
    std::string hhplus_lease_reserved = "5m";
    std::string hhplus_idle = "10m"; // Who does not ask for so long loses the place.
    std::string hhplus_wait_min = "1s";
    double hhplus_qps = 10'000; // What the database stands, and what a visitor asks of it.
    double hhplus_queries = 3;
    double hhplus_calls = 5;
    double hhplus_retry = 1.5;
    double hhplus_margin = 0.1;
    bool hhplus_trust_user_id = false;
    // [gate]
    std::vector<std::string> gate_origin; // Empty: nothing is passed on.
    std::string gate_rules = "default";   // Or compat: system U's matrix as it was; or a file.
    bool gate_redeem = false;             // Passes count after they were exchanged for a session.
    std::string gate_health_path;         // Asked of each origin; empty: not at all.
    std::string gate_timeout = "30s";     // For the first byte of an answer.
    std::string gate_authorities;         // PEM file for https origins; empty: the system's.
    std::string gate_edge_key;            // With which an edge signs what it lets through.
    std::string gate_edge_key_file;       // The same, one in a line; the first is the edge's.
    std::string gate_limits = "origin"; // When calls are counted: always, origin (with one), never.
    std::int64_t gate_auth_per_minute = 60;
    std::int64_t gate_queue_per_minute = 120;
    std::int64_t gate_booking_per_minute = 30;
    std::int64_t gate_general_per_minute = 3'000;
    // [rooms]
    std::string create_rooms = "first-use";
    std::int64_t rooms_max = 1'000;
    double joins_per_second = 5;
    std::int64_t joins_burst = 10;
    // [log]
    std::string log_level = "info";
    // [defaults]
    RoomSettings defaults;
};

// Reads the file (empty path: none) and then the environment. Throws ConfigError.
Config load_config(const std::string& path, const char* const* environment);

// What is in force, as TOML, with secrets masked.
std::string print_config(const Config& config);

// "127.0.0.1:8080" or "[::1]:8080". Throws ConfigError.
struct Listen {
    std::string address;
    std::uint16_t port = 0;
};
Listen parse_listen(const std::string& text);

// The folder of "embedded:FOLDER" or "memory:FOLDER"; with Redis that of the keys. Throws
// ConfigError for other stores.
std::string data_folder(const Config& config);
// Rooms are in Redis, and other processes may have them, too.
bool shares_rooms(const Config& config);
// What [store] says of Redis. Throws ConfigError. REQUIRES: shares_rooms.
shared::RedisOptions redis_options(const Config& config);
// False for "memory:FOLDER": keys are kept, rooms are gone after the end. For measuring.
bool keeps_rooms(const Config& config);

bool speaks(const Config& config, std::string_view dialect);
// What [urr], [tacos], [portal] and [hhplus] say. Throw ConfigError.
api::urr::Options urr_options(const Config& config);
api::tacos::Options tacos_options(const Config& config);
api::portal::Options portal_options(const Config& config);
api::hhplus::Options hhplus_options(const Config& config);

// What [gate] says: the rules as they are now, and where to pass on. Throw ConfigError.
std::shared_ptr<const gate::Rules> gate_rules(const Config& config);
gate::ProxyOptions gate_proxy(const Config& config);
// The secrets of edges that sign what they let through; none: nothing is signed. Throws
// ConfigError.
std::vector<std::string> gate_edge_secrets(const Config& config);
// The same, ready to check with. Null: none.
std::shared_ptr<const gate::EdgeKeys> gate_edge_keys(const Config& config);
// Calls per minute by category; 0: not counted.
gate::CallLimits gate_call_limits(const Config& config);

// What users' access tokens must say.
token::AccessRules access_rules(const Config& config);

// How long, and where else, the history is kept. Throw ConfigError.
Millis history_keep(const Config& config);
std::optional<history::SqlUrl> history_url(const Config& config);

} // namespace anteroom::app
