// What [history] says: how long, and where else, the history is kept. Both throw ConfigError.
#pragma once

#include <optional>

#include "app/config.h"
#include "base/time.h"
#include "store/history/sql_url.h"

namespace anteroom::app {

Millis history_keep(const Config& config);
// Nothing: only history.db keeps it.
std::optional<history::SqlUrl> history_url(const Config& config);

} // namespace anteroom::app
