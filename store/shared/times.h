// How long things may take where several processes share rooms.
#pragma once

#include "base/time.h"

namespace anteroom::shared {

// The writer renews its lease at least this often, or another process takes the room over.
inline constexpr Millis writer_lease{2'000};
// How often every process follows the log, in case a published message was lost.
inline constexpr Millis look_interval{200};
// Deliveries that wait longer are refused, and the writer refuses asks that are older.
inline constexpr Millis patience{5'000};

} // namespace anteroom::shared
