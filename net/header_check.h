// Whether a header can be written as it is, without breaking out of its line (RFC 9110, 5.5).
#pragma once

#include <string_view>

#include "net/text.h"

namespace anteroom::net {

constexpr bool is_safe_header(std::string_view name, std::string_view value) {
    return !name.empty() && all(name, in_token) && all(value, in_value);
}

} // namespace anteroom::net
