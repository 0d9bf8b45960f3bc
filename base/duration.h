// Durations as people write them: 500ms, 30s, 10m, 24h, 30d, and sums such as 1h30m.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace anteroom {

// Strict: digits and a unit, nothing else; nothing when it is no duration or far too long.
std::optional<Millis> parse_duration(std::string_view text);
// A text that parse_duration reads back, in hours and below: 90s is "1m30s". REQUIRES: not
// negative.
std::string to_string(Millis span);

} // namespace anteroom
