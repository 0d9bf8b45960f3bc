// ConfigError: the configuration cannot be used; one clear line. Thrown at the start only, and
// caught in main (exit code 2).
#pragma once

#include <stdexcept>

namespace anteroom {

struct ConfigError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace anteroom
