// anteroom edge: the gate's rules as one JavaScript file for a CDN.
#pragma once

#include <cstdint>
#include <string>

#include "app/config.h"

namespace anteroom::app {

struct EdgeCommandOptions {
    std::string platform;
    std::string rules;
    std::string output; // Empty: standard output.
    std::string active_url;
    std::uint32_t active_seconds = 5;
    std::string fail = "closed";
    bool inline_secrets = false;
};

// Throws ConfigError, and DataError when the file cannot be written.
int edge(const Config& config, const EdgeCommandOptions& options);

} // namespace anteroom::app
