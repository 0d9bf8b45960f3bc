#include "api/tacos/body.h"

#include <boost/json.hpp>

namespace anteroom::api::tacos {
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

bool is_user_id(std::string_view user) {
    return user.size() <= user_id_length_max && !user.starts_with('~');
}

} // namespace anteroom::api::tacos
