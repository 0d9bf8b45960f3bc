#include "api/front_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "api/plain_page.h"
#include "desk/assets.h"

namespace anteroom::api {
namespace {

std::string render_room(const FrontRoom& room) {
    return fill_in(assets::front_room.plain, [&](std::string_view name) -> std::string {
        if (name == "room") return room.id;
        if (name == "page") return room.has_page ? "yes" : "";
        if (name == "no_page") return room.has_page ? "" : "yes";
        if (name == "outer") return room.outer_page;
        if (name == "waiting") return std::to_string(room.waiting);
        if (name == "inside") return std::to_string(room.inside);
        if (name == "state") return room.state;
        return {};
    });
}

// As one word of a shell: in quotes when there is a character that may mean something to it.
std::string shell_word(const std::string& text) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("./_-+,:@%").find(c) != std::string_view::npos;
    };
    if (!text.empty() && text.front() != '-' && std::ranges::all_of(text, is_plain)) return text;
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::string more_rooms(const FrontPage& page) {
    if (page.rooms_total <= page.rooms.size()) return {};
    return fmt::format("And {} more.", page.rooms_total - page.rooms.size());
}

} // namespace

std::string render_front_page(const FrontPage& page) {
    const auto value_of = [&](std::string_view name) -> std::string {
        if (name == "rooms") return page.rooms.empty() ? "" : "yes";
        if (name == "more") return more_rooms(page);
        if (name == "metrics") return page.shows_metrics ? "yes" : "";
        if (name == "admin_file") return page.shows_admin ? page.admin_token_path : "";
        if (name == "admin_from")
            return page.admin_token_path.starts_with('/')
                       ? ""
                       : ", seen from the folder in which the server was started";
        if (name == "admin_file_word") return shell_word(page.admin_token_path);
        if (name == "admin_setting")
            return page.shows_admin && page.admin_token_path.empty() ? "yes" : "";
        if (name == "admin_rooms") return shell_word(page.address + "/v1/admin/rooms");
        return {};
    };
    std::string text = fill_in(assets::front_page.plain, value_of);
    // Values are escaped, so none of them can contain the marker.
    constexpr std::string_view marker = "<!--rooms-->\n";
    std::string rows;
    for (const FrontRoom& room : page.rooms) rows += render_room(room);
    if (const std::size_t at = text.find(marker); at != text.npos)
        text.replace(at, marker.size(), rows);
    return text;
}

} // namespace anteroom::api
