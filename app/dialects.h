// The dialects that this program can speak, in the order in which they are asked about a path.
#pragma once

#include <span>

#include "desk/dialect_info.h"

namespace anteroom::app {

std::span<const DialectInfo* const> dialects();

} // namespace anteroom::app
