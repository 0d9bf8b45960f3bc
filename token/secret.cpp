#include "token/secret.h"

#include <openssl/rand.h>

#include <algorithm>
#include <bitset>

#include "base/text.h"
#include "token/base64.h"
#include "token/hmac.h"

namespace anteroom::token {
namespace {

constexpr std::size_t different_bytes_min = 8;

std::size_t different_bytes(ByteView bytes) {
    std::bitset<256> seen;
    for (const std::uint8_t byte : bytes) seen.set(byte);
    return seen.count();
}

} // namespace

Result<Secret> Secret::from_bytes(ByteView bytes) {
    if (bytes.size() < secret_bytes_min)
        return Fault{"a secret needs at least " + std::to_string(secret_bytes_min) +
                     " bytes, this one has " + std::to_string(bytes.size())};
    if (bytes.size() > secret_bytes_max)
        return Fault{"a secret has at most " + std::to_string(secret_bytes_max) +
                     " bytes, this one has " + std::to_string(bytes.size())};
    if (different_bytes(bytes) < different_bytes_min)
        return Fault{"the secret is too regular to be one"};
    return Secret(bytes);
}

Result<Secret> Secret::from_base64_or_text(std::string_view text) {
    std::optional<std::string> decoded = decode_base64(text);
    if (!decoded || decoded->size() < secret_bytes_min) return from_text(text);
    Result<Secret> secret = from_text(*decoded);
    OPENSSL_cleanse(decoded->data(), decoded->size());
    return secret;
}

Result<Secret> Secret::random() {
    std::array<std::uint8_t, secret_bytes_min> bytes;
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        return Fault{"the system gives no random bytes"};
    Result<Secret> secret = from_bytes(bytes);
    OPENSSL_cleanse(bytes.data(), bytes.size());
    return secret;
}

Fingerprint Secret::fingerprint() const {
    const Digest digest = Hmac(bytes_).sign("anteroom/1 key fingerprint");
    Fingerprint fingerprint;
    std::copy_n(digest.begin(), fingerprint.size(), fingerprint.begin());
    return fingerprint;
}

std::string Secret::masked() const {
    return std::to_string(bytes_.size()) + " bytes, fingerprint " + to_hex(fingerprint());
}

bool operator==(const Secret& left, const Secret& right) {
    return equal_in_constant_time(left.bytes_, right.bytes_);
}

} // namespace anteroom::token
