// How long system T says that it takes.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace anteroom::tacos {

// Whole seconds until the turn of this position comes, and not before `least` is
// over. The pace is a measured one, in visitors per second; 0: nothing is measured yet.
std::int64_t eta_seconds(std::uint64_t position, double pace, Millis least);

} // namespace anteroom::tacos
