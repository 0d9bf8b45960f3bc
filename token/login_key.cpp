#include "token/login_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <string>

#include "base/check.h"

namespace anteroom::token {
namespace {

template <auto Release>
struct Free {
    template <class T>
    void operator()(T* object) const {
        Release(object);
    }
};
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;
using Context = std::unique_ptr<EVP_PKEY_CTX, Free<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, Free<OSSL_PARAM_BLD_free>>;
using Parameters = std::unique_ptr<OSSL_PARAM, Free<OSSL_PARAM_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Free<ECDSA_SIG_free>>;

Number number_of(ByteView bytes) {
    Number number(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
    CHECK(number);
    return number;
}

// A key of these parameters that OpenSSL finds sound, or none.
OpenSslKey key_of(const char* kind, OSSL_PARAM* parameters) {
    const QuietErrors quiet;
    const Context context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
    CHECK(context && EVP_PKEY_fromdata_init(context.get()) == 1);
    EVP_PKEY* made = nullptr;
    if (EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        return OpenSslKey(nullptr);
    OpenSslKey key(made);
    const Context check(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
    CHECK(check);
    return EVP_PKEY_public_check(check.get()) == 1 ? key : OpenSslKey(nullptr);
}

bool verifies(const OpenSslKey& key, ByteView message, ByteView signature) {
    const QuietErrors quiet;
    const DigestContext digest(EVP_MD_CTX_new());
    CHECK(digest);
    CHECK(EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1);
    return EVP_DigestVerify(digest.get(), signature.data(), signature.size(), message.data(),
                            message.size()) == 1;
}

std::size_t bits_of(ByteView number) {
    if (number.empty()) return 0;
    return (number.size() - 1) * 8 + static_cast<std::size_t>(std::bit_width(number[0]));
}

bool is_odd(ByteView number) {
    return !number.empty() && number.back() % 2 == 1;
}

} // namespace

Result<RsaPublicKey> RsaPublicKey::from_numbers(ByteView modulus, ByteView exponent) {
    const std::size_t bits = bits_of(modulus);
    if (bits < rsa_bits_min || bits > rsa_bits_max)
        return Fault{"an RSA key needs " + std::to_string(rsa_bits_min) + " to " +
                     std::to_string(rsa_bits_max) + " bits, this one has " + std::to_string(bits)};
    if (modulus[0] == 0) return Fault{"the RSA modulus begins with zeros"};
    // With the exponent 1 a message would be its own signature; a huge one only costs time.
    const std::size_t exponent_bits = bits_of(exponent);
    if (exponent_bits < 2 || exponent_bits > 32 || exponent[0] == 0 || !is_odd(exponent))
        return Fault{"the RSA exponent must be an odd number from 3 to 32 bits"};
    if (!is_odd(modulus)) return Fault{"the RSA modulus is not one"};

    const Number n = number_of(modulus);
    const Number e = number_of(exponent);
    const Builder builder(OSSL_PARAM_BLD_new());
    CHECK(builder && OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) == 1 &&
          OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) == 1);
    const Parameters parameters(OSSL_PARAM_BLD_to_param(builder.get()));
    CHECK(parameters);
    OpenSslKey key = key_of("RSA", parameters.get());
    if (!key) return Fault{"the RSA modulus is not one"};
    return RsaPublicKey(std::move(key));
}

bool RsaPublicKey::accepts(ByteView message, ByteView signature) const {
    if (signature.size() != static_cast<std::size_t>(EVP_PKEY_get_size(key_.get()))) return false;
    return verifies(key_, message, signature);
}

Result<P256PublicKey> P256PublicKey::from_point(ByteView x, ByteView y) {
    if (x.size() != p256_number_bytes || y.size() != p256_number_bytes)
        return Fault{"x and y of a P-256 key must have 32 bytes each"};
    std::array<std::uint8_t, 1 + 2 * p256_number_bytes> point{POINT_CONVERSION_UNCOMPRESSED};
    std::copy(y.begin(), y.end(), std::copy(x.begin(), x.end(), point.begin() + 1));

    const Builder builder(OSSL_PARAM_BLD_new());
    CHECK(builder &&
          OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) ==
              1 &&
          OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                           point.size()) == 1);
    const Parameters parameters(OSSL_PARAM_BLD_to_param(builder.get()));
    CHECK(parameters);
    OpenSslKey key = key_of("EC", parameters.get());
    if (!key) return Fault{"x and y are no point of P-256"};
    return P256PublicKey(std::move(key));
}

bool P256PublicKey::accepts(ByteView message, ByteView signature) const {
    if (signature.size() != 2 * p256_number_bytes) return false;
    const Signature numbers(ECDSA_SIG_new());
    CHECK(numbers);
    // The signature owns the numbers from here on.
    CHECK(ECDSA_SIG_set0(numbers.get(), number_of(signature.first(p256_number_bytes)).release(),
                         number_of(signature.last(p256_number_bytes)).release()) == 1);
    std::array<std::uint8_t, 80> der; // At most 72 bytes: two numbers of 33 bytes with their heads.
    std::uint8_t* end = der.data();
    CHECK(i2d_ECDSA_SIG(numbers.get(), nullptr) <= static_cast<int>(der.size()));
    const int size = i2d_ECDSA_SIG(numbers.get(), &end);
    CHECK(size > 0);
    return verifies(key_, message, ByteView(der).first(static_cast<std::size_t>(size)));
}

} // namespace anteroom::token
