// What another process holds that this server needs: its data folder and its port. Asked before
// anything is written, so that a second server changes nothing.
#pragma once

#include "app/config.h"

namespace anteroom::app {

// Throws DataError when the folder is in use, ConfigError when the port is (or nobody can listen
// there), with the id of the process where it can be found out.
void check_nothing_is_taken(const Config& config);

} // namespace anteroom::app
