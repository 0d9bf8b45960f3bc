// Everything of a room that an operator can set, by name: the one table behind the admin API, the
// configuration file and their documentation.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "service/profile.h"

namespace anteroom {

using FieldValue = std::variant<std::int64_t, double, bool, std::string, std::vector<std::string>>;

struct RoomField {
    struct Rate {};       // Calls per second, a number.
    struct LeaseBegin {}; // "call" or "claim".
    struct Lanes {};      // Names, the first goes first.
    using Member = std::variant<std::int64_t Settings::*, Millis Settings::*, bool Settings::*,
                                std::string Profile::*, Rate, LeaseBegin, Lanes>;
    std::string_view name;
    Member member;
    std::string_view form;    // Unit or shape of the value, such as "duration".
    std::string_view meaning; // Plain sentences for a stranger.
    std::string_view choices; // The only values, with spaces between them; empty: any.
};

std::span<const RoomField> room_fields();

// What is wrong, in words for an operator; nothing when it was set. Limits are checked later, by
// fault_of(Settings) and fault_of(Profile).
std::optional<std::string> set_field(RoomSettings& settings, std::string_view name,
                                     const FieldValue& value);
FieldValue field_value(const RoomSettings& settings, const RoomField& field);

// In words; empty when the room can work with them.
std::string fault_in_words(const RoomSettings& settings);
std::string_view in_words(Reason reason);

} // namespace anteroom
