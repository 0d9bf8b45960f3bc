// A room's profile as JSON, as it stands in the ledger.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/profile.h"

namespace anteroom::embedded {

std::string profile_text(const Profile& profile);
std::optional<Profile> profile_of(std::string_view text);

} // namespace anteroom::embedded
