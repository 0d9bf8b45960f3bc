#include "store/redis/script.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"
#include "base/text.h"

namespace anteroom::redis {
namespace {

std::string sha1(std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1);
    return to_hex(std::span(digest).first(size));
}

} // namespace

Script::Script(std::string_view source)
    : body_(std::make_shared<Body>(Body{.source = std::string(source), .sha = sha1(source)})) {}

} // namespace anteroom::redis
