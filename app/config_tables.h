// The parts of the table of settings, one file per group of sections. Only config_keys.cpp puts
// them together.
#pragma once

#include <span>

#include "app/config_keys.h"

namespace anteroom::app {

std::span<const ConfigKey> server_keys(); // [server] … [keys] [dialects]
std::span<const ConfigKey> gate_keys();   // [gate] [rooms] [log]

} // namespace anteroom::app
