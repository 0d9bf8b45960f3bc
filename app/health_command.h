// anteroom health: asks a running server whether it takes requests. For the health check of a
// container, whose image has neither curl nor wget.
#pragma once

#include <string>

#include "app/config.h"

namespace anteroom::app {

struct HealthOptions {
    std::string url;         // Empty: the server that the configuration describes, on this machine.
    std::string authorities; // PEM file for https; empty: the system's.
};

// exit_no: not ready, or no answer, with one line that says why. Throws ConfigError.
int health(const Config& config, const HealthOptions& options);

} // namespace anteroom::app
