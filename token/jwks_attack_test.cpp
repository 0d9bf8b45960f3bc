// What somebody without the login's private key may try, and what a careless reader would believe.
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>

#include "token/access.h"
#include "token/jwks.h"
#include "token/test_logins.h"

namespace anteroom::token {
namespace {

// All four kinds, named r, p, e and o.
AccessVerifier every_kind() {
    const Result<JwkSet> set =
        parse_jwks(jwks_of({rsa().jwk(R"(,"kid":"r")"), p256().jwk(R"(,"kid":"p")"),
                            ed25519().jwk(R"(,"kid":"e")"), oct().jwk(R"(,"kid":"o")")}));
    CHECK(set);
    return *AccessVerifier::from_jwks(*set);
}

AccessVerifier only(const Login& login, std::string_view more = {}) {
    return *AccessVerifier::from_jwks(*parse_jwks(jwks_of({login.jwk(more)})));
}

std::string verdict_of(AccessVerifier& verifier, std::string_view token) {
    const AccessVerdict verdict = verifier.verify(token, test_now);
    if (const Refusal* refusal = std::get_if<Refusal>(&verdict))
        return std::string(reason(*refusal));
    return "user";
}

std::string pem_of(const OpenSslKey& key) {
    BIO* memory = BIO_new(BIO_s_mem());
    CHECK(PEM_write_bio_PUBKEY(memory, key.get()) == 1);
    char* text = nullptr;
    const long size = BIO_get_mem_data(memory, &text);
    std::string out(text, static_cast<std::size_t>(size));
    BIO_free(memory);
    return out;
}

std::string named(std::string_view algorithm, std::string_view kid) {
    return R"({"alg":")" + std::string(algorithm) + R"(","kid":")" + std::string(kid) + R"("})";
}

std::string with_signature(const std::string& token, ByteView signature) {
    return token.substr(0, token.rfind('.') + 1) + base64url(signature);
}

std::vector<std::pair<const Login*, std::string>> kinds() {
    return {{&rsa(), "r"}, {&p256(), "p"}, {&ed25519(), "e"}, {&oct(), "o"}};
}

TEST(JwksAttack, APublicKeyIsNoSecret) {
    AccessVerifier all = every_kind();
    AccessVerifier sole = only(rsa());
    const Bytes modulus = number_of_key(rsa().key, OSSL_PKEY_PARAM_RSA_N);
    const std::string pem = pem_of(rsa().key);
    for (const std::string& secret :
         {pem, pem.substr(0, pem.size() - 1), std::string(text_of(modulus)), base64url(modulus),
          rsa().jwk(), rsa().jwk(R"(,"kid":"r")"), std::string()}) {
        for (const std::string_view header : {R"({"alg":"HS256"})", R"({"alg":"HS256","kid":"r"})",
                                              R"({"alg":"RS256","kid":"r"})", R"({"kid":"r"})"}) {
            const std::string token = forge(header, login_claims, secret);
            EXPECT_NE(verdict_of(all, token), "user") << header;
            EXPECT_NE(verdict_of(sole, token), "user") << header;
        }
    }
}

TEST(JwksAttack, TheAlgorithmIsTheKeysAndNoOther) {
    AccessVerifier verifier = every_kind();
    for (const auto& [login, kid] : kinds()) {
        for (const std::string_view algorithm :
             {"none", "None", "NONE", "", "HS256", "HS384", "HS512", "RS256", "RS384", "PS256",
              "ES256", "ES256K", "EdDSA", "Ed25519", "rs256"}) {
            const bool own = algorithm == login->algorithm;
            const std::string token = login->token(named(algorithm, kid), login_claims);
            EXPECT_EQ(verdict_of(verifier, token), own ? "user" : "wrong_algorithm")
                << kid << ' ' << algorithm;
            if (!own) {
                EXPECT_EQ(verdict_of(verifier, with_signature(token, {})), "wrong_algorithm");
            }
        }
        EXPECT_EQ(verdict_of(verifier, login->token(R"({"kid":")" + kid + R"("})", login_claims)),
                  "wrong_algorithm");
    }
}

TEST(JwksAttack, AKeyVerifiesOnlyUnderItsOwnName) {
    AccessVerifier verifier = every_kind();
    for (const auto& [login, own] : kinds())
        for (const std::string_view kid : {"r", "p", "e", "o", "x", "", "R", "r ", "../r"}) {
            const std::string verdict =
                verdict_of(verifier, login->token(named(login->algorithm, kid), login_claims));
            EXPECT_EQ(verdict == "user", kid == own) << own << ' ' << kid << ' ' << verdict;
        }
    const std::string twice = R"({"alg":"RS256","kid":"x","kid":"r"})";
    EXPECT_EQ(verdict_of(verifier, rsa().token(twice, login_claims)), "duplicate_member");
    EXPECT_EQ(verdict_of(verifier, rsa().token(R"({"alg":"RS256","kid":["r"]})", login_claims)),
              "bad_header");
    EXPECT_EQ(verdict_of(verifier, rsa().token(R"({"alg":"RS256","kid":null})", login_claims)),
              "bad_header");
    for (const std::string_view more :
         {R"(,"jwk":{"kty":"oct","k":"AAAA"})", R"(,"jku":"http://evil")",
          R"(,"x5u":"http://evil")", R"(,"x5c":["AAAA"])"})
        EXPECT_EQ(verdict_of(verifier, rsa().token(rsa().header(more), login_claims)),
                  "unexpected_header");
}

TEST(JwksAttack, AnotherKeyOfTheSameKindSignsInVain) {
    AccessVerifier verifier = every_kind();
    for (const Login& stranger :
         {rsa_login(), p256_login(), ed25519_login(), oct_login(entry_secret)})
        EXPECT_EQ(verdict_of(verifier, stranger.token(stranger.header(), login_claims)),
                  "bad_signature");
}

TEST(JwksAttack, P256SignaturesAreTwoNumbersAndNothingElse) {
    AccessVerifier verifier = only(p256());
    const std::string token = p256().token(p256().header(), login_claims);
    const std::string text = token.substr(0, token.rfind('.'));
    const Bytes raw = p256().sign(text);
    ASSERT_EQ(verdict_of(verifier, with_signature(token, raw)), "user");

    EXPECT_EQ(verdict_of(verifier,
                         with_signature(token, openssl_signature(p256().key, text, EVP_sha256()))),
              "bad_signature")
        << "DER";
    const auto part = [&](std::uint8_t fill, bool r) {
        Bytes out = raw;
        std::fill_n(out.begin() + (r ? 0 : 32), 32, fill);
        return with_signature(token, out);
    };
    for (const std::uint8_t fill : {std::uint8_t{0x00}, std::uint8_t{0xff}}) {
        EXPECT_EQ(verdict_of(verifier, part(fill, true)), "bad_signature");
        EXPECT_EQ(verdict_of(verifier, part(fill, false)), "bad_signature");
        EXPECT_EQ(verdict_of(verifier, with_signature(token, Bytes(64, fill))), "bad_signature");
    }
    for (const std::size_t size : {0u, 1u, 32u, 63u, 65u, 66u, 96u, 128u}) {
        Bytes out = raw;
        out.resize(size);
        EXPECT_EQ(verdict_of(verifier, with_signature(token, out)), "bad_signature") << size;
    }
    Bytes swapped(raw.begin() + 32, raw.end());
    swapped.insert(swapped.end(), raw.begin(), raw.begin() + 32);
    EXPECT_EQ(verdict_of(verifier, with_signature(token, swapped)), "bad_signature");
}

TEST(JwksAttack, RsaSignaturesHaveTheLengthOfTheModulus) {
    AccessVerifier verifier = only(rsa());
    const std::string token = rsa().token(rsa().header(), login_claims);
    const Bytes right = rsa().sign(token.substr(0, token.rfind('.')));
    ASSERT_EQ(right.size(), 256u);
    ASSERT_EQ(verdict_of(verifier, with_signature(token, right)), "user");
    for (const std::size_t size : {0u, 1u, 64u, 255u, 257u, 384u, 512u}) {
        Bytes out = right;
        out.resize(size);
        EXPECT_EQ(verdict_of(verifier, with_signature(token, out)), "bad_signature") << size;
    }
    Bytes behind_a_zero = right;
    behind_a_zero.insert(behind_a_zero.begin(), 0);
    EXPECT_EQ(verdict_of(verifier, with_signature(token, behind_a_zero)), "bad_signature");
    EXPECT_EQ(verdict_of(verifier, with_signature(token, Bytes(513))), "bad_encoding");
    EXPECT_EQ(verdict_of(verifier, with_signature(token, Bytes(256))), "bad_signature");
    const Bytes modulus = number_of_key(rsa().key, OSSL_PKEY_PARAM_RSA_N);
    EXPECT_EQ(verdict_of(verifier, with_signature(token, modulus)), "bad_signature");
    EXPECT_EQ(verdict_of(verifier,
                         with_signature(token, openssl_signature(rsa().key, "x", EVP_sha512()))),
              "bad_signature");
}

TEST(JwksAttack, NoBitOfATokenCanBeTurned) {
    AccessVerifier verifier = every_kind();
    for (const auto& [login, kid] : kinds()) {
        const std::string token = login->token(named(login->algorithm, kid), login_claims);
        ASSERT_EQ(verdict_of(verifier, token), "user");
        for (std::size_t at = 0; at < token.size(); ++at)
            for (int bit = 0; bit < 8; ++bit) {
                std::string turned = token;
                turned[at] = static_cast<char>(turned[at] ^ (1 << bit));
                ASSERT_NE(verdict_of(verifier, turned), "user") << kid << ' ' << at << ' ' << bit;
            }
        for (std::size_t size = 0; size < token.size(); ++size)
            ASSERT_NE(verdict_of(verifier, token.substr(0, size)), "user") << kid << ' ' << size;
        for (const std::string_view tail : {"=", "A", "AA", ".", " ", "\n", ".AAAA"})
            EXPECT_NE(verdict_of(verifier, token + std::string(tail)), "user") << kid << tail;
    }
}

TEST(JwksAttack, LeavesNothingInOpensslsQueueOfErrors) {
    AccessVerifier verifier = every_kind();
    ERR_clear_error();
    for (const auto& [login, kid] : kinds()) {
        const std::string token = login->token(named(login->algorithm, kid), login_claims);
        const std::size_t size = login == &rsa() ? 256 : 64;
        EXPECT_EQ(verdict_of(verifier, with_signature(token, Bytes(size, 0xff))), "bad_signature");
        EXPECT_EQ(ERR_peek_error(), 0u) << kid;
    }
    EXPECT_FALSE(parse_jwks(jwks_of(
        {R"({"kty":"EC","crv":"P-256")" + member("x", Bytes(32)) + member("y", Bytes(32)) + '}'})));
    EXPECT_EQ(ERR_peek_error(), 0u);
}

} // namespace
} // namespace anteroom::token
