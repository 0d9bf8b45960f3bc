// What system T's calls say: their bodies, and their Idempotency-Key.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace anteroom::tacos {

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

using IdempotencyKey = std::array<std::uint8_t, 16>;

// A UUID of any version, in one of the four spellings that are in use. Nothing: it is none.
std::optional<IdempotencyKey> parse_uuid(std::string_view text);

// At most 256 characters, and not one of the names that we give. Empty: an anonymous visitor.
bool is_user_id(std::string_view user);

} // namespace anteroom::tacos
