// The dialects that this program can speak: the one list of them.
#pragma once

#include <span>

#include "desk/dialect_info.h"

namespace anteroom::app {

std::span<const DialectInfo* const> dialects();

} // namespace anteroom::app
