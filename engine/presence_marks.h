// PresenceMarks: how many may be called before certain orders of a line. The writer of a room tells
// them to the processes that have a copy of it: only the writer knows who is absent.
//
// Soft: estimates, and how often a visitor is told to ask, rest on them; calls do not.
#pragma once

#include <cstdint>
#include <vector>

namespace anteroom {

class Room;

struct PresenceMark {
    std::uint8_t line = 0;
    std::uint64_t order = 0;
    std::uint64_t callable = 0; // In all lines, before this order of this one.
    friend bool operator==(const PresenceMark&, const PresenceMark&) = default;
};

using PresenceMarks = std::vector<PresenceMark>; // By line and order; `callable` never falls.

namespace limits {
inline constexpr std::uint64_t presence_marks_per_line = 32;
inline constexpr std::size_t presence_marks_max = 16 * (presence_marks_per_line + 1);
} // namespace limits

// Reader-safe. Empty when nobody is absent: then `ahead` is the answer.
PresenceMarks make_presence_marks(const Room& room);

// Between two marks those who may be called are taken to lie evenly; behind the last one of a line
// everybody is. Nothing is known of a line without marks: UINT64_MAX.
std::uint64_t callable_before(const PresenceMarks& marks, std::uint8_t line, std::uint64_t order);

} // namespace anteroom
