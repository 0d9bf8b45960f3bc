// Where Redis is:
//
//   redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]
//   redis+cluster://[USER:PASSWORD@]HOST[:PORT],…
//
// The first names one server; when that is a replica, the client goes on to its primary. The second
// names some nodes of a Redis Cluster.
// With TLS rediss:// and rediss+cluster://. A password without a user is `:PASSWORD@`. Characters
// that mean something in a URL are percent-encoded; an IPv6 address stands in brackets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anteroom::redis {

struct Address {
    std::string host; // Without brackets.
    std::uint16_t port = 6379;

    friend bool operator==(const Address&, const Address&) = default;
};

struct Url {
    bool tls = false;
    bool cluster = false;
    std::string user; // Empty: the password alone, or nothing at all.
    std::string password;
    std::vector<Address> hosts; // One, or the seeds of a Cluster.
    int database = 0;
};

// The fault repeats nothing of the text: it may be a password in the wrong place.
Result<Url> parse_url(std::string_view text);

// "host:port", "[::1]:6379".
std::string to_string(const Address& address);
// For people: "rediss://host:6379/2", without user and password.
std::string without_secrets(const Url& url);
// A text of the server, which may repeat the user: that and the password become ********.
std::string without_secrets(std::string text, const Url& url);

} // namespace anteroom::redis
