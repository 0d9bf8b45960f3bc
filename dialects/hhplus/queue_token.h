// QueueToken: system H's "userUuid|randomUuid", read without any table.
//
// Behind the bar stands a ticket: which place, signed. Before it stands the user's id, encrypted,
// so that the server can name the user to an origin that sees only the token. The first half proves
// nothing by itself: a reader checks that this user holds this place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "desk/office.h"

namespace anteroom::hhplus {

using UserId = std::int64_t; // Above 0.

struct QueueToken {
    UserId user = 0;
    std::uint32_t room = 0; // The room's index.
    Number number = 0;
};

// How the rooms name this user.
std::string visitor_of(UserId user);

// A whole number above 0, as Long.parseLong reads it.
std::optional<UserId> read_user_id(std::string_view text);

// `^[0-9a-f-]{36}\|[0-9a-f-]{36}$`, whoever made it.
bool looks_like_token(std::string_view text);

// Nothing: the number does not fit into a UUID.
std::optional<std::string> mint_token(Office& office, const QueueToken& token);
// Nothing: it was not made here. Whether the user holds the place is for the caller to see.
std::optional<QueueToken> read_token(Office& office, std::string_view text, token::UnixSeconds now);

} // namespace anteroom::hhplus
