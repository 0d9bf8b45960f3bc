// The dialects that this program can speak: the one list of them.
#pragma once

#include <span>
#include <vector>

#include "desk/dialect_info.h"

namespace anteroom::app {

std::span<const DialectInfo* const> dialects();

// Whose clients `anteroom plan` knows, by name: the native ones and those of dialects.
std::vector<const plan::System*> plan_systems();

} // namespace anteroom::app
