// anteroom serve: everything wired together, from the configuration to the last farewell.
#pragma once

#include <string>
#include <vector>

#include "app/config.h"

namespace anteroom::app {

struct ServeOptions {
    Config config;
    bool demo = false;
    std::vector<std::string> warnings; // Said once, when the log is open.
};

// Runs until SIGTERM or SIGINT. Throws ConfigError when it cannot start.
int serve(const ServeOptions& options);

} // namespace anteroom::app
