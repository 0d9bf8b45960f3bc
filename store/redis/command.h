// A command as it travels.
#pragma once

#include <string>
#include <vector>

namespace anteroom::redis {

using Words = std::vector<std::string>;

// Appends the command to wire. REQUIRES: there is a word.
void append_command(std::string& wire, const Words& words);

} // namespace anteroom::redis
