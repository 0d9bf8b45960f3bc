#include "dialects/tacos/tokens.h"

namespace anteroom::tacos {
namespace {

constexpr std::uint32_t first_use = 0x0a00;

std::uint32_t generation_of(TokenUse use, bool has_user) {
    return first_use + static_cast<std::uint32_t>(use) * 2 + (has_user ? 1 : 0);
}

} // namespace

std::string mint(token::TicketBook& book, const PlaceToken& place) {
    const std::optional<token::UuidTicket> ticket =
        book.mint_uuid({.kind = token::TicketKind::inner,
                        .room = place.room,
                        .generation = generation_of(place.use, place.has_user),
                        .number = place.number});
    return ticket ? std::string(ticket->view()) : std::string();
}

std::optional<PlaceToken> read(token::TicketBook& book, std::string_view text, TokenUse use,
                               token::UnixSeconds now) {
    const std::uint32_t generation = generation_of(use, false);
    const token::TicketVerdict verdict = book.read(text, now,
                                                   {.kind = token::TicketKind::inner,
                                                    .room = {},
                                                    .generation = generation,
                                                    .shape = token::TicketShape::uuid,
                                                    .generations = 2});
    const auto* content = std::get_if<token::TicketContent>(&verdict);
    if (!content) return std::nullopt;
    return PlaceToken{.use = use,
                      .has_user = content->generation != generation,
                      .room = content->room,
                      .number = content->number};
}

} // namespace anteroom::tacos
