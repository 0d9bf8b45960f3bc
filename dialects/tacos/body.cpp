#include "dialects/tacos/body.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/text.h"

namespace anteroom::tacos {
namespace {

namespace json = boost::json;
constexpr std::size_t user_id_length_max = 256;

} // namespace

std::optional<Body> read_body(std::string_view text) {
    json::parse_options options;
    options.max_depth = 8;
    json::error_code error;
    const json::value value =
        json::parse(json::string_view(text.data(), text.size()), error, {}, options);
    if (error || !value.is_object()) return std::nullopt;
    Body body;
    const struct {
        const char* name;
        std::string& member;
    } members[] = {{"event_id", body.event_id},
                   {"user_id", body.user_id},
                   {"waiting_token", body.waiting_token},
                   {"reservation_token", body.reservation_token}};
    for (const auto& [name, member] : members) {
        const json::value* given = value.get_object().if_contains(name);
        if (!given || given->is_null()) continue;
        if (!given->is_string()) return std::nullopt;
        member.assign(given->get_string().data(), given->get_string().size());
    }
    return body;
}

std::optional<IdempotencyKey> parse_uuid(std::string_view text) {
    constexpr std::string_view urn = "urn:uuid:";
    constexpr std::size_t with_dashes = 36, bare = 32;
    if (text.starts_with(urn) && text.size() == urn.size() + with_dashes)
        text.remove_prefix(urn.size());
    if (text.size() == with_dashes + 2 && text.front() == '{' && text.back() == '}')
        text = text.substr(1, with_dashes);
    if (!is_uuid(text) && text.size() != bare) return std::nullopt;
    std::string digits(text);
    std::erase(digits, '-');
    const auto bytes = from_hex(digits);
    IdempotencyKey key{};
    if (!bytes || bytes->size() != key.size()) return std::nullopt;
    std::ranges::copy(*bytes, key.begin());
    return key;
}

bool is_user_id(std::string_view user) {
    return user.size() <= user_id_length_max && !user.starts_with('~');
}

} // namespace anteroom::tacos
