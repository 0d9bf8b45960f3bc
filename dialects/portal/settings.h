// [portal] in the configuration: its keys, and what they come to.
#pragma once

#include <span>

#include "desk/dialect_info.h"
#include "dialects/portal/options.h"

namespace anteroom::portal {

std::span<const DialectSetting> settings();
// Environment variables of system P: those that are taken, and those that are not used.
std::span<const OriginalName> original_names();
std::span<const ForeignName> foreign_names();

// Throws ConfigError when the settings cannot be used.
Options read_options(const DialectSettings& settings, const DialectSurroundings& surroundings);

} // namespace anteroom::portal
