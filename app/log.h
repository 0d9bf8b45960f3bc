// The log: JSON lines on standard error. Nothing that a visitor could use as a ticket is ever
// written.
#pragma once

#include <csignal>
#include <string>

namespace anteroom::app {

// Throws ConfigError for an unknown level.
void open_log(const std::string& level);

// The signals that serve() waits for.
sigset_t handled_signals();

} // namespace anteroom::app
