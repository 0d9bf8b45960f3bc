// The systems that `anteroom plan --poll` knows from here.
#pragma once

#include <span>

#include "plan/system.h"

namespace anteroom::tacos {

std::span<const plan::System> plans();

} // namespace anteroom::tacos
