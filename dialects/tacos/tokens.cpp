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
    if (text.size() != token::UuidTicket{}.view().size()) return std::nullopt;
    const token::TicketVerdict verdict = book.read(text, now);
    const auto* content = std::get_if<token::TicketContent>(&verdict);
    if (!content || content->kind != token::TicketKind::inner) return std::nullopt;
    for (const bool has_user : {false, true})
        if (content->generation == generation_of(use, has_user))
            return PlaceToken{
                .use = use, .has_user = has_user, .room = content->room, .number = content->number};
    return std::nullopt;
}

} // namespace anteroom::tacos
