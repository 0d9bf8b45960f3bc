// anteroom verify: would this request pass the gate, which rule decides, and why?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config.h"

namespace anteroom::app {

struct VerifyOptions {
    std::string rules;
    std::string method;
    std::string url;
    std::vector<std::string> cookies; // NAME=VALUE
    std::vector<std::string> headers; // NAME:VALUE
    std::optional<std::string> body;
    std::string user;
    std::string role;
    std::vector<std::string> active;
    bool json = false;
};

// 0: passes, 1: is refused. Throws ConfigError.
int verify(const Config& config, const VerifyOptions& options);

} // namespace anteroom::app
