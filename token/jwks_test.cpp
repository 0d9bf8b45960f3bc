#include "token/jwks.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "token/access.h"
#include "token/test_logins.h"

namespace anteroom::token {
namespace {

std::string fault_of(const std::string& text) {
    const Result<JwkSet> set = parse_jwks(text);
    return set ? "none" : set.fault().reason;
}

AccessVerifier verifier_of(const std::vector<std::string>& keys, std::string_view secret = {}) {
    const Result<JwkSet> set = parse_jwks(jwks_of(keys));
    CHECK(set);
    Result<AccessVerifier> verifier = AccessVerifier::from_jwks(*set, secret);
    CHECK(verifier);
    return *std::move(verifier);
}

std::string verdict_of(AccessVerifier& verifier, std::string_view token) {
    const AccessVerdict verdict = verifier.verify(token, test_now);
    if (const Refusal* refusal = std::get_if<Refusal>(&verdict))
        return std::string(reason(*refusal));
    return "user " + std::string(std::get<AccessUser>(verdict).user_id);
}

TEST(Jwks, VerifiesWhatEachKindOfKeySigns) {
    AccessVerifier verifier =
        verifier_of({rsa().jwk(R"(,"kid":"r","use":"sig","alg":"RS256")"),
                     p256().jwk(R"(,"kid":"p","key_ops":["verify"],"x5c":["a","b\n"])"),
                     ed25519().jwk(R"(,"kid":"e","alg":"EdDSA","key_ops":["sign","verify"])"),
                     oct().jwk(R"(,"kid":"o","alg":"HS256")")});
    const std::pair<const Login*, const char*> named[] = {
        {&rsa(), "r"}, {&p256(), "p"}, {&ed25519(), "e"}, {&oct(), "o"}};
    for (const auto& [login, kid] : named) {
        const std::string more = R"(,"kid":")" + std::string(kid) + '"';
        EXPECT_EQ(verdict_of(verifier, login->token(login->header(more), login_claims)),
                  "user u-1");
        EXPECT_EQ(verdict_of(verifier, login->token(login->header(), login_claims)), "user u-1");
        EXPECT_EQ(verdict_of(verifier, login->token(login->header(), R"({"userId":"u"})")),
                  "bad_time");
        EXPECT_EQ(verdict_of(verifier,
                             login->token(login->header(),
                                          R"({"userId":"u","type":"refresh","exp":1700001800})")),
                  "wrong_token_type");
    }
}

// RFC 7515, appendices A.2 and A.3; RFC 8037, appendix A.4.
TEST(Jwks, AcceptsTheSignaturesOfTheRfcs) {
    const std::string joe =
        ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    struct Vector {
        std::string key, algorithm, text, signature;
    };
    const Vector vectors[] = {
        {R"({"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"})",
         "RS256", "eyJhbGciOiJSUzI1NiJ9" + joe,
         "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"},
        {R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})",
         "ES256", "eyJhbGciOiJFUzI1NiJ9" + joe,
         "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"},
        {R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})",
         "EdDSA", "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
         "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"},
    };
    for (const Vector& vector : vectors) {
        const Result<JwkSet> set = parse_jwks(jwks_of({vector.key}));
        ASSERT_TRUE(set) << set.fault().reason;
        const VerifyKey& key = set->keys.at(0);
        EXPECT_EQ(key.algorithm(), vector.algorithm);
        Bytes signature(1'024);
        const auto size = read_base64url(vector.signature, signature);
        ASSERT_TRUE(size);
        signature.resize(*size);
        EXPECT_TRUE(key.accepts(vector.text, signature)) << vector.algorithm;
        EXPECT_FALSE(key.accepts(vector.text + 'x', signature)) << vector.algorithm;
    }
}

TEST(Jwks, ATokenWithoutANameMustLeaveNoDoubt) {
    const Login other = p256_login();
    AccessVerifier two = verifier_of({p256().jwk(R"(,"kid":"a")"), other.jwk(R"(,"kid":"b")")});
    for (const Login* login : {&p256(), &other}) {
        EXPECT_EQ(verdict_of(two, login->token(login->header(), login_claims)), "unknown_key");
        EXPECT_EQ(verdict_of(two, login->token(login->header(R"(,"kid":"")"), login_claims)),
                  "unknown_key");
    }
    EXPECT_EQ(verdict_of(two, p256().token(p256().header(R"(,"kid":"a")"), login_claims)),
              "user u-1");
    EXPECT_EQ(verdict_of(two, other.token(other.header(R"(,"kid":"b")"), login_claims)),
              "user u-1");

    // A key without a name verifies tokens without a name, and no others.
    AccessVerifier unnamed = verifier_of({p256().jwk()});
    EXPECT_EQ(verdict_of(unnamed, p256().token(p256().header(), login_claims)), "user u-1");
    EXPECT_EQ(verdict_of(unnamed, p256().token(p256().header(R"(,"kid":"a")"), login_claims)),
              "unknown_key");
    EXPECT_EQ(verdict_of(unnamed, p256().token(p256().header(R"(,"kid":"")"), login_claims)),
              "unknown_key");
}

TEST(Jwks, TheSecretIsOneMoreKeyWithoutAName) {
    const Login secret = oct_login(entry_secret);
    AccessVerifier beside = verifier_of({rsa().jwk(R"(,"kid":"r")")}, entry_secret);
    EXPECT_EQ(verdict_of(beside, secret.token(secret.header(), login_claims)), "user u-1");
    EXPECT_EQ(verdict_of(beside, secret.token(secret.header(R"(,"kid":"r")"), login_claims)),
              "wrong_algorithm");
    EXPECT_EQ(verdict_of(beside, rsa().token(rsa().header(R"(,"kid":"r")"), login_claims)),
              "user u-1");

    AccessVerifier doubtful = verifier_of({oct().jwk(R"(,"kid":"o")")}, entry_secret);
    EXPECT_EQ(verdict_of(doubtful, secret.token(secret.header(), login_claims)), "unknown_key");
    EXPECT_EQ(verdict_of(doubtful, oct().token(oct().header(R"(,"kid":"o")"), login_claims)),
              "user u-1");

    const Result<JwkSet> set = parse_jwks(jwks_of({rsa().jwk()}));
    EXPECT_EQ(AccessVerifier::from_jwks(*set, "short").fault().reason,
              "secret of access tokens: a secret needs at least 32 bytes, this one has 5");
}

TEST(Jwks, SkipsKeysForSomethingElseAndSaysSo) {
    const Result<JwkSet> set = parse_jwks(
        jwks_of({R"({"kty":"AKP","kid":"pq"})", R"({"kty":"EC","crv":"P-384","kid":"big"})",
                 R"({"kty":"OKP","crv":"X25519"})",
                 rsa().jwk(R"(,"kid":"enc","use":"enc","alg":"RSA-OAEP")"),
                 rsa().jwk(R"(,"kid":"pss","alg":"PS256")"),
                 ed25519().jwk(R"(,"kid":"ops","key_ops":["encrypt"])"),
                 p256().jwk(R"(,"kid":"odd","key_ops":"verify")"), p256().jwk(R"(,"kid":"p")")}));
    ASSERT_TRUE(set) << set.fault().reason;
    ASSERT_EQ(set->keys.size(), 1u);
    EXPECT_EQ(set->keys[0].kid(), "p");
    EXPECT_EQ(set->skipped, (std::vector<std::string>{
                                R"(key 1 "pq": kty "AKP" is not known here)",
                                R"(key 2 "big": the curve "P-384" is not known here)",
                                R"(key 3: the curve "X25519" is not known here)",
                                R"(key 4 "enc": use is "enc", not "sig")",
                                R"(key 5 "pss": alg is "PS256", not "RS256")",
                                R"(key 6 "ops": key_ops is not a list with "verify")",
                                R"(key 7 "odd": key_ops is not a list with "verify")",
                            }));
    EXPECT_EQ(fault_of(jwks_of({R"({"kty":"AKP","kid":"pq"})", R"({"kty":"OKP","crv":"Ed448"})"})),
              "it has no key that could be used; key 1 \"pq\": kty \"AKP\" is not known here; "
              "key 2: the curve \"Ed448\" is not known here");
}

TEST(Jwks, RefusesASetThatIsNone) {
    const std::pair<std::string, std::string> rows[] = {
        {"", "it is not one JSON object"},
        {"[]", "it is not one JSON object"},
        {R"({"keys":[]} x)", "it is not one JSON object"},
        {R"({"keys":[],"keys":[]})", "a member stands twice"},
        {rsa().jwk(), "it has no list \"keys\", so it is no JWK Set"},
        {R"({"keys":{}})", "it has no list \"keys\", so it is no JWK Set"},
        {R"({"keys":[]})", "it has no key that could be used"},
        {R"({"keys":[1]})", "key 1: it is no object"},
        {R"({"keys":[{}]})", "key 1: kty is missing"},
        {R"({"keys":[{"kty":7}]})", "key 1: kty must be a text"},
        {jwks_of(std::vector<std::string>(65, R"({"kty":"AKP"})")), "it has more than 64 keys"},
    };
    for (const auto& [text, expected] : rows) EXPECT_EQ(fault_of(text), expected) << text;
    EXPECT_TRUE(fault_of(jwks_of(std::vector<std::string>(64, R"({"kty":"AKP"})")))
                    .starts_with("it has no key that could be used; key 1: kty"));
}

TEST(Jwks, RefusesAKeyThatIsWrongAndNamesIt) {
    const auto key = [](std::string members) { return jwks_of({'{' + std::move(members) + '}'}); };
    const std::string p256_x = p256().members.substr(0, p256().members.find(",\"y\""));
    const std::string weak = rsa_login(1'024).jwk(R"(,"kid":"w")");
    const std::string even = [] {
        Bytes modulus = number_of_key(rsa().key, OSSL_PKEY_PARAM_RSA_N);
        modulus.back() &= 0xfe;
        return R"("kty":"RSA","e":"AQAB")" + member("n", modulus);
    }();
    const std::string padded = [] {
        Bytes modulus = number_of_key(rsa().key, OSSL_PKEY_PARAM_RSA_N);
        modulus.insert(modulus.begin(), 0);
        return R"("kty":"RSA","e":"AQAB")" + member("n", modulus);
    }();
    const auto exponent = [](std::string_view e) {
        return R"("kty":"RSA")" + member("n", number_of_key(rsa().key, OSSL_PKEY_PARAM_RSA_N)) +
               R"(,"e":")" + std::string(e) + '"';
    };
    const std::string odd_exponent =
        "key 1: the RSA exponent must be an odd number from 3 to 32 bits";
    const std::pair<std::string, std::string> rows[] = {
        {jwks_of({weak}), "key 1 \"w\": an RSA key needs 2048 to 4096 bits, this one has 1024"},
        {key(even), "key 1: the RSA modulus is not one"},
        {key(padded), "key 1: the RSA modulus begins with zeros"},
        {key(exponent("AQ")), odd_exponent},
        {key(exponent("AQAC")), odd_exponent},
        {key(exponent("AQAAAAAB")), odd_exponent},
        {key(exponent("AAEAAQ")), odd_exponent},
        {key(exponent("")), "key 1: n or e is not base64url"},
        {key(exponent("AQAB=")), "key 1: n or e is not base64url"},
        {key(R"("kty":"RSA","e":"AQAB")"), "key 1: n or e is not base64url"},
        {key(p256_x), "key 1: x or y is not base64url"},
        {key(p256_x + R"(,"y":"AAAA")"), "key 1: x and y of a P-256 key must have 32 bytes each"},
        {key(p256_x + member("y", Bytes(32, 7))), "key 1: x and y are no point of P-256"},
        {key(R"("kty":"EC","crv":"P-256")" + member("x", Bytes(32)) + member("y", Bytes(32))),
         "key 1: x and y are no point of P-256"},
        {key(R"("kty":"OKP","crv":"Ed25519","x":"AAAA")"), "key 1: x is not base64url of 32 bytes"},
        {key(R"("kty":"oct","k":"c2hvcnQ")"),
         "key 1: a secret needs at least 32 bytes, this one has 5"},
        {key(R"("kty":"oct","k":"no base64")"), "key 1: k is not base64url"},
        {key(R"("kty":"oct")"), "key 1: k is not base64url"},
        {jwks_of({rsa().jwk(R"(,"alg":"HS256")")}), R"(key 1: alg is "HS256", not "RS256")"},
        {jwks_of({oct().jwk(R"(,"alg":"RS256")")}), R"(key 1: alg is "RS256", not "HS256")"},
        {jwks_of({p256().jwk(R"(,"alg":"EdDSA")")}), R"(key 1: alg is "EdDSA", not "ES256")"},
        {jwks_of({p256().jwk(R"(,"kid":"a")"), rsa().jwk(R"(,"kid":"a")")}),
         "key 2 \"a\": its kid stands twice"},
        {jwks_of({p256().jwk(R"(,"kid":"a","ki\u0064":"b")")}), "key 1: a member stands twice"},
        {jwks_of({p256().jwk(R"(,"kid":"")")}), "key 1: kid must have 1 to 256 bytes"},
        {jwks_of({p256().jwk(R"(,"kid":7)")}), "key 1: kid must be a text"},
        {jwks_of({p256().jwk(R"(,"use":["sig"])")}), "key 1: use must be a text"},
    };
    for (const auto& [text, expected] : rows) EXPECT_EQ(fault_of(text), expected) << text;
    for (const std::string name : {"d", "p", "q", "dp", "dq", "qi", "oth", "k"})
        for (const Login* login : {&rsa(), &p256(), &ed25519()})
            EXPECT_EQ(fault_of(jwks_of({login->jwk(R"(,"kid":"s",")" + name + R"(":"c2VjcmV0")")})),
                      "key 1 \"s\": it holds a private key (" + name +
                          "): publish only the public half, and make a new key");
}

TEST(Jwks, SaysTheNameOfAKeyInOneLine) {
    EXPECT_EQ(fault_of(jwks_of({R"({"kty":"RSA","kid":"a\nb\"c"})"})),
              R"(key 1 "a\nb\"c": n or e is not base64url)");
}

TEST(Jwks, CopiesOfASetVerifyAfterItIsGone) {
    std::optional<AccessVerifier> verifier;
    {
        const Result<JwkSet> set = parse_jwks(jwks_of({rsa().jwk(), p256().jwk()}));
        verifier.emplace(*AccessVerifier::from_jwks(*set));
    }
    EXPECT_EQ(verdict_of(*verifier, rsa().token(rsa().header(), login_claims)), "user u-1");
    EXPECT_EQ(verdict_of(*verifier, p256().token(p256().header(), login_claims)), "user u-1");
}

TEST(JwksFile, IsReadWholeOrRefusedWithItsPath) {
    const std::string path =
        (std::filesystem::path(::testing::TempDir()) / ("jwks-" + std::to_string(getpid())))
            .string();
    const auto fault_of_file = [&](const std::string& text) {
        std::ofstream(path, std::ios::binary) << text;
        const Result<JwkSet> set = load_jwks(path);
        return set ? "none" : set.fault().reason;
    };
    const std::string good = jwks_of({p256().jwk()});
    EXPECT_EQ(fault_of_file(good), "none");
    EXPECT_EQ(fault_of_file(good + std::string(jwks_bytes_max - good.size(), ' ')), "none");
    EXPECT_EQ(fault_of_file(good + std::string(jwks_bytes_max - good.size() + 1, ' ')),
              path + " has more than 262144 bytes");
    EXPECT_EQ(fault_of_file(good.substr(0, good.size() / 2)), path + ": it is not one JSON object");
    std::filesystem::remove(path);
    EXPECT_EQ(load_jwks(path).fault().reason,
              path + " cannot be opened: No such file or directory");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(load_jwks(path).fault().reason, path + " is not a regular file");
    std::filesystem::remove(path);
}

} // namespace
} // namespace anteroom::token
