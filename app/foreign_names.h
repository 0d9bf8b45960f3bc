// The environment variables of other systems: those that are taken, because they mean the same as a
// setting, and those that are known and not used, with what to use instead.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/config.h"

namespace anteroom::app {

// Taken when the dialect is enabled. Our own names win over them; among themselves the first row of
// a setting does.
struct ConfigAlias {
    std::string_view dialect;
    std::string_view variable;
    std::string_view section;
    std::string_view name;
    std::string_view unit; // Follows the number.
};
std::span<const ConfigAlias> config_aliases();

struct ForeignName {
    std::string_view dialects; // Of the systems that have it, with spaces between them.
    std::string_view variable;
    std::string_view setting; // The one to use instead; empty: there is none.
    std::string_view advice;  // A sentence.
    bool is_common = false;   // Set on many machines for other programs: documented, no warning.
};
std::span<const ForeignName> foreign_names();

// One line per variable that is set, not empty and not used; at most warnings_max lines, the last
// one names all that are left. Silent about systems that are not enabled and about variables whose
// setting differs from its default (store.url: names Redis): the operator has said it in our words.
// Values are never shown, they may be secrets.
inline constexpr std::size_t warnings_max = 10;
std::vector<std::string> foreign_warnings(const Config& config, const char* const* environment);

// "U" for urr and so on.
std::string_view system_letter(std::string_view dialect);

} // namespace anteroom::app
