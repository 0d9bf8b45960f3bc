// The command `anteroom config`: checks the configuration, or prints a reference of settings,
// metrics or exit codes.
#pragma once

#include <string>
#include <vector>

#include "app/config.h"

namespace anteroom::app {

struct ConfigCommandOptions {
    bool print = false;
    bool example = false;
    bool reference = false;
    bool metrics = false;
    bool exit_codes = false;

    // These documents do not depend on the configuration, which may be wrong.
    bool is_reference() const { return example || reference || metrics || exit_codes; }
};

// REQUIRES: is_reference().
int print_reference(const ConfigCommandOptions& options);
// The configuration was loaded, so it is fine; `warnings` go to standard error.
int check_config(const Config& config, const ConfigCommandOptions& options,
                 const std::vector<std::string>& warnings);

} // namespace anteroom::app
