// Every setting of the program by its name in the file, and the names that other systems have for
// some of them. What a setting means stands at its member in config.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/config.h"

namespace anteroom::app {

enum class Secret : std::uint8_t { none, whole, password }; // What is not shown.

struct ConfigKey {
    using Member = std::variant<std::string Config::*, std::int64_t Config::*, double Config::*,
                                bool Config::*, std::vector<std::string> Config::*>;

    std::string_view section;
    std::string_view name;
    Member member;
    Secret secret = Secret::none;
};

// The environment variables of other systems that mean the same; our own names win over them.
struct ConfigAlias {
    std::string_view dialect;
    std::string_view variable;
    std::string_view section;
    std::string_view name;
    std::string_view unit = ""; // Follows the number.
};

// Those of one section stand together.
std::span<const ConfigKey> config_keys();
std::span<const ConfigAlias> config_aliases();

} // namespace anteroom::app
