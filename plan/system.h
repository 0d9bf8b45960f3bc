// System: whose clients come. How often they ask, which pace the rooms of the system can keep, and
// the settings that say it. The native one is here; a dialect brings its own (DialectInfo::plans).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/settings.h"

namespace anteroom::plan {

struct Plan;

struct System {
    std::string_view name; // As --poll has it.
    // How soon a client asks again whose place counts as `place`.
    std::int64_t (*poll_after_seconds)(std::uint64_t place);
    std::uint64_t first_place = 0; // What the place at the head counts as.
    std::int64_t capacity_max = limits::count_max;
    // Changes the pace to one that the rooms can keep, never to a faster one. Throws OptionsError
    // when they cannot go so fast, or so slowly. Null: they can keep every pace.
    void (*fit)(Plan&) = nullptr;
    // TOML that `anteroom serve` takes. Null: [defaults].
    std::string (*settings)(const Plan&) = nullptr;
};

const System& native_system();

} // namespace anteroom::plan
