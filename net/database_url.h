// DatabaseUrl: the form that URLs of databases share,
//
//   SCHEME://[USER[:PASSWORD]@][HOST[:PORT],…][/NAME][?OPTIONS]
//
// User, password, name and options are percent-encoded; an IPv6 address stands in brackets. Only
// the form is read here: the caller knows schemes and options, and which parts must be there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/url.h"

namespace anteroom::net {

struct DatabaseUrl {
    struct Host {
        std::string name;                  // Without brackets; never empty.
        std::optional<std::uint16_t> port; // Never 0.
    };

    std::string_view scheme; // Of the text that was parsed.
    std::optional<std::string> user;
    std::optional<std::string> password; // Only with a user, who may be empty.
    std::vector<Host> hosts;
    std::string name;
    std::optional<Query> options;
};

// Passwords are often pasted without encoding. The user ends at the last @ of the text, so that the
// password may have an @ or a / in it; or, where a name or an option may have an @, at the last one
// before the first slash.
enum class UserEnd : std::uint8_t { last_at, last_at_before_slash };

// The fault repeats nothing of the text: it may be a password in the wrong place.
Result<DatabaseUrl> parse_database_url(std::string_view text, UserEnd user_end);

} // namespace anteroom::net
