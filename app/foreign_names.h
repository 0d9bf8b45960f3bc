// The environment variables of other systems: those that are taken, because they mean the same as a
// setting, and those that are known and not used, with what to use instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config.h"
#include "desk/dialect_info.h"

namespace anteroom::app {

// A row of a dialect's table. Names are taken when the dialect is spoken. Our own names win over
// them; among themselves the first row of a setting does.
struct NameOfSystem {
    const DialectInfo* dialect;
    const OriginalName* name;
};
std::vector<NameOfSystem> original_names();

// A variable that is not used, with the systems that have it.
struct UnusedName {
    std::vector<const DialectInfo*> dialects;
    const ForeignName* name;
};
std::vector<UnusedName> unused_names();

// One line per variable that is set, not empty and not used; at most warnings_max lines, the last
// one names all that are left. Silent about systems that are not enabled and about variables whose
// setting differs from its default (store.url: names Redis): the operator has said it in our words.
// Values are never shown, they may be secrets.
inline constexpr std::size_t warnings_max = 10;
std::vector<std::string> foreign_warnings(const Config& config, const char* const* environment);

} // namespace anteroom::app
