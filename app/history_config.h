// The section [history]: how long visits are kept, and in which SQL database besides history.db.
// Both throw ConfigError.
#pragma once

#include <optional>

#include "app/config.h"
#include "base/time.h"
#include "store/history/sql_url.h"

namespace anteroom::app {

Millis history_keep(const Config& config);
// Empty: only in history.db.
std::optional<history::SqlUrl> history_url(const Config& config);

} // namespace anteroom::app
