// Profile: what a room shows and how it is reached; the engine's Settings say how it works.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/settings.h"

namespace anteroom {

namespace limits {
inline constexpr std::size_t room_id_length_max = 128;
inline constexpr std::size_t message_length_max = 2'000;
inline constexpr std::size_t target_length_max = 2'000;
inline constexpr std::size_t lane_name_length_max = 64;
} // namespace limits

struct Profile {
    std::string message;            // The operator's words to those who wait; empty: none.
    std::string target;             // Where the waiting page goes when called; empty: it stays.
    std::vector<std::string> lanes; // Names, lane 0 first; empty: one lane without a name.
    std::string default_lane;       // Of those who name none; empty: the last.
    std::string dialect;            // Only its clients take places; empty: everybody's do.

    friend bool operator==(const Profile&, const Profile&) = default;
};

// Everything an operator can set of a room.
struct RoomSettings {
    Settings rules;
    Profile profile;
};

// 1 to 128 of [A-Za-z0-9._:~-].
bool is_room_id(std::string_view id);

// Whether clients who speak so may take places; empty: our own.
inline bool takes(const Profile& profile, std::string_view dialect) {
    return profile.dialect.empty() || profile.dialect == dialect;
}

// What is wrong with it, in words for an operator; nothing when it can be used.
std::optional<std::string> fault_of(const Profile& profile);

// The number of the lane with this name (empty: the default); nothing when there is none.
std::optional<std::uint8_t> lane_number(const Profile& profile, std::string_view name);

} // namespace anteroom
