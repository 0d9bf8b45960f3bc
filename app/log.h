// The log: JSON lines on standard error. The rule for those who write to it: no ticket, pass, token
// or secret, and nothing of a request that may hold one.
#pragma once

#include <string>

namespace anteroom::app {

// Throws ConfigError for an unknown level.
void open_log(const std::string& level);

} // namespace anteroom::app
