// Dialects as they are configured. All throw ConfigError.
#pragma once

#include <memory>
#include <vector>

#include "app/config.h"
#include "desk/dialect.h"
#include "desk/dialect_info.h"

namespace anteroom::app {

// The values of its section, and what it may know of the others.
DialectSettings dialect_settings(const Config& config, const DialectInfo& dialect);
DialectSurroundings dialect_surroundings(const Config& config, const DialectInfo& dialect);

std::shared_ptr<Dialect> open_dialect(const Config& config, const DialectInfo& dialect);
// Those that are spoken, in the order of app/dialects.cpp.
std::vector<std::shared_ptr<Dialect>> open_dialects(const Config& config);

} // namespace anteroom::app
