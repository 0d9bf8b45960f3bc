// What facts change in the sets that people read with redis-cli: who waits, in order, and who is
// inside, until when. As arguments for the commit script.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/fact.h"
#include "engine/room.h"

namespace anteroom::shared {

// `room` as it is after the facts; `who` is the name of the one who joined, if there is one.
void project(const Room& room, std::span<const Fact> facts, std::string_view who,
             std::vector<std::string>& changes);

// The score of a place: lines one after the other, and the number itself in a room with one lane
// and without an outer line.
std::int64_t score_of(std::uint8_t line, std::uint64_t order);

} // namespace anteroom::shared
