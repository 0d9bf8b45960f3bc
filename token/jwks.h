// JwkSet: the keys of the site's login, as its JWK Set (RFC 7517) describes them.
//
// A key is for signatures and has one algorithm: RSA is RS256, P-256 is ES256, Ed25519 is EdDSA,
// oct is HS256. Keys for something else (encryption, other curves, other algorithms) are skipped
// and listed; a key that is wrong, weak or private, or a name that stands twice, refuses the set.
// Reading is for start and reload: it blocks on the disk.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "token/jwt.h"

namespace anteroom::token {

inline constexpr std::size_t jwks_keys_max = 64;
inline constexpr std::size_t jwks_bytes_max = 256 * 1024;
inline constexpr std::size_t jwk_kid_bytes_max = 256;

struct JwkSet {
    std::vector<VerifyKey> keys;      // At least one.
    std::vector<std::string> skipped; // Which ones and why, one line each.
};

// Faults are one line and name the key.
Result<JwkSet> parse_jwks(std::string_view text);
Result<JwkSet> load_jwks(const std::string& path);

} // namespace anteroom::token
