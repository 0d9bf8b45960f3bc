// What requests say in their bodies. Unknown members are ignored; wrong types are refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "service/profile.h"

namespace anteroom::api {

struct JoinBody {
    std::optional<std::string> visitor;
    std::optional<std::string> lane;
};

// Empty when it was read; otherwise what is wrong. An empty body is an empty object.
std::string read_join_body(std::string_view text, JoinBody& body);
// Changes what the body names and leaves the rest.
std::string read_room_body(std::string_view text, RoomSettings& settings);
// {"count": n}
std::string read_count_body(std::string_view text, std::int64_t& count);

// All settings as JSON members, without braces.
std::string settings_json(const RoomSettings& settings);

} // namespace anteroom::api
