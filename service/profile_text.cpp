#include "service/profile_text.h"

#include <boost/json.hpp>

namespace anteroom {

namespace json = boost::json;

std::string profile_text(const Profile& profile) {
    json::object object;
    object.emplace("message", profile.message);
    object.emplace("target", profile.target);
    object.emplace("lanes", json::array(profile.lanes.begin(), profile.lanes.end()));
    object.emplace("default_lane", profile.default_lane);
    // Not when it says nothing: the text of an older version, and its sum, stay the same.
    if (!profile.dialect.empty()) object.emplace("dialect", profile.dialect);
    return json::serialize(object);
}

std::optional<Profile> profile_of(std::string_view text) {
    json::error_code error;
    const json::value value = json::parse({text.data(), text.size()}, error);
    if (error || !value.is_object()) return std::nullopt;
    const json::object& object = value.as_object();
    Profile profile;
    bool fits = true;
    const auto read = [&](const char* name, std::string& member) {
        const json::value* given = object.if_contains(name);
        fits = fits && (!given || given->is_string());
        if (fits && given) member = given->as_string().c_str();
    };
    read("message", profile.message);
    read("target", profile.target);
    read("default_lane", profile.default_lane);
    read("dialect", profile.dialect);
    if (const json::value* lanes = object.if_contains("lanes")) {
        fits = fits && lanes->is_array();
        for (std::size_t i = 0; fits && i < lanes->as_array().size(); ++i) {
            const json::value& lane = lanes->as_array()[i];
            fits = lane.is_string();
            if (fits) profile.lanes.emplace_back(lane.as_string().c_str());
        }
    }
    return fits ? std::optional(std::move(profile)) : std::nullopt;
}

} // namespace anteroom
