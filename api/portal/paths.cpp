#include "api/portal/paths.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "service/profile.h"

namespace anteroom::api::portal {
namespace {

constexpr std::size_t segments_max = 6;

struct Segments {
    std::array<std::string_view, segments_max> parts;
    std::size_t count = 0;
};

// Nothing: too many, or one of them is empty.
std::optional<Segments> split(std::string_view path) {
    Segments found;
    while (!path.empty()) {
        if (path.front() != '/' || found.count == segments_max) return std::nullopt;
        path.remove_prefix(1);
        const std::size_t end = std::min(path.find('/'), path.size());
        if (end == 0) return std::nullopt;
        found.parts[found.count++] = path.substr(0, end);
        path.remove_prefix(end);
    }
    return found;
}

struct Verb {
    std::string_view name;
    Route route;
};
constexpr std::array user_verbs{
    Verb{"status", Route::status},     Verb{"enter", Route::enter},
    Verb{"leave", Route::leave},       Verb{"validate", Route::validate},
    Verb{"complete", Route::complete},
};
constexpr std::array operator_verbs{
    Verb{"activate", Route::activate},
    Verb{"deactivate", Route::deactivate},
    Verb{"process", Route::process},
    Verb{"status", Route::admin_status},
};

std::optional<Route> find(std::span<const Verb> verbs, std::string_view name) {
    for (const Verb& verb : verbs)
        if (verb.name == name) return verb.route;
    return std::nullopt;
}

using Parts = std::span<const std::string_view>;

std::optional<Path> user_path(Parts parts) {
    // "token" first: its alias has the shape of a queue's status.
    if (parts[0] == "token") {
        if (parts.size() == 2) return Path{.route = Route::token_status, .token = parts[1]};
        if (parts.size() != 3) return std::nullopt;
        if (parts[2] == "status") return Path{.route = Route::token_status, .token = parts[1]};
        if (parts[2] == "validate") return Path{.route = Route::token_validate, .token = parts[1]};
        return std::nullopt;
    }
    if (parts.size() == 4 && parts[2] == "subscribe")
        return Path{.route = Route::subscribe, .type = parts[0], .id = parts[1], .token = parts[3]};
    if (parts.size() != 3) return std::nullopt;
    const std::optional<Route> route = find(user_verbs, parts[2]);
    if (!route) return std::nullopt;
    return Path{.route = *route, .type = parts[0], .id = parts[1]};
}

std::optional<Path> operator_path(Parts parts, Form form) {
    const bool in_body = parts.size() == 1 && form == Form::admin;
    if (!in_body && parts.size() != 3) return std::nullopt;
    const std::optional<Route> route = find(operator_verbs, parts.back());
    if (!route) return std::nullopt;
    if (in_body) return Path{.route = *route, .form = form};
    return Path{.route = *route, .form = form, .type = parts[0], .id = parts[1]};
}

} // namespace

std::optional<Path> read_path(std::string_view path) {
    bool is_seller = false;
    for (const std::string_view prefix : {"/api/v1/shopping", "/api/shopping", "/api/v1/seller"}) {
        if (!path.starts_with(prefix)) continue;
        path.remove_prefix(prefix.size());
        is_seller = prefix.ends_with("seller");
        break;
    }
    const std::optional<Segments> segments = split(path);
    if (!segments) return std::nullopt;
    const Parts parts(segments->parts.data(), segments->count);
    if (parts.size() >= 3 && parts[0] == "queue")
        return is_seller ? operator_path(parts.subspan(1), Form::seller)
                         : user_path(parts.subspan(1));
    if (!is_seller && parts.size() >= 3 && parts[0] == "admin" && parts[1] == "queue")
        return operator_path(parts.subspan(2), Form::admin);
    return std::nullopt;
}

std::optional<std::int64_t> read_event_id(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    return parse_whole_number<std::int64_t>(text);
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

} // namespace anteroom::api::portal
