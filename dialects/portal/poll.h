// How often clients of system P hear of their place: every three seconds, wherever they stand.
#pragma once

#include <cstdint>

namespace anteroom::portal {

inline constexpr std::int64_t poll_seconds = 3;

} // namespace anteroom::portal
