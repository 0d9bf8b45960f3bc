#include "dialects/hhplus/queue_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "token/uuid.h"

namespace anteroom::hhplus {
namespace {

constexpr std::size_t half_length = 36;
constexpr unsigned tag_bits = 58; // Beside the 64 of the id: 122 in all.

// SIV in small, as tickets have it: the hash of the id is the nonce that hides the id.
std::uint64_t tag_of(const Office& office, UserId user) {
    return office.key_of(fmt::format("~hhplus-user:{}", user)).high >> (64 - tag_bits);
}

std::uint64_t mask_of(const Office& office, std::uint64_t tag) {
    return office.key_of(fmt::format("~hhplus-mask:{}", tag)).high;
}

token::UuidText user_uuid(const Office& office, UserId user) {
    const std::uint64_t tag = tag_of(office, user);
    const std::uint64_t hidden = static_cast<std::uint64_t>(user) ^ mask_of(office, tag);
    return token::Uuid::of(tag << 2 | hidden >> 62, hidden & ~(3ull << 62)).text();
}

std::optional<UserId> read_user_uuid(const Office& office, std::string_view text) {
    const std::optional<token::Uuid> uuid = token::Uuid::read(text);
    if (!uuid) return std::nullopt;
    const std::uint64_t tag = uuid->front() >> 2;
    const std::uint64_t hidden = uuid->front() << 62 | uuid->back();
    const auto user = static_cast<UserId>(hidden ^ mask_of(office, tag));
    if (user <= 0 || tag_of(office, user) != tag) return std::nullopt;
    return user;
}

} // namespace

std::string visitor_of(UserId user) {
    return std::to_string(user);
}

std::optional<UserId> read_user_id(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    const auto user = parse_whole_number<UserId>(text);
    return user && *user > 0 ? user : std::nullopt;
}

bool looks_like_token(std::string_view text) {
    if (text.size() != 2 * half_length + 1 || text[half_length] != '|') return false;
    const auto fits = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-';
    };
    return std::ranges::all_of(text.substr(0, half_length), fits) &&
           std::ranges::all_of(text.substr(half_length + 1), fits);
}

std::optional<std::string> mint_token(Office& office, const QueueToken& token) {
    const std::optional<token::UuidTicket> ticket = office.tickets.mint_uuid(
        {.kind = token::TicketKind::inner, .room = token.room, .number = token.number});
    if (!ticket) return std::nullopt;
    const token::UuidText user = user_uuid(office, token.user);
    return fmt::format("{}|{}", user.view(), ticket->view());
}

std::optional<QueueToken> read_token(Office& office, std::string_view text,
                                     token::UnixSeconds now) {
    if (!looks_like_token(text)) return std::nullopt;
    const token::TicketVerdict verdict =
        office.tickets.read(text.substr(half_length + 1), now,
                            {.kind = token::TicketKind::inner, .room = {}, .generation = 0});
    const auto* content = std::get_if<token::TicketContent>(&verdict);
    if (!content) return std::nullopt;
    const std::optional<UserId> user = read_user_uuid(office, text.substr(0, half_length));
    if (!user) return std::nullopt;
    return QueueToken{.user = *user, .room = content->room, .number = content->number};
}

} // namespace anteroom::hhplus
