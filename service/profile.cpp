#include "service/profile.h"

#include <algorithm>
#include <array>

namespace anteroom {
namespace {

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

// A path on this site or an http(s) address: a page that follows it runs nobody's script.
bool is_target(std::string_view text) {
    if (!is_printable(text) || text.find_first_of(" \\\"<>") != text.npos) return false;
    if (text.starts_with("https://") || text.starts_with("http://")) return true;
    return text.starts_with('/') && !text.starts_with("//");
}

} // namespace

bool is_room_id(std::string_view id) {
    // A table: every request with a room is asked.
    static constexpr std::array<bool, 256> allowed = [] {
        std::array<bool, 256> table{};
        for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789._:~-"))
            table[static_cast<unsigned char>(c)] = true;
        return table;
    }();
    if (id.empty() || id.size() > limits::room_id_length_max) return false;
    return std::ranges::all_of(id, [](char c) { return allowed[static_cast<unsigned char>(c)]; });
}

std::optional<std::string> fault_of(const Profile& profile) {
    if (profile.message.size() > limits::message_length_max) return "message is too long";
    if (!profile.target.empty() &&
        (profile.target.size() > limits::target_length_max || !is_target(profile.target)))
        return "target must be a path on this site or an http(s) address";
    if (profile.lanes.size() > limits::lanes_max) return "too many lanes";
    for (const std::string& lane : profile.lanes) {
        if (lane.empty() || lane.size() > limits::lane_name_length_max || !is_printable(lane))
            return "a lane needs a short printable name";
        if (std::count(profile.lanes.begin(), profile.lanes.end(), lane) > 1)
            return "two lanes have the same name";
    }
    if (!profile.default_lane.empty() && !lane_number(profile, profile.default_lane))
        return "default_lane names no lane";
    if (!profile.dialect.empty() && !is_room_id(profile.dialect))
        return "dialect must be the name of a dialect or empty";
    return std::nullopt;
}

std::optional<std::uint8_t> lane_number(const Profile& profile, std::string_view name) {
    if (name.empty()) name = profile.default_lane;
    if (profile.lanes.empty()) return name.empty() ? std::optional<std::uint8_t>(0) : std::nullopt;
    if (name.empty()) return static_cast<std::uint8_t>(profile.lanes.size() - 1);
    const auto found = std::find(profile.lanes.begin(), profile.lanes.end(), name);
    if (found == profile.lanes.end()) return std::nullopt;
    return static_cast<std::uint8_t>(found - profile.lanes.begin());
}

} // namespace anteroom
