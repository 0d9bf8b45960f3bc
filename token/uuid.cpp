#include "token/uuid.h"

#include "base/text.h"

namespace anteroom::token {
namespace {

constexpr std::size_t length = 36;

bool is_dash(std::size_t at) {
    return at == 8 || at == 13 || at == 18 || at == 23;
}

} // namespace

UuidText Uuid::text() const {
    Uuid rest = *this;
    UuidText text;
    for (std::size_t at = length; at-- > 0;) {
        if (is_dash(at)) {
            text.characters[at] = '-';
            continue;
        }
        std::uint64_t& half = at > 18 ? rest.low : rest.high;
        text.characters[at] = hex_digits[half & 0x0f];
        half >>= 4;
    }
    return text;
}

std::optional<Uuid> Uuid::read(std::string_view text) {
    if (text.size() != length) return std::nullopt;
    Uuid uuid;
    for (std::size_t at = 0; at < length; ++at) {
        const char c = text[at];
        if (is_dash(at)) {
            if (c != '-') return std::nullopt;
            continue;
        }
        const bool digit = c >= '0' && c <= '9';
        if (!digit && !(c >= 'a' && c <= 'f')) return std::nullopt;
        std::uint64_t& half = at > 18 ? uuid.low : uuid.high;
        half = half << 4 | static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
    }
    if ((uuid.high & 0xf000) != version_bits || uuid.low >> 62 != 2) return std::nullopt;
    return uuid;
}

} // namespace anteroom::token
