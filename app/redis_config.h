// The section [store] as options of the Redis store.
#pragma once

#include "app/config.h"

namespace anteroom::shared {
struct RedisOptions;
}

namespace anteroom::app {

// Throws ConfigError. REQUIRES: shares_rooms.
shared::RedisOptions redis_options(const Config& config);

} // namespace anteroom::app
