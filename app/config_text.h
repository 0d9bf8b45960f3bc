// The table of settings as text: what is in force, the commented file of the package, and
// docs/configuration.md.
#pragma once

#include <string>

#include "app/config.h"

namespace anteroom::app {

// What is in force, as TOML with every meaning as a comment; secrets are masked. Can be loaded
// again.
std::string print_config(const Config& config);

// Every setting with its default behind a '#', what it means, and how it is set. Comments for
// people begin with "# ", settings with "#" and the name: `sed 's/^#\([a-z]\)/\1/'` brings all of
// them into force, which changes nothing.
std::string example_config();

// docs/configuration.md.
std::string config_reference();

} // namespace anteroom::app
