#include "gate/categories.h"

namespace anteroom::gate {
namespace {

// The path is the prefix, or goes on below it.
bool is_below(std::string_view path, std::string_view prefix) {
    if (!path.starts_with(prefix)) return false;
    return path.size() == prefix.size() || path[prefix.size()] == '/';
}

// "reservations/ID/cancel"
bool is_cancellation(std::string_view path) {
    constexpr std::string_view before = "reservations/", after = "/cancel";
    if (!path.starts_with(before) || !path.ends_with(after)) return false;
    if (path.size() <= before.size() + after.size()) return false;
    const std::string_view id =
        path.substr(before.size(), path.size() - before.size() - after.size());
    return id.find('/') == id.npos;
}

} // namespace

std::string_view name(Category category) {
    switch (category) {
        case Category::auth: return "auth";
        case Category::queue: return "queue";
        case Category::booking: return "booking";
        case Category::general: return "general";
    }
    return "";
}

std::optional<Category> category_of(std::string_view path) {
    constexpr std::string_view api = "/api/", v1 = "v1/";
    path = path.substr(0, path.find('?'));
    if (!path.starts_with(api)) return std::nullopt;
    path.remove_prefix(api.size());
    if (path.starts_with(v1)) path.remove_prefix(v1.size());
    if (path == "auth/me") return std::nullopt;
    if (is_below(path, "auth")) return Category::auth;
    if (is_below(path, "queue")) return Category::queue;
    const bool books = path == "seats/reserve" || path == "reservations" || is_cancellation(path);
    return books ? Category::booking : Category::general;
}

} // namespace anteroom::gate
