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
#include "api/urr/options.h"
#include "gate/categories.h"
#include "gate/proxy.h"
#include "gate/rules.h"
#include "service/profile.h"
#include "store/history/sql_url.h"
#include "store/redis/redis_store.h"

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
    // [keys]
    std::string keys_folder = "./data"; // Of keys.json, when rooms are in Redis.
    std::string ticket_key;
    std::string outer_key;
    std::string entry_key;
    // [dialects]
    std::vector<std::string> dialects{"urr", "hhplus"};
    // [urr]
    std::string urr_catalogue_url;   // Says what an event is called; "{event}" stands for its id.
    std::string urr_catalogue_token; // Sent there as a bearer token.
    std::string urr_catalogue_timeout = "2s";
    std::string urr_entry_pass = "10m"; // At most; never longer than the lease.
    bool urr_trust_vwr_position = false;
    bool urr_unknown_is_404 = false;
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
redis::RedisOptions redis_options(const Config& config);
// False for "memory:FOLDER": keys are kept, rooms are gone after the end. For measuring.
bool keeps_rooms(const Config& config);

bool speaks(const Config& config, std::string_view dialect);
// What [urr] and [hhplus] say. Throw ConfigError.
api::urr::Options urr_options(const Config& config);
api::hhplus::Options hhplus_options(const Config& config);

// What [gate] says: the rules as they are now, and where to pass on. Throw ConfigError.
std::shared_ptr<const gate::Rules> gate_rules(const Config& config);
gate::ProxyOptions gate_proxy(const Config& config);
// Calls per minute by category; 0: not counted.
gate::CallLimits gate_call_limits(const Config& config);

// How long, and where else, the history is kept. Throw ConfigError.
Millis history_keep(const Config& config);
std::optional<history::SqlUrl> history_url(const Config& config);

} // namespace anteroom::app
