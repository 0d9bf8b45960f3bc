// Logins for tests: keys made on the spot, what they publish and what they sign.
#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "token/base64.h"
#include "token/openssl_key.h"
#include "token/test_keys.h"

namespace anteroom::token {

using Bytes = std::vector<std::uint8_t>;

inline Bytes number_bytes(const BIGNUM* number, std::size_t width = 0) {
    Bytes out(std::max(width, static_cast<std::size_t>(BN_num_bytes(number))));
    CHECK(BN_bn2binpad(number, out.data(), static_cast<int>(out.size())) >= 0);
    return out;
}

inline Bytes number_of_key(const OpenSslKey& key, const char* name, std::size_t width = 0) {
    BIGNUM* number = nullptr;
    CHECK(EVP_PKEY_get_bn_param(key.get(), name, &number) == 1);
    Bytes out = number_bytes(number, width);
    BN_free(number);
    return out;
}

inline std::string member(std::string_view name, ByteView bytes) {
    return ",\"" + std::string(name) + "\":\"" + base64url(bytes) + '"';
}

// As OpenSSL signs: DER for P-256.
inline Bytes openssl_signature(const OpenSslKey& key, std::string_view text, const EVP_MD* digest) {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    Bytes out(1'024);
    std::size_t size = out.size();
    CHECK(EVP_DigestSignInit(context, nullptr, digest, nullptr, key.get()) == 1);
    CHECK(EVP_DigestSign(context, out.data(), &size, bytes_of(text).data(), text.size()) == 1);
    EVP_MD_CTX_free(context);
    out.resize(size);
    return out;
}

inline Bytes raw_from_der(const Bytes& der) {
    const std::uint8_t* at = der.data();
    ECDSA_SIG* numbers = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
    CHECK(numbers != nullptr);
    Bytes out = number_bytes(ECDSA_SIG_get0_r(numbers), 32);
    const Bytes s = number_bytes(ECDSA_SIG_get0_s(numbers), 32);
    out.insert(out.end(), s.begin(), s.end());
    ECDSA_SIG_free(numbers);
    return out;
}

struct Login {
    std::string algorithm;
    std::string members; // Of its JWK, without the braces.
    OpenSslKey key{nullptr};
    std::string secret{};

    // `more` is put behind the key's own members: ,"kid":"a"
    std::string jwk(std::string_view more = {}) const {
        return '{' + members + std::string(more) + '}';
    }

    Bytes sign(std::string_view text) const {
        if (algorithm == "RS256") return openssl_signature(key, text, EVP_sha256());
        if (algorithm == "ES256") return raw_from_der(openssl_signature(key, text, EVP_sha256()));
        if (algorithm == "EdDSA") return openssl_signature(key, text, nullptr);
        const auto digest = Hmac(bytes_of(secret)).sign(text);
        return {digest.begin(), digest.end()};
    }

    // A token with this header and these claims, whatever they say.
    std::string token(std::string_view header, std::string_view claims) const {
        std::string text = base64url(bytes_of(header)) + '.' + base64url(bytes_of(claims));
        return text + '.' + base64url(sign(text));
    }

    std::string header(std::string_view more = {}) const {
        return R"({"alg":")" + algorithm + '"' + std::string(more) + '}';
    }
};

inline Login rsa_login(unsigned bits = 2'048) {
    Login login{.algorithm = "RS256", .members = {}, .key = OpenSslKey(EVP_RSA_gen(bits))};
    login.members = R"("kty":"RSA")" +
                    member("n", number_of_key(login.key, OSSL_PKEY_PARAM_RSA_N)) +
                    member("e", number_of_key(login.key, OSSL_PKEY_PARAM_RSA_E));
    return login;
}

inline Login p256_login() {
    Login login{.algorithm = "ES256", .members = {}, .key = OpenSslKey(EVP_EC_gen("P-256"))};
    login.members = R"("kty":"EC","crv":"P-256")" +
                    member("x", number_of_key(login.key, OSSL_PKEY_PARAM_EC_PUB_X, 32)) +
                    member("y", number_of_key(login.key, OSSL_PKEY_PARAM_EC_PUB_Y, 32));
    return login;
}

inline Login ed25519_login() {
    Login login{.algorithm = "EdDSA",
                .members = {},
                .key = OpenSslKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"))};
    Bytes point(32);
    std::size_t size = point.size();
    CHECK(EVP_PKEY_get_raw_public_key(login.key.get(), point.data(), &size) == 1);
    login.members = R"("kty":"OKP","crv":"Ed25519")" + member("x", point);
    return login;
}

inline Login oct_login(std::string_view secret) {
    return {.algorithm = "HS256",
            .members = R"("kty":"oct")" + member("k", bytes_of(secret)),
            .secret = std::string(secret)};
}

// Made once: an RSA key takes a while.
inline const Login& rsa() {
    static const Login login = rsa_login();
    return login;
}
inline const Login& p256() {
    static const Login login = p256_login();
    return login;
}
inline const Login& ed25519() {
    static const Login login = ed25519_login();
    return login;
}
inline const Login& oct() {
    static const Login login = oct_login(outer_secret);
    return login;
}

inline std::string jwks_of(const std::vector<std::string>& keys) {
    std::string out = R"({"keys":[)";
    for (std::size_t i = 0; i < keys.size(); ++i) out += (i > 0 ? "," : "") + keys[i];
    return out + "]}";
}

inline constexpr std::string_view login_claims =
    R"({"userId":"u-1","type":"access","iat":1700000000,"exp":1700001800})";

} // namespace anteroom::token
