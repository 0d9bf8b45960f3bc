// SHA256_* is marked deprecated in favour of EVP, which cannot copy a state without allocating.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "token/hmac.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <span>

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

// The digest of what `seen` stands for, one block, and a message that fits into the last one: the
// length and all, that is a single step of SHA-256. SHA256_Update and SHA256_Final cost as much
// again for their bookkeeping.
constexpr std::size_t short_bytes_max = block_bytes - 9;

template <std::size_t Extent>
Digest finish_short(const SHA256_CTX& seen, std::span<const std::uint8_t, Extent> message) {
    SHA256_CTX state = seen;
    Block last{};
    std::copy(message.begin(), message.end(), last.begin());
    last[message.size()] = 0x80;
    store_number<8>(&last[block_bytes - 8], (block_bytes + message.size()) * 8);
    SHA256_Transform(&state, last.data());
    Digest digest;
    for (std::size_t i = 0; i < 8; ++i) store_number<4>(&digest[i * 4], state.h[i]);
    return digest;
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
    if (message.size() <= short_bytes_max) {
        const Digest inner = finish_short(inner_, message);
        return finish_short(outer_, std::span(inner));
    }
    Digest inner;
    SHA256_CTX state = inner_;
    SHA256_Update(&state, message.data(), message.size());
    SHA256_Final(inner.data(), &state);
    return finish_short(outer_, std::span<const std::uint8_t, sizeof inner>(inner));
}

Hmac Hmac::derive(std::string_view label) const {
    return Hmac(sign(label));
}

bool equal_in_constant_time(ByteView left, ByteView right) {
    return left.size() == right.size() &&
           CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

} // namespace anteroom::token
