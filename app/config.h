// Config: the settings of the server, read from a TOML file, then from variables of the
// environment: ANTEROOM_<SECTION>_<KEY>, and those of other systems that mean the same
// (foreign_names.h). Every setting has a row with its meaning in config_keys_*.cpp. An unknown key,
// an unknown ANTEROOM_ variable and a wrong type are a ConfigError.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/config_error.h"
#include "service/profile.h"
#include "service/room_fields.h"

namespace anteroom::token {
struct AccessRules;
}

namespace anteroom::app {

// The data folder cannot be used, or is in use by another process, or a file cannot be written.
// main() prints the message and ends with exit_data.
struct DataError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The names of all dialects.
std::vector<std::string> dialect_names();

// Members in the order of the table. The default of a setting is that of its member.
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
    std::int64_t store_replicas = 1;
    std::string store_password;
    std::string store_password_file;
    std::string store_authorities;
    std::string store_server_name;
    // [ledger]
    std::int64_t snapshot_facts = 250'000;
    // [history]
    std::string history_url;
    std::string history_keep = "30d";
    // [auth]
    std::string admin_token;
    std::string jwt_secret;
    std::string jwks_file;
    std::string issuer;
    std::string audience;
    // [keys]
    std::string keys_folder = "./data";
    std::string ticket_key;
    std::string outer_key;
    std::string entry_key;
    // [dialects]
    std::vector<std::string> dialects = dialect_names();
    bool dialects_are_named = false; // dialects.enabled was set, to whatever.
    // The sections of dialects, "SECTION.KEY"; what is not here has its default.
    std::map<std::string, FieldValue, std::less<>> dialect_values;
    // [gate]
    std::vector<std::string> gate_origin;
    std::string gate_rules = "default";
    bool gate_redeem = false;
    std::string gate_health_path;
    std::string gate_timeout = "30s";
    std::string gate_authorities;
    std::string gate_edge_key;
    std::string gate_edge_key_file;
    std::string gate_limits = "origin";
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

// "127.0.0.1:8080" or "[::1]:8080". Throws ConfigError.
struct Listen {
    std::string address;
    std::uint16_t port = 0;
};
Listen parse_listen(const std::string& text);

// The folder of "embedded:FOLDER" or "memory:FOLDER"; with Redis that of the keys. Throws
// ConfigError for other stores.
std::string data_folder(const Config& config);
// The store is a Redis, which other processes may share.
bool shares_rooms(const Config& config);
// False for "memory:FOLDER", which is for measuring: the folder keeps keys, rooms end with the
// process.
bool keeps_rooms(const Config& config);

// Whether a dialect is spoken. In front of a site only those that dialects.enabled names: the paths
// of the others are the site's.
bool speaks(const Config& config, std::string_view dialect);

// The issuer and the audience that access tokens of users must name.
token::AccessRules access_rules(const Config& config);

} // namespace anteroom::app
