// Whose access tokens the verifiers of an office take.
#include <gtest/gtest.h>

#include "desk/office.h"
#include "dialects/portal/options.h"
#include "dialects/tacos/options.h"
#include "token/test_keys.h"

namespace anteroom {
namespace {

using token::test_now;

// As `openssl rand -hex 32` gives them: Base64 as well, of 48 bytes.
constexpr std::string_view digits =
    "00112233445566778899aabbccddeeff0123456789abcdeffedcba9876543210";
constexpr std::string_view tacos_claims =
    R"({"sub":"u7","user_id":"u7","username":"seven","role":"user","iat":1700000000,)"
    R"("exp":1700000600,"iss":"traffic-tacos-gateway","aud":"traffic-tacos-api"})";

std::unique_ptr<Office> office_with(std::string_view secret, const token::AccessRules& tacos,
                                    const token::JwkSet* jwks = nullptr) {
    const Result<token::KeyRing> ring = token::KeyRing::generate(test_now);
    Result<std::unique_ptr<Office>> office =
        Office::open(*ring, {.jwt_secret = std::string(secret),
                             .jwks = jwks,
                             .access_rules = {},
                             .logins = {{"tacos", tacos}, {"portal", portal::login_rules({})}}});
    CHECK(office);
    return *std::move(office);
}

bool takes(token::AccessVerifier* login, std::string_view claims, std::string_view secret) {
    const std::string token = token::forge(R"({"alg":"HS256","typ":"JWT"})", claims, secret);
    return login->verify(token, test_now).index() == 0;
}

TEST(Office, SystemPsLoginIsThatOfTheIssuerWhereOneIsNamed) {
    const Result<token::KeyRing> ring = token::KeyRing::generate(test_now);
    const auto office = *Office::open(
        *ring, {.jwt_secret = std::string(digits),
                .access_rules = {},
                .logins = {{"portal", portal::login_rules({.issuer = "https://login.test"})}}});
    EXPECT_TRUE(
        takes(office->login_of("portal"),
              R"({"sub":"p","roles":["ROLE_USER"],"iss":"https://login.test","exp":1700000600})",
              digits));
    EXPECT_FALSE(takes(office->login_of("portal"),
                       R"({"sub":"p","roles":["ROLE_USER"],"exp":1700000600})", digits));
}

TEST(Office, SystemsTAndPSignWithTheTextOfTheSecret) {
    const token::JwkSet none;
    for (const token::JwkSet* jwks : {static_cast<const token::JwkSet*>(nullptr), &none}) {
        const auto office = office_with(
            digits, tacos::login_rules({.issuer = "", .audience = "traffic-tacos-api"}), jwks);
        EXPECT_TRUE(takes(office->login_of("tacos"), tacos_claims, digits));
        EXPECT_TRUE(takes(office->login_of("portal"),
                          R"({"sub":"p","roles":["ROLE_USER"],"exp":1700000600})", digits));
        EXPECT_FALSE(
            takes(&*office->access, R"({"sub":"u","type":"access","exp":1700000600})", digits))
            << "system U decodes it first";
    }
}

TEST(Office, SystemTsAudienceIsLookedAtOnlyIfItIsSet) {
    constexpr std::string_view secret = "jwt-test-secret-0123456789abcdef";
    const auto checking =
        office_with(secret, tacos::login_rules({.issuer = "", .audience = "others"}));
    EXPECT_FALSE(takes(checking->login_of("tacos"), tacos_claims, secret));
    const auto lenient = office_with(secret, tacos::login_rules({.issuer = "", .audience = ""}));
    EXPECT_TRUE(takes(lenient->login_of("tacos"), tacos_claims, secret));
    EXPECT_TRUE(takes(lenient->login_of("tacos"), R"({"sub":"u","exp":1700000600})", secret));
    const auto issued = office_with(
        secret, tacos::login_rules({.issuer = "traffic-tacos-gateway", .audience = ""}));
    EXPECT_TRUE(takes(issued->login_of("tacos"), tacos_claims, secret));
    EXPECT_FALSE(takes(issued->login_of("tacos"), R"({"sub":"u","exp":1700000600})", secret));
}

TEST(Office, EverySystemsLoginHasItsOwnRules) {
    constexpr std::string_view secret = "jwt-test-secret-0123456789abcdef";
    const auto office = office_with(secret, tacos::login_rules({.issuer = "", .audience = ""}));
    constexpr std::string_view refresh = R"({"sub":"p","iat":1700000000,"exp":1700000600})";
    EXPECT_FALSE(takes(office->login_of("portal"), refresh, secret));
    EXPECT_FALSE(takes(office->login_of("portal"), tacos_claims, secret));
    EXPECT_FALSE(takes(&*office->access, refresh, secret));
}

} // namespace
} // namespace anteroom
