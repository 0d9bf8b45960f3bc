// The one table of settings: each with its name in the file, its meaning, its unit, its dialect and
// whether a reload takes it. `anteroom config --print`, `--example` and `--reference` write from
// it, and so do the errors for wrong keys. Type and default are those of the member.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/config.h"
#include "desk/dialect_info.h"
#include "service/room_fields.h"

namespace anteroom::app {

// How much of a value `config --print` masks.
enum class Secret : std::uint8_t { none, whole, password };

// What SIGHUP does about a setting. The configuration file itself is read at the start only.
enum class Reload : std::uint8_t {
    no,
    file, // The file that the setting names is read again.
};

struct ConfigKey {
    using Member = std::variant<std::string Config::*, std::int64_t Config::*, double Config::*,
                                bool Config::*, std::vector<std::string> Config::*,
                                const RoomField*, const DialectSetting*>;

    std::string_view section;
    std::string_view name;
    Member member;
    std::string_view form;    // Unit or shape of the value, such as "duration" or "PEM file".
    std::string_view meaning; // Plain sentences for a stranger.
    Secret secret = Secret::none;
    Reload reload = Reload::no;
    std::string_view choices; // The only values, with spaces between them; empty: any.
};

struct ConfigSection {
    std::string_view name;
    std::string_view dialect; // Counts only when it is enabled; empty: always.
    std::string_view meaning;
};

// In the order of the file; those of one section stand together. [defaults] is the last.
std::span<const ConfigKey> config_keys();
std::span<const ConfigSection> config_sections(); // Those of dialects among them.

// Null: there is none.
const ConfigKey* find_key(std::string_view section, std::string_view name);

FieldValue config_value(const Config& config, const ConfigKey& key);
// ANTEROOM_SERVER_LISTEN.
std::string variable_name(const ConfigKey& key);
// server.listen.
std::string full_name(const ConfigKey& key);
// "text", "whole number" and so on.
std::string_view type_name(const ConfigKey& key);

} // namespace anteroom::app
