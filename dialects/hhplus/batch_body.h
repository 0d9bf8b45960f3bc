// What the origin of system H says of itself.
#pragma once

#include <optional>
#include <string_view>

namespace anteroom::hhplus {

// {"qps": 8000}: so many queries a second it stands now. Nothing: no such number, not above 0, or
// more than a thousand million.
std::optional<double> read_qps(std::string_view body);

} // namespace anteroom::hhplus
