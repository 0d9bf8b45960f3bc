#include "store/redis/script.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"

namespace anteroom::redis {
namespace {

std::string sha1(std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hexadecimal;
    for (unsigned i = 0; i < size; ++i) {
        hexadecimal += digits[digest[i] >> 4u];
        hexadecimal += digits[digest[i] & 15u];
    }
    return hexadecimal;
}

} // namespace

Script::Script(std::string_view source)
    : body_(std::make_shared<Body>(Body{.source = std::string(source), .sha = sha1(source)})) {}

} // namespace anteroom::redis
