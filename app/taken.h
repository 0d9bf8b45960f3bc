// Whether another process has the data folder or the port of this server. Checked before the server
// writes anything, so that a second server changes nothing.
#pragma once

#include "app/config.h"

namespace anteroom::app {

// Throws DataError when the folder is in use, ConfigError when the port is, or when the address
// cannot be listened on. The message has the id of the other process if the kernel tells it.
void check_nothing_is_taken(const Config& config);

} // namespace anteroom::app
