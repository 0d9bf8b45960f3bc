// The text of a key file: one line for each key, so that a person can read, compare and count them.
//
//     anteroom-keys 1
//     # purpose kid algorithm created retired fingerprint secret
//     entry 9f21c07a HS256 1700000000 - 9f21c07a pZb1…
//     end 1
//
// The last line counts the keys and the fingerprint repeats the secret, so a file that was cut off
// or damaged is refused. Everything else than these lines is refused too.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "token/key_ring.h"

namespace anteroom::token {

std::string key_text(const KeyRing& ring);
Result<KeyRing> parse_key_text(std::string_view text);

} // namespace anteroom::token
