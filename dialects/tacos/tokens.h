// The two tokens of system T: the waiting token of a place, and the reservation token that `enter`
// grants. Both are UUID tickets: made from the place, read back without a table, in every process.
//
// One is never valid as the other, nor as a ticket of another dialect: what a token is for stands
// where tickets of the outer line have their generation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/visitor.h"
#include "token/ticket.h"

namespace anteroom::tacos {

enum class TokenUse : std::uint8_t { waiting, reservation };

struct PlaceToken {
    TokenUse use = TokenUse::waiting;
    bool has_user = false; // The place belongs to a known user, not to an anonymous visitor.
    std::uint32_t room = 0;
    Number number = 0;
};

// Empty: no UUID can hold it.
std::string mint(token::TicketBook& book, const PlaceToken& place);
// Nothing: it is forged, or for something else.
std::optional<PlaceToken> read(token::TicketBook& book, std::string_view text, TokenUse use,
                               token::UnixSeconds now);

} // namespace anteroom::tacos
