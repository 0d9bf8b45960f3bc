#include "token/ed25519.h"

#include <memory>

#include "base/check.h"

namespace anteroom::token {
namespace {

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

std::unique_ptr<EVP_MD_CTX, FreeContext> new_context() {
    std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
    CHECK(context);
    return context;
}

} // namespace

Ed25519PrivateKey::Ed25519PrivateKey(ByteView seed)
    : key_(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size())) {
    CHECK(seed.size() == Ed25519Seed().size());
    CHECK(key_);
}

Ed25519Signature Ed25519PrivateKey::sign(ByteView message) const {
    const auto context = new_context();
    Ed25519Signature signature;
    std::size_t size = signature.size();
    CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
    CHECK(EVP_DigestSign(context.get(), signature.data(), &size, message.data(), message.size()) ==
          1);
    CHECK(size == signature.size());
    return signature;
}

Ed25519Point Ed25519PrivateKey::public_point() const {
    Ed25519Point point;
    std::size_t size = point.size();
    CHECK(EVP_PKEY_get_raw_public_key(key_.get(), point.data(), &size) == 1);
    CHECK(size == point.size());
    return point;
}

Ed25519PublicKey::Ed25519PublicKey(const Ed25519Point& point)
    : key_(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, point.data(), point.size())) {
    CHECK(key_);
}

bool Ed25519PublicKey::accepts(ByteView message, ByteView signature) const {
    if (signature.size() != Ed25519Signature().size()) return false;
    const QuietErrors quiet;
    const auto context = new_context();
    CHECK(EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
    return EVP_DigestVerify(context.get(), signature.data(), signature.size(), message.data(),
                            message.size()) == 1;
}

} // namespace anteroom::token
