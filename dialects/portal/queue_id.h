// The id of a queue of system P, which is the id of its room: "TIMEDEAL:42".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace anteroom::portal {

inline constexpr std::size_t type_length_max = 50;

// An event id as a whole number of 64 bits, as Java reads one.
std::optional<std::int64_t> read_event_id(std::string_view text);
// Nothing: no room can have the name of this type.
std::optional<std::string> room_id_of(std::string_view type, std::int64_t id);
// Whether a room of this id can be a queue.
bool is_queue_id(std::string_view room_id);

} // namespace anteroom::portal
