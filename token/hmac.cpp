// SHA256_* is marked deprecated in favour of EVP, which cannot copy a state without allocating.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "token/hmac.h"

#include <openssl/crypto.h>

#include <algorithm>

namespace anteroom::token {
namespace {

constexpr std::size_t block_bytes = 64;
using Block = std::array<std::uint8_t, block_bytes>;

SHA256_CTX state_after_pad(const Block& key, std::uint8_t pad) {
    Block padded = key;
    for (std::uint8_t& byte : padded) byte = static_cast<std::uint8_t>(byte ^ pad);
    SHA256_CTX state{};
    SHA256_Init(&state);
    SHA256_Update(&state, padded.data(), padded.size());
    OPENSSL_cleanse(padded.data(), padded.size());
    return state;
}

} // namespace

Hmac::Hmac(ByteView key) {
    Block block{};
    if (key.size() > block_bytes)
        SHA256(key.data(), key.size(), block.data()); // RFC 2104: a longer key is hashed first.
    else
        std::copy(key.begin(), key.end(), block.begin());
    inner_ = state_after_pad(block, 0x36);
    outer_ = state_after_pad(block, 0x5c);
    OPENSSL_cleanse(block.data(), block.size());
}

Hmac::~Hmac() {
    OPENSSL_cleanse(&inner_, sizeof inner_);
    OPENSSL_cleanse(&outer_, sizeof outer_);
}

Digest Hmac::sign(ByteView message) const {
    Digest digest;
    SHA256_CTX state = inner_;
    SHA256_Update(&state, message.data(), message.size());
    SHA256_Final(digest.data(), &state);
    state = outer_;
    SHA256_Update(&state, digest.data(), digest.size());
    SHA256_Final(digest.data(), &state);
    return digest;
}

Hmac Hmac::derive(std::string_view label) const {
    return Hmac(sign(label));
}

bool equal_in_constant_time(ByteView left, ByteView right) {
    return left.size() == right.size() &&
           CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

} // namespace anteroom::token
