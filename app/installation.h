// Installation: what a server keeps in its data folder besides rooms: keys and the admin token,
// made on first use and the same after every restart.
#pragma once

#include <string>

#include "app/config.h"
#include "token/key_ring.h"

namespace anteroom::app {

struct Installation {
    token::KeyRing keys;
    std::string admin_token;
    std::string admin_token_path;
    bool admin_token_is_new = false;
};

// Throws ConfigError.
Installation open_installation(const Config& config);

std::string key_file_path(const Config& config);
token::UnixSeconds wall_clock();

} // namespace anteroom::app
