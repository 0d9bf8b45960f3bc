// Ed25519 signatures (RFC 8032), so that an edge can check passes with a public key only.
//
// One verification takes about 120 µs and allocates inside OpenSSL: verify once, then exchange the
// pass for a session. Values; sign() and accepts() may be called from any thread.
#pragma once

#include <array>
#include <cstdint>

#include "token/bytes.h"
#include "token/openssl_key.h"

namespace anteroom::token {

using Ed25519Seed = std::array<std::uint8_t, 32>;
using Ed25519Point = std::array<std::uint8_t, 32>;
using Ed25519Signature = std::array<std::uint8_t, 64>;

class Ed25519PrivateKey {
  public:
    // REQUIRES: seed has 32 bytes.
    explicit Ed25519PrivateKey(ByteView seed);
    Ed25519Signature sign(ByteView message) const;
    Ed25519Point public_point() const;

  private:
    OpenSslKey key_;
};

class Ed25519PublicKey {
  public:
    explicit Ed25519PublicKey(const Ed25519Point& point);
    bool accepts(ByteView message, ByteView signature) const;

  private:
    OpenSslKey key_;
};

} // namespace anteroom::token
