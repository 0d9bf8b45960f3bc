// Keys and forged tokens for the tests of this folder.
#pragma once

#include <string>
#include <string_view>

#include "base/check.h"
#include "token/base64.h"
#include "token/hmac.h"
#include "token/key_ring.h"

namespace anteroom::token {

inline constexpr UnixSeconds test_now{1'700'000'000};
inline constexpr std::string_view outer_secret = "vwr-test-secret-0123456789abcdef";
inline constexpr std::string_view entry_secret = "entry-test-secret-0123456789abcd";
inline constexpr std::string_view ticket_secret = "ticket-test-secret-0123456789abc";
inline constexpr std::string_view visitor_secret = "visitor-test-secret-0123456789ab";
inline constexpr std::string_view test_room = "11111111-2222-3333-4444-555555555555";

inline KeyRing test_ring() {
    Result<KeyRing> ring = KeyRing::generate(test_now);
    CHECK(ring);
    CHECK(ring->configure(Purpose::ticket, ticket_secret));
    CHECK(ring->configure(Purpose::outer, outer_secret));
    CHECK(ring->configure(Purpose::entry, entry_secret));
    CHECK(ring->configure(Purpose::visitor, visitor_secret));
    return *std::move(ring);
}

inline KeyRing generated_ring() {
    Result<KeyRing> ring = KeyRing::generate(test_now);
    CHECK(ring);
    return *std::move(ring);
}

// Any header and any claims, properly signed: what can be forged with the secret.
inline std::string forge(std::string_view header, std::string_view claims,
                         std::string_view secret) {
    std::string token = base64url(bytes_of(header)) + '.' + base64url(bytes_of(claims));
    const Digest signature = Hmac(bytes_of(secret)).sign(token);
    return token + '.' + base64url(signature);
}

} // namespace anteroom::token
