// The paths of system P: which route a path is, in all the forms its clients know.
//
//   /queue/…  /api/v1/shopping/queue/…  /api/shopping/queue/…                     users
//   /admin/queue/…  and the same behind /api/v1/shopping and /api/shopping        operators
//   /api/v1/seller/queue/…                                                        sellers
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace anteroom::portal {

enum class Route : std::uint8_t {
    enter,
    status,
    leave,
    validate,
    complete,
    subscribe,
    token_status,
    token_leave, // The same path as token_status: the method decides.
    token_validate,
    activate,
    deactivate,
    process,
    admin_status,
};

enum class Form : std::uint8_t { user, admin, seller };

struct Path {
    Route route;
    Form form = Form::user;
    // Not decoded; empty where the path has none: the document's form has them in the body.
    std::string_view type;
    std::string_view id;
    std::string_view token;
};

// Nothing: it is none of P's.
std::optional<Path> read_path(std::string_view path);

inline constexpr std::size_t type_length_max = 50;

// An event id as a whole number of 64 bits, as Java reads one.
std::optional<std::int64_t> read_event_id(std::string_view text);
// "TIMEDEAL:42", the id of the queue's room. Nothing: no room can have the name of this type.
std::optional<std::string> room_id_of(std::string_view type, std::int64_t id);
// Whether a room of this id can be a queue.
bool is_queue_id(std::string_view room_id);

} // namespace anteroom::portal
