// The command `anteroom serve`: opens the store, the history, one loop per thread and the gate as
// configured, and closes them in the opposite order.
#pragma once

#include <string>
#include <vector>

#include "app/config.h"

namespace anteroom::app {

struct ServeOptions {
    Config config;
    bool demo = false;
    std::vector<std::string> warnings; // Logged once, at the start.
};

// Runs until SIGTERM or SIGINT, then returns exit_done. Throws before it listens: ConfigError, and
// DataError when the data cannot be used. While it runs, a write to the ledger that fails ends the
// process at once with exit_data.
int serve(const ServeOptions& options);

} // namespace anteroom::app
