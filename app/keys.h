// anteroom keys: which keys there are, and a new one.
#pragma once

#include <string>

#include "app/config.h"

namespace anteroom::app {

struct KeysOptions {
    std::string rotate;         // A purpose; empty: only list.
    std::string overlap = "1h"; // How long the old key verifies.
    bool ed25519 = false;
};

// Throws ConfigError.
int keys(const Config& config, const KeysOptions& options);

} // namespace anteroom::app
