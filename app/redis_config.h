// What [store] says of Redis.
#pragma once

#include "app/config.h"

namespace anteroom::shared {
struct RedisOptions;
}

namespace anteroom::app {

// Throws ConfigError. REQUIRES: shares_rooms.
shared::RedisOptions redis_options(const Config& config);

} // namespace anteroom::app
