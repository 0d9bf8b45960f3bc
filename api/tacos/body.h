// What the bodies of system T's calls say.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace anteroom::api::tacos {

// Empty: not there.
struct Body {
    std::string event_id;
    std::string user_id;
    std::string waiting_token;
    std::string reservation_token;
};

// Whatever the Content-Type: curl sends forms unless it is told otherwise. Nothing: no JSON object,
// or a member that is no text.
std::optional<Body> read_body(std::string_view text);

// At most 256 characters, and not one of the names that we give. The empty one is nobody's.
bool is_user_id(std::string_view user);

} // namespace anteroom::api::tacos
