#include "dialects/portal/queue_id.h"

#include <charconv>

#include "service/profile.h"

namespace anteroom::portal {

std::optional<std::int64_t> read_event_id(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::string> room_id_of(std::string_view type, std::int64_t id) {
    const bool fits =
        type.size() <= type_length_max && is_room_id(type) && type.find(':') == type.npos;
    if (!fits) return std::nullopt;
    return std::string(type) + ":" + std::to_string(id);
}

bool is_queue_id(std::string_view room_id) {
    const std::size_t colon = room_id.find(':');
    if (colon == room_id.npos) return false;
    const std::optional<std::int64_t> id = read_event_id(room_id.substr(colon + 1));
    return id && room_id_of(room_id.substr(0, colon), *id) == room_id;
}

} // namespace anteroom::portal
