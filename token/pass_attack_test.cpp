// Every known way to talk a JWT verifier into a yes, one row each. Rows marked with the right
// secret are signed properly: they must fall over their content alone.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "token/pass.h"
#include "token/test_keys.h"

namespace anteroom::token {
namespace {

struct Attack {
    const char* name;
    std::string token;
    Refusal expected;
};

constexpr std::string_view good_header = R"({"alg":"HS256"})";

std::string claims_with(std::string_view times) {
    return R"({"sub":")" + std::string(test_room) + R"(","uid":"user-1",)" + std::string(times) +
           "}";
}

std::string good_claims() {
    return claims_with(R"("iat":1700000000,"exp":1700000600)");
}

std::string with_header(std::string_view header) {
    return forge(header, good_claims(), entry_secret);
}

std::string with_claims(std::string_view claims) {
    return forge(good_header, claims, entry_secret);
}

std::string with_times(std::string_view times) {
    return with_claims(claims_with(times));
}

std::string unsigned_with(std::string_view header) {
    return base64url(bytes_of(header)) + '.' + base64url(bytes_of(good_claims())) + '.';
}

std::string good() {
    return with_header(good_header);
}

std::vector<Attack> header_attacks() {
    const std::string nul_kid = std::string(R"({"alg":"HS256","kid":"a\u0000b"})");
    const std::string huge_kid = R"({"alg":"HS256","kid":")" + std::string(900, 'k') + "\"}";
    return {
        {"AlgNone", unsigned_with(R"({"alg":"none"})"), Refusal::wrong_algorithm},
        {"AlgNoneCapitalised", unsigned_with(R"({"alg":"None"})"), Refusal::wrong_algorithm},
        {"AlgNoneUpperCase", unsigned_with(R"({"alg":"NONE"})"), Refusal::wrong_algorithm},
        {"AlgNoneProperlySigned", with_header(R"({"alg":"none"})"), Refusal::wrong_algorithm},
        {"AlgEmpty", with_header(R"({"alg":""})"), Refusal::wrong_algorithm},
        {"AlgMissing", with_header(R"({"typ":"JWT"})"), Refusal::wrong_algorithm},
        {"AlgNull", with_header(R"({"alg":null})"), Refusal::bad_header},
        {"AlgNumber", with_header(R"({"alg":256})"), Refusal::bad_header},
        {"AlgArray", with_header(R"({"alg":["HS256"]})"), Refusal::bad_header},
        {"AlgLowerCase", with_header(R"({"alg":"hs256"})"), Refusal::wrong_algorithm},
        {"AlgWithSpace", with_header(R"({"alg":"HS256 "})"), Refusal::wrong_algorithm},
        {"AlgWithNul", with_header(R"({"alg":"HS256\u0000"})"), Refusal::wrong_algorithm},
        {"AlgHs384", with_header(R"({"alg":"HS384"})"), Refusal::wrong_algorithm},
        {"AlgHs512", with_header(R"({"alg":"HS512"})"), Refusal::wrong_algorithm},
        {"AlgRs256", with_header(R"({"alg":"RS256"})"), Refusal::wrong_algorithm},
        {"AlgEdDsaUnderAnHs256Key", with_header(R"({"alg":"EdDSA"})"), Refusal::wrong_algorithm},
        {"Es256WithZeroSignature", unsigned_with(R"({"alg":"ES256"})") + std::string(86, 'A'),
         Refusal::wrong_algorithm},
        {"AlgTwice", with_header(R"({"alg":"HS256","alg":"none"})"), Refusal::duplicate_member},
        {"AlgTwiceEscaped", with_header(R"({"alg":"HS256","\u0061lg":"none"})"),
         Refusal::duplicate_member},
        {"EmbeddedJwk", with_header(R"({"alg":"HS256","jwk":{"kty":"oct","k":"AAAA"}})"),
         Refusal::unexpected_header},
        {"JkuUrl", with_header(R"({"alg":"HS256","jku":"https://evil.example/jwks"})"),
         Refusal::unexpected_header},
        {"X5uUrl", with_header(R"({"alg":"HS256","x5u":"https://evil.example/cert"})"),
         Refusal::unexpected_header},
        {"X5cChain", with_header(R"({"alg":"HS256","x5c":["MIIB"]})"), Refusal::unexpected_header},
        {"CritUnknown", with_header(R"({"alg":"HS256","crit":["exp"]})"), Refusal::critical_header},
        {"CritEmpty", with_header(R"({"alg":"HS256","crit":[]})"), Refusal::critical_header},
        {"UnencodedPayload", with_header(R"({"alg":"HS256","b64":false,"crit":["b64"]})"),
         Refusal::unexpected_header},
        {"Compressed", with_header(R"({"alg":"HS256","zip":"DEF"})"), Refusal::unexpected_header},
        {"NestedToken", with_header(R"({"alg":"HS256","cty":"JWT"})"), Refusal::unexpected_header},
        {"Encrypted", with_header(R"({"alg":"dir","enc":"A256GCM"})"), Refusal::unexpected_header},
        {"TypOfAnotherToken", with_header(R"({"alg":"HS256","typ":"at+jwt"})"),
         Refusal::wrong_token_type},
        {"KidPathTraversal", with_header(R"({"alg":"HS256","kid":"../../../dev/null"})"),
         Refusal::unknown_key},
        {"KidSql", with_header(R"({"alg":"HS256","kid":"' OR '1'='1"})"), Refusal::unknown_key},
        {"KidNul", with_header(nul_kid), Refusal::unknown_key},
        {"KidHuge", with_header(huge_kid), Refusal::unknown_key},
        {"KidArray", with_header(R"({"alg":"HS256","kid":["a"]})"), Refusal::bad_header},
        {"KidUnknown", with_header(R"({"alg":"HS256","kid":"nobody"})"), Refusal::unknown_key},
        {"HeaderIsAnArray", with_header(R"(["HS256"])"), Refusal::bad_header},
        {"HeaderIsEmptyText", with_header(""), Refusal::bad_header},
        {"HeaderIsEmptyObject", with_header("{}"), Refusal::wrong_algorithm},
        {"HeaderWithTrailingText", with_header(R"({"alg":"HS256"}x)"), Refusal::bad_header},
        {"HeaderIsNotUtf8", with_header("{\"alg\":\"HS256\",\"typ\":\"\xff\"}"),
         Refusal::bad_header},
    };
}

std::vector<Attack> time_attacks() {
    return {
        {"ExpMissing", with_times(R"("iat":1700000000)"), Refusal::bad_time},
        {"ExpNegative", with_times(R"("exp":-1)"), Refusal::bad_time},
        {"ExpFloat", with_times(R"("exp":1700000600.5)"), Refusal::bad_time},
        {"ExpWithExponent", with_times(R"("exp":17e8)"), Refusal::bad_time},
        {"ExpString", with_times(R"("exp":"1700000600")"), Refusal::bad_time},
        {"ExpNull", with_times(R"("exp":null)"), Refusal::bad_time},
        {"ExpTrue", with_times(R"("exp":true)"), Refusal::bad_time},
        {"ExpArray", with_times(R"("exp":[1700000600])"), Refusal::bad_time},
        {"ExpOverflow64", with_times(R"("exp":9223372036854775808)"), Refusal::bad_time},
        {"ExpOverflow128", with_times(R"("exp":340282366920938463463374607431768211456)"),
         Refusal::bad_time},
        {"ExpInMilliseconds", with_times(R"("exp":1700000600000)"), Refusal::bad_time},
        {"ExpPast", with_times(R"("exp":1699999999)"), Refusal::expired},
        {"ExpNow", with_times(R"("exp":1700000000)"), Refusal::expired},
        {"IatNegative", with_times(R"("iat":-1,"exp":1700000600)"), Refusal::bad_time},
        {"IatFloat", with_times(R"("iat":1.5,"exp":1700000600)"), Refusal::bad_time},
        {"IatString", with_times(R"("iat":"0","exp":1700000600)"), Refusal::bad_time},
        {"IatOverflow", with_times(R"("iat":99999999999999999999,"exp":1700000600)"),
         Refusal::bad_time},
        {"IatBehindExp", with_times(R"("iat":1700000601,"exp":1700000600)"), Refusal::bad_time},
        {"IatFuture", with_times(R"("iat":1700000061,"exp":1700000600)"), Refusal::not_yet_valid},
        {"NbfFuture", with_times(R"("nbf":1700000061,"exp":1700000600)"), Refusal::not_yet_valid},
        {"NbfNegative", with_times(R"("nbf":-1,"exp":1700000600)"), Refusal::bad_time},
        {"NbfFloat", with_times(R"("nbf":0.5,"exp":1700000600)"), Refusal::bad_time},
        {"NbfString", with_times(R"("nbf":"x","exp":1700000600)"), Refusal::bad_time},
        {"NbfOverflow", with_times(R"("nbf":1e999,"exp":1700000600)"), Refusal::bad_time},
    };
}

std::vector<Attack> claim_attacks() {
    const std::string room(test_room);
    const std::string rest = R"(,"exp":1700000600})";
    return {
        {"SubTwice", with_claims(R"({"sub":"x","uid":"user-1","sub":")" + room + '"' + rest),
         Refusal::duplicate_member},
        {"ExpTwice", with_times(R"("exp":1,"exp":1700000600)"), Refusal::duplicate_member},
        {"UidTwiceEscaped",
         with_claims(R"({"sub":")" + room + R"(","uid":"user-1","u\u0069d":"x")" + rest),
         Refusal::duplicate_member},
        {"SubMissing", with_claims(R"({"uid":"user-1")" + rest), Refusal::wrong_room},
        {"SubOfAnotherRoom", with_claims(R"({"sub":"other","uid":"user-1")" + rest),
         Refusal::wrong_room},
        {"SubArray", with_claims(R"({"sub":[")" + room + R"("],"uid":"user-1")" + rest),
         Refusal::bad_claims},
        {"SubWithTrailingNul",
         with_claims(R"({"sub":")" + room + R"(\u0000","uid":"user-1")" + rest),
         Refusal::wrong_room},
        {"SubUnderAnUnicodeName", // The first letter is Cyrillic.
         with_claims("{\"\xd1\x95ub\":\"" + room + R"(","uid":"user-1")" + rest),
         Refusal::wrong_room},
        {"UidMissing", with_claims(R"({"sub":")" + room + '"' + rest), Refusal::wrong_visitor},
        {"UidEmpty", with_claims(R"({"sub":")" + room + R"(","uid":"")" + rest),
         Refusal::wrong_visitor},
        {"UidNumber", with_claims(R"({"sub":")" + room + R"(","uid":1)" + rest),
         Refusal::bad_claims},
        {"UidOfAnotherVisitor", with_claims(R"({"sub":")" + room + R"(","uid":"user-2")" + rest),
         Refusal::wrong_visitor},
        {"TierInAnEntryPass", with_times(R"("tier":1,"exp":1700000600)"), Refusal::wrong_tier},
        {"TierNullInAnEntryPass", with_times(R"("tier":null,"exp":1700000600)"),
         Refusal::wrong_tier},
        {"WrongIssuer", with_times(R"("iss":"evil","exp":1700000600)"), Refusal::wrong_issuer},
        {"WrongAudience", with_times(R"("aud":"other","exp":1700000600)"), Refusal::wrong_audience},
        {"PositionFloat", with_times(R"("position":1.5,"exp":1700000600)"), Refusal::bad_claims},
        {"PositionNegative", with_times(R"("position":-1,"exp":1700000600)"), Refusal::bad_claims},
        {"JtiArray", with_times(R"("jti":[],"exp":1700000600)"), Refusal::bad_claims},
        {"ClaimsAreAnArray", with_claims("[" + good_claims() + "]"), Refusal::bad_claims},
        {"ClaimsAreEmptyText", with_claims(""), Refusal::bad_claims},
        {"ClaimsWithTrailingText", with_claims(good_claims() + "{}"), Refusal::bad_claims},
        {"ClaimsWithComment", with_times(R"(/* */"exp":1700000600)"), Refusal::bad_claims},
        {"ClaimsNestedDeep",
         with_times(R"("x":)" + std::string(400, '[') + std::string(400, ']') +
                    R"(,"exp":1700000600)"),
         Refusal::bad_claims},
    };
}

std::vector<Attack> form_attacks() {
    const std::string pass = good();
    const std::size_t last_dot = pass.rfind('.');
    const std::string body = pass.substr(0, last_dot);
    std::string last_bits = pass; // The last character of 32 bytes has two unused bits.
    last_bits.back() = static_cast<char>(last_bits.back() + 1);
    const Digest half = Hmac(bytes_of(entry_secret)).sign(body);
    return {
        {"EmptyToken", "", Refusal::malformed},
        {"OnlyDots", "..", Refusal::bad_header},
        {"OneDot", pass.substr(0, last_dot), Refusal::malformed},
        {"ExtraDotBehind", pass + '.', Refusal::malformed},
        {"ExtraDotBefore", '.' + pass, Refusal::malformed},
        {"FivePartsOfAJwe", pass + ".AAAA.AAAA", Refusal::malformed},
        {"Padding", pass + '=', Refusal::bad_encoding},
        {"PaddedHeader", base64url(bytes_of(R"({"alg":"HS256" })")) + "=" + pass.substr(20),
         Refusal::bad_encoding},
        {"NonCanonicalBase64", last_bits, Refusal::bad_encoding},
        {"TrailingNewline", pass + '\n', Refusal::bad_encoding},
        {"TrailingNul", pass + '\0', Refusal::bad_encoding},
        {"TrailingByte", pass + 'A', Refusal::bad_signature},
        {"LeadingSpace", ' ' + pass, Refusal::bad_encoding},
        {"BearerPrefix", "Bearer " + pass, Refusal::bad_encoding},
        {"EmptySignature", body + '.', Refusal::bad_signature},
        {"TruncatedSignature", body + '.' + base64url(ByteView(half).first(16)),
         Refusal::bad_signature},
        {"OneByteOfSignature", body + '.' + base64url(ByteView(half).first(1)),
         Refusal::bad_signature},
        {"DoubleSignature", body + '.' + base64url(ByteView(half)) + base64url(ByteView(half)),
         Refusal::bad_encoding},
        {"ZeroSignature", body + '.' + std::string(43, 'A'), Refusal::bad_signature},
        {"Oversized", pass + std::string(2'048, 'A'), Refusal::oversized},
        {"OversizedProperlySigned",
         with_times(R"("x":")" + std::string(2'000, 'x') + R"(","exp":1700000600)"),
         Refusal::oversized},
        {"EmptyKey", forge(good_header, good_claims(), ""), Refusal::bad_signature},
        {"WeakKey", forge(good_header, good_claims(), "secret"), Refusal::bad_signature},
        {"OuterKey", forge(good_header, good_claims(), outer_secret), Refusal::bad_signature},
        {"TicketKey", forge(good_header, good_claims(), ticket_secret), Refusal::bad_signature},
        {"Json", R"({"payload":"","signatures":[]})", Refusal::malformed},
    };
}

TEST(PassAttack, NoneIsAcceptedAndEachIsRefusedForItsReason) {
    PassVerifier verifier(test_ring());
    const Expect expected{.room = test_room, .visitor = "user-1", .tier = Tier::entry};
    ASSERT_TRUE(std::holds_alternative<VerifiedPass>(verifier.verify(good(), test_now, expected)))
        << "The pass that the attacks are made of is good.";
    std::size_t attacks = 0;
    for (const auto& table : {header_attacks(), time_attacks(), claim_attacks(), form_attacks()}) {
        for (const Attack& attack : table) {
            ++attacks;
            const PassVerdict verdict = verifier.verify(attack.token, test_now, expected);
            const Refusal* refusal = std::get_if<Refusal>(&verdict);
            ASSERT_NE(refusal, nullptr) << attack.name << " was accepted";
            EXPECT_EQ(reason(*refusal), reason(attack.expected)) << attack.name;
        }
    }
    EXPECT_GE(attacks, 100u);
}

// The classic confusion: the public key is known to everybody, so nobody may sign with it.
TEST(PassAttack, AnHs256TokenSignedWithThePublicKeyIsRefused) {
    KeyRing ring = generated_ring();
    ASSERT_TRUE(ring.rotate(Purpose::entry, test_now, Millis{0}, Algorithm::ed25519));
    const Key& key = ring.current(Purpose::entry);
    const Ed25519Point point = Ed25519PrivateKey(key.secret.bytes()).public_point();
    PassVerifier verifier(ring);
    const Expect expected{.room = test_room, .tier = Tier::entry};
    const std::string named = R"({"alg":"HS256","kid":")" + key.kid + "\"}";
    const std::string jwk = R"({"kty":"OKP","crv":"Ed25519","use":"sig","alg":"EdDSA","kid":")" +
                            key.kid + R"(","x":")" + base64url(point) + "\"}";
    for (const std::string& secret : {std::string(text_of(point)), base64url(point), jwk}) {
        for (const std::string_view header : {std::string_view(named), good_header}) {
            const PassVerdict verdict =
                verifier.verify(forge(header, good_claims(), secret), test_now, expected);
            EXPECT_TRUE(std::holds_alternative<Refusal>(verdict));
        }
    }
    const std::string zeros = R"({"alg":"EdDSA","kid":")" + key.kid + "\"}";
    EXPECT_EQ(
        verifier.verify(unsigned_with(zeros) + std::string(86, 'A'), test_now, expected).index(),
        1u);
}

TEST(PassAttack, EveryTierButOneIsNoOuterPass) {
    PassVerifier verifier(test_ring());
    const Expect expected{.room = test_room, .tier = Tier::outer};
    const auto verdict = [&](std::string_view tier) {
        const std::string claims = claims_with(std::string(tier) + R"("exp":1700000600)");
        return verifier.verify(forge(good_header, claims, outer_secret), test_now, expected);
    };
    ASSERT_TRUE(std::holds_alternative<VerifiedPass>(verdict(R"("tier":1,)")));
    for (const std::string_view tier :
         {"", R"("tier":2,)", R"("tier":0,)", R"("tier":-1,)", R"("tier":"1",)", R"("tier":1.0,)",
          R"("tier":true,)", R"("tier":null,)", R"("tier":[1],)",
          R"("tier":18446744073709551617,)"}) {
        const PassVerdict refused = verdict(tier);
        ASSERT_TRUE(std::holds_alternative<Refusal>(refused)) << tier;
        EXPECT_EQ(std::get<Refusal>(refused), Refusal::wrong_tier) << tier;
    }
}

} // namespace
} // namespace anteroom::token
