// What an error of the server means for the call that got it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/redis/reply.h"
#include "store/redis/url.h"

namespace anteroom::redis {

enum class Meaning : std::uint8_t {
    final,     // It stays.
    moved,     // Another node has the slot.
    ask,       // Another node has the key, for now.
    later,     // Nothing was done: try again.
    read_only, // The same, and this is no primary any more.
    no_script, // The server does not know the script.
};

Meaning meaning_of(const Reply& error);

// "MOVED 3999 127.0.0.1:6381". An empty host is the one that said so.
struct Redirection {
    std::uint16_t slot = 0;
    Address to;
};
std::optional<Redirection> parse_redirection(std::string_view text, const Address& said_by);

} // namespace anteroom::redis
