// [urr] in the configuration: its keys, and what they come to.
#pragma once

#include <span>

#include "desk/dialect_info.h"
#include "dialects/urr/options.h"

namespace anteroom::urr {

std::span<const DialectSetting> settings();
// Environment variables of system U: those that are taken, and those that are not used.
std::span<const OriginalName> original_names();
std::span<const ForeignName> foreign_names();

// Throws ConfigError when the settings cannot be used.
Options read_options(const DialectSettings& settings, const DialectSurroundings& surroundings);

} // namespace anteroom::urr
