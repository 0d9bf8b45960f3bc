// The history as configured: history.db in the data folder and, if wanted, a database beside it.
#pragma once

#include <memory>

#include "app/config.h"
#include "store/history/historian.h"
#include "token/key_ring.h"

namespace anteroom::app {

// Not started yet. Throws ConfigError.
std::unique_ptr<history::Historian> open_historian(const Config& config,
                                                   const token::KeyRing& keys);

} // namespace anteroom::app
