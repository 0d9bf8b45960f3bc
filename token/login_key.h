// The public keys that logins sign with besides Ed25519: RSA (RS256) and P-256 (ES256), as JWKs
// describe them (RFC 7518, section 6).
//
// Values; accepts() may be called from any thread and allocates inside OpenSSL.
#pragma once

#include "base/result.h"
#include "token/bytes.h"
#include "token/openssl_key.h"

namespace anteroom::token {

inline constexpr std::size_t rsa_bits_min = 2'048;
inline constexpr std::size_t rsa_bits_max = 4'096; // So that a signature fits into a token.
inline constexpr std::size_t p256_number_bytes = 32;

// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3).
class RsaPublicKey {
  public:
    // Big-endian, without leading zeros.
    static Result<RsaPublicKey> from_numbers(ByteView modulus, ByteView exponent);
    bool accepts(ByteView message, ByteView signature) const;

  private:
    explicit RsaPublicKey(OpenSslKey key) : key_(std::move(key)) {}
    OpenSslKey key_;
};

// ECDSA on P-256 with SHA-256; a signature is r and s of 32 bytes each (RFC 7518, section 3.4).
class P256PublicKey {
  public:
    // Big-endian, 32 bytes each.
    static Result<P256PublicKey> from_point(ByteView x, ByteView y);
    bool accepts(ByteView message, ByteView signature) const;

  private:
    explicit P256PublicKey(OpenSslKey key) : key_(std::move(key)) {}
    OpenSslKey key_;
};

} // namespace anteroom::token
