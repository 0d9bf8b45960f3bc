// How long things may take where several processes share rooms.
#pragma once

#include "base/time.h"

namespace anteroom::shared {

// Who writes a room says so again at least this often, or another one does.
inline constexpr Millis writer_lease{2'000};
// How often everybody looks whether there is news that nobody told.
inline constexpr Millis look_interval{200};
// Nobody waits longer for an answer, and nobody does what was asked earlier.
inline constexpr Millis patience{5'000};
// How often the writer hears who was seen elsewhere.
inline constexpr Millis seen_interval{1'000};

} // namespace anteroom::shared
