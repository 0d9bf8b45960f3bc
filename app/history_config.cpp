#include "app/history_config.h"

#include "base/duration.h"

namespace anteroom::app {

Millis history_keep(const Config& config) {
    const std::optional<Millis> keep = parse_duration(config.history_keep);
    if (!keep || *keep < seconds(1) || *keep > hours(24 * 3'660))
        throw ConfigError("history.keep must be a duration from 1s to 3660d, such as \"30d\"");
    return *keep;
}

std::optional<history::SqlUrl> history_url(const Config& config) {
    if (config.history_url.empty()) return std::nullopt;
    Result<history::SqlUrl> url = history::parse_sql_url(config.history_url);
    if (!url) throw ConfigError("history.url " + url.fault().reason);
    return *url;
}

} // namespace anteroom::app
