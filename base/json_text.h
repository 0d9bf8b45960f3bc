// Text inside JSON (RFC 8259, 7): the one place that escapes it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace anteroom {

// Appends text as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
void append_json_string(fmt::memory_buffer& out, std::string_view text);

} // namespace anteroom
