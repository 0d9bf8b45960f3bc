// Suggestions for misspelt keys, sections and variables. Empty: no name is near.
#pragma once

#include <string>
#include <string_view>

namespace anteroom::app {

// "server.listen" for server.lisen, auth.admin_token for server.admin_token. An empty section
// stands for a key that is in none.
std::string nearest_key(std::string_view section, std::string_view name);
// "server" for sever.
std::string nearest_section(std::string_view section);
// ANTEROOM_SERVER_LISTEN for ANTEROOM_SERVER_LISEN, ANTEROOM_AUTH_ADMIN_TOKEN for
// ANTEROOM_ADMIN_TOKEN.
std::string nearest_variable(std::string_view variable);

// How many letters must be changed, added, left out or exchanged with their neighbour. Counts no
// further than `most` + 1.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most);

} // namespace anteroom::app
