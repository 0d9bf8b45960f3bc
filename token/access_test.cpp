#include "token/access.h"

#include <gtest/gtest.h>

#include "token/test_keys.h"

namespace anteroom::token {
namespace {

constexpr std::string_view login_secret = "login-test-secret-of-the-site-0123456789";
constexpr std::string_view usual =
    R"({"sub":"u-1","userId":"u-1","email":"a@b.c","role":"admin","type":"access","iat":1700000000,"exp":1700001800})";

AccessVerifier verifier_with(AccessRules rules = {}, std::string_view secret = login_secret) {
    Result<AccessVerifier> verifier = AccessVerifier::from_secret(secret, std::move(rules));
    CHECK(verifier);
    return *std::move(verifier);
}

std::string login_token(std::string_view claims) {
    return forge(R"({"alg":"HS256"})", claims, login_secret);
}

std::string verdict_for(AccessVerifier& verifier, std::string_view claims) {
    const std::string token = login_token(claims);
    const AccessVerdict verdict = verifier.verify(token, test_now);
    if (const Refusal* refusal = std::get_if<Refusal>(&verdict))
        return std::string(reason(*refusal));
    return "user " + std::string(std::get<AccessUser>(verdict).user_id);
}

TEST(Access, TellsWhoTheUserIs) {
    AccessVerifier verifier = verifier_with();
    const std::string token = login_token(usual);
    const AccessVerdict verdict = verifier.verify(token, test_now);
    ASSERT_TRUE(std::holds_alternative<AccessUser>(verdict));
    const AccessUser& user = std::get<AccessUser>(verdict);
    EXPECT_EQ(user.user_id, "u-1");
    EXPECT_EQ(user.email, "a@b.c");
    EXPECT_EQ(user.role, "admin");
    EXPECT_EQ(user.expires_at, UnixSeconds{1'700'001'800});
}

TEST(Access, TakesTheSubjectWhenThereIsNoUserId) {
    AccessVerifier verifier = verifier_with();
    EXPECT_EQ(verdict_for(verifier, R"({"sub":"s","type":"access","exp":1700000001})"), "user s");
    EXPECT_EQ(verdict_for(verifier, R"({"userId":17,"type":"access","exp":1700000001})"),
              "user 17");
    EXPECT_EQ(verdict_for(verifier, R"({"sub":"s","userId":"u","type":"access","exp":1700000001})"),
              "user u");
    for (const std::string_view nobody :
         {R"({"type":"access","exp":1700000001})", R"({"sub":"","type":"access","exp":1700000001})",
          R"({"userId":null,"type":"access","exp":1700000001})"})
        EXPECT_EQ(verdict_for(verifier, nobody), "wrong_visitor");
    for (const std::string_view odd : {R"({"userId":-1,"type":"access","exp":1700000001})",
                                       R"({"userId":1.5,"type":"access","exp":1700000001})",
                                       R"({"userId":["u"],"type":"access","exp":1700000001})",
                                       R"({"sub":"s","role":{},"type":"access","exp":1700000001})"})
        EXPECT_EQ(verdict_for(verifier, odd), "bad_claims");
}

TEST(Access, IsNotGivenToARefreshToken) {
    AccessVerifier strict = verifier_with();
    AccessVerifier lenient = verifier_with({.type_required = false});
    for (const std::string_view type : {"\"refresh\"", "\"\"", "null", "\"ACCESS\""}) {
        const std::string claims =
            R"({"sub":"s","exp":1700000001,"type":)" + std::string(type) + '}';
        EXPECT_EQ(verdict_for(strict, claims), "wrong_token_type") << type;
        EXPECT_EQ(verdict_for(lenient, claims), "wrong_token_type") << type;
    }
    EXPECT_EQ(verdict_for(strict, R"({"sub":"s","exp":1700000001})"), "wrong_token_type");
    EXPECT_EQ(verdict_for(lenient, R"({"sub":"s","exp":1700000001})"), "user s");
}

TEST(Access, EndsWithTheToken) {
    AccessVerifier verifier = verifier_with();
    EXPECT_EQ(verdict_for(verifier, R"({"sub":"s","type":"access","exp":1700000000})"), "expired");
    EXPECT_EQ(verdict_for(verifier, R"({"sub":"s","type":"access"})"), "bad_time");
}

TEST(Access, HoldsIssuerAndAudienceToTheRules) {
    AccessVerifier plain = verifier_with();
    AccessVerifier ruled = verifier_with({.issuer = "login", .audience = "shop"});
    const auto claims = [](std::string_view more) {
        return R"({"sub":"s","type":"access","exp":1700000001)" + std::string(more) + '}';
    };
    EXPECT_EQ(verdict_for(plain, claims(R"(,"iss":"anyone")")), "user s");
    EXPECT_EQ(verdict_for(plain, claims(R"(,"aud":"others")")), "wrong_audience");
    EXPECT_EQ(verdict_for(ruled, claims(R"(,"iss":"login","aud":"shop")")), "user s");
    EXPECT_EQ(verdict_for(ruled, claims(R"(,"iss":"login")")), "wrong_audience");
    for (const std::string_view others :
         {R"("others")", R"("Shop")", R"("shop ")", R"("")", "null", "17", "true", R"({"shop":1})",
          "[]", R"(["others"])", R"(["shop",1])", R"([["shop"]])", R"(["shop",null])",
          R"(["shop","1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g"])"})
        EXPECT_EQ(verdict_for(ruled, claims(R"(,"iss":"login","aud":)" + std::string(others))),
                  "wrong_audience")
            << others;
    for (const std::string_view lists :
         {R"(["shop"])", R"(["others","shop"])", R"( [ "\u0073hop" , "x" ] )"})
        EXPECT_EQ(verdict_for(ruled, claims(R"(,"iss":"login","aud":)" + std::string(lists))),
                  "user s")
            << lists;
    for (const std::string_view lists : {R"(["shop"])", "[]", R"([""])", "17"})
        EXPECT_EQ(verdict_for(plain, claims(R"(,"aud":)" + std::string(lists))), "wrong_audience")
            << lists;
    EXPECT_EQ(verdict_for(plain, claims(R"(,"aud":"")")), "user s");
    for (const std::string_view odd : {"17", R"(["login"])", "{}"})
        EXPECT_EQ(verdict_for(ruled, claims(R"(,"aud":"shop","iss":)" + std::string(odd))),
                  "bad_claims")
            << odd;
    EXPECT_EQ(verdict_for(ruled, claims(R"(,"aud":"shop","iss":null)")), "wrong_issuer");
    EXPECT_EQ(verdict_for(ruled, claims(R"(,"iss":"Login","aud":"shop")")), "wrong_issuer");
    EXPECT_EQ(verdict_for(ruled, claims(R"(,"iss":"evil","aud":"shop")")), "wrong_issuer");
    EXPECT_EQ(verdict_for(ruled, claims(R"(,"aud":"shop")")), "wrong_issuer");
}

TEST(Access, IsNeverGivenToAPass) {
    AccessVerifier verifier = verifier_with({.type_required = false});
    EXPECT_EQ(verdict_for(verifier, R"({"sub":"room","uid":"u","tier":1,"exp":1700000001})"),
              "wrong_tier");
}

TEST(Access, IgnoresTheIssuersKeyIdsButNotTheSignature) {
    AccessVerifier verifier = verifier_with();
    const std::string_view header = R"({"alg":"HS256","typ":"JWT","kid":"2024-01"})";
    EXPECT_EQ(verifier.verify(forge(header, usual, login_secret), test_now).index(), 0u);
    EXPECT_EQ(verifier.verify(forge(header, usual, entry_secret), test_now).index(), 1u);
}

TEST(Access, RefusesToStartWithAShortSecret) {
    EXPECT_EQ(AccessVerifier::from_secret("short").fault().reason,
              "secret of access tokens: a secret needs at least 32 bytes, this one has 5");
    EXPECT_FALSE(AccessVerifier::from_secret(""));
}

// The logins of some systems sign with the text, whatever it looks like.
TEST(Access, TakesTheSecretAsItStandsIfTheRulesSaySo) {
    constexpr std::string_view digits =
        "00112233445566778899aabbccddeeff0123456789abcdeffedcba9876543210";
    const std::string token = forge(R"({"alg":"HS256"})", usual, digits);
    AccessVerifier decoding = verifier_with({}, digits);
    AccessVerifier literal = verifier_with({.secret_is_text = true}, digits);
    EXPECT_EQ(decoding.verify(token, test_now).index(), 1u);
    EXPECT_EQ(literal.verify(token, test_now).index(), 0u);
    EXPECT_FALSE(AccessVerifier::from_secret("short", {.secret_is_text = true}));
}

TEST(Access, CanBeForWhoHasRolesOnly) {
    AccessVerifier verifier = verifier_with({.type_required = false, .roles_required = true});
    EXPECT_EQ(verdict_for(verifier, R"({"sub":"s","exp":1700000001})"), "wrong_token_type");
    for (const std::string_view none : {"null", "17", "{}", "\"\""})
        EXPECT_EQ(verdict_for(verifier,
                              R"({"sub":"s","exp":1700000001,"roles":)" + std::string(none) + '}'),
                  "wrong_token_type")
            << none;
    for (const std::string_view some : {R"("ROLE_USER")", R"(["ROLE_USER"])", "[]"})
        EXPECT_EQ(verdict_for(verifier,
                              R"({"sub":"s","exp":1700000001,"roles":)" + std::string(some) + '}'),
                  "user s")
            << some;
}

TEST(Access, CanLeaveTheAudienceAlone) {
    AccessVerifier verifier = verifier_with({.checks_audience = false});
    for (const std::string_view more : {"", R"(,"aud":"others")", R"(,"aud":["a","b"])"})
        EXPECT_EQ(verdict_for(verifier, R"({"sub":"s","type":"access","exp":1700000001)" +
                                            std::string(more) + '}'),
                  "user s")
            << more;
}

TEST(Access, TakesTheSecretAsBase64) {
    std::string base64 = base64url(bytes_of(login_secret));
    while (base64.size() % 4 != 0) base64 += '=';
    AccessVerifier verifier = verifier_with({}, base64);
    EXPECT_EQ(verdict_for(verifier, usual), "user u-1");
}

} // namespace
} // namespace anteroom::token
