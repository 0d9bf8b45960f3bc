// Comparing secrets without telling, by the time it takes, how much of a guess was right.
#pragma once

#include <openssl/crypto.h>

#include <string_view>

namespace anteroom::token {

// Only the length shows.
inline bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace anteroom::token
