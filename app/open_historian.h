// The history as configured: history.db in the data folder and, if wanted, a database beside it.
#pragma once

#include <memory>

#include "app/config.h"
#include "app/rotating_book.h"
#include "store/history/historian.h"

namespace anteroom::app {

// Not started yet. Entry tokens follow the keys. Throws ConfigError.
std::unique_ptr<history::Historian> open_historian(const Config& config,
                                                   const std::shared_ptr<const SharedRing>& keys);

} // namespace anteroom::app
