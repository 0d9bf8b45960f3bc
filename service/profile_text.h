// A room's profile as JSON, as stores keep it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/profile.h"

namespace anteroom {

std::string profile_text(const Profile& profile);
std::optional<Profile> profile_of(std::string_view text);

} // namespace anteroom
