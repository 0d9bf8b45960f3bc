#include "token/pass.h"

#include <gtest/gtest.h>

#include "token/test_keys.h"
#include "token/ticket.h"

namespace anteroom::token {
namespace {

constexpr std::string_view outer_vector =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
    "eyJzdWIiOiIxMTExMTExMS0yMjIyLTMzMzMtNDQ0NC01NTU1NTU1NTU1NTUiLCJ1aWQiOiJhbm9uLWFiYyIsInRpZXIiOjEs"
    "ImlhdCI6MTcwMDAwMDAwMCwiZXhwIjoxNzAwMDAwNjAwfQ.iyI-knxJ1u-VcsYCZ9q7I4-qZVcjXP9mto7I0bTbuDM";
constexpr std::string_view entry_vector =
    "eyJhbGciOiJIUzI1NiJ9."
    "eyJzdWIiOiIxMTExMTExMS0yMjIyLTMzMzMtNDQ0NC01NTU1NTU1NTU1NTUiLCJ1aWQiOiJ1c2VyLTEiLCJpYXQiOjE3MDAw"
    "MDAwMDAsImV4cCI6MTcwMDAwMDYwMH0.uHyh3kfIP9QjcpHjDD94AwrC_fJVZ3dNgWdeVyuLtfI";

constexpr Expect any_outer{.room = test_room, .tier = Tier::outer};
constexpr Expect any_entry{.room = test_room, .tier = Tier::entry};

Refusal refusal(const PassVerdict& verdict) {
    const Refusal* refusal = std::get_if<Refusal>(&verdict);
    CHECK(refusal != nullptr);
    return *refusal;
}

bool accepted(const PassVerdict& verdict) {
    return std::holds_alternative<VerifiedPass>(verdict);
}

std::string outer_pass(const KeyRing& ring) {
    return *PassIssuer(ring).issue(OuterPass{.room = test_room, .visitor = "anon-abc"}, test_now,
                                   minutes(10));
}

std::string entry_pass(const KeyRing& ring) {
    return *PassIssuer(ring).issue(EntryPass{.room = test_room, .visitor = "user-1"}, test_now,
                                   minutes(10));
}

TEST(Pass, OfTheOuterLineIsTheVectorByteForByte) {
    EXPECT_EQ(outer_pass(test_ring()), outer_vector);
}

TEST(Pass, OfTheInnerLineIsTheVectorByteForByte) {
    EXPECT_EQ(entry_pass(test_ring()), entry_vector);
}

TEST(Pass, IsAcceptedWithEverythingItSays) {
    const KeyRing ring = test_ring();
    const PassIssuer issuer(ring);
    PassVerifier verifier(ring);
    const std::string outer = *issuer.issue(
        OuterPass{.room = test_room, .visitor = "anon-abc", .position = 42, .request_id = "r-1"},
        test_now, minutes(10));
    const PassVerdict verdict = verifier.verify(outer, test_now, any_outer);
    ASSERT_TRUE(accepted(verdict));
    const VerifiedPass& pass = std::get<VerifiedPass>(verdict);
    EXPECT_EQ(pass.room, test_room);
    EXPECT_EQ(pass.visitor, "anon-abc");
    EXPECT_EQ(pass.position, 42u);
    EXPECT_EQ(pass.request_id, "r-1");
    EXPECT_EQ(pass.issued_at, test_now);
    EXPECT_EQ(pass.expires_at, test_now + minutes(10));

    const std::string entry =
        *issuer.issue(EntryPass{.room = test_room, .visitor = "user-1", .pass_id = "once"},
                      test_now, seconds(30));
    const PassVerdict second = verifier.verify(entry, test_now, any_entry);
    ASSERT_TRUE(accepted(second));
    EXPECT_EQ(std::get<VerifiedPass>(second).pass_id, "once");
    EXPECT_EQ(std::get<VerifiedPass>(second).position, std::nullopt);
}

TEST(Pass, ClaimsStandInTheAgreedOrder) {
    const PassIssuer issuer(test_ring());
    const auto claims = [](const std::string& token) {
        const std::size_t first = token.find('.') + 1;
        const std::string part = token.substr(first, token.rfind('.') - first);
        std::array<std::uint8_t, 1'024> bytes;
        return std::string(text_of(ByteView(bytes).first(*read_base64url(part, bytes))));
    };
    EXPECT_EQ(
        claims(
            *issuer.issue(OuterPass{.room = "r", .visitor = "v", .position = 7, .request_id = "q"},
                          test_now, minutes(1))),
        R"({"sub":"r","uid":"v","tier":1,"position":7,"rid":"q","iat":1700000000,"exp":1700000060})");
    EXPECT_EQ(claims(*issuer.issue(EntryPass{.room = "r", .visitor = "v", .pass_id = "j"}, test_now,
                                   minutes(1))),
              R"({"sub":"r","uid":"v","jti":"j","iat":1700000000,"exp":1700000060})");
}

TEST(Pass, ExpiresAtItsSecondAndNotBefore) {
    PassVerifier verifier(test_ring());
    EXPECT_TRUE(accepted(verifier.verify(entry_vector, {1'700'000'599}, any_entry)));
    EXPECT_EQ(refusal(verifier.verify(entry_vector, {1'700'000'600}, any_entry)), Refusal::expired);
}

TEST(Pass, FromTheFutureIsTakenOnlyWithinTheSkewOfClocks) {
    PassVerifier verifier(test_ring());
    EXPECT_TRUE(accepted(verifier.verify(entry_vector, {1'699'999'940}, any_entry)));
    EXPECT_EQ(refusal(verifier.verify(entry_vector, {1'699'999'939}, any_entry)),
              Refusal::not_yet_valid);
}

TEST(Pass, OpensOnlyItsRoomForItsVisitorInItsTier) {
    PassVerifier verifier(test_ring());
    const auto entry = [&](const Expect& expected) {
        return verifier.verify(entry_vector, test_now, expected);
    };
    EXPECT_TRUE(accepted(entry({.room = test_room, .visitor = "user-1", .tier = Tier::entry})));
    EXPECT_EQ(refusal(entry({.room = "other", .tier = Tier::entry})), Refusal::wrong_room);
    EXPECT_EQ(refusal(entry({.room = "", .tier = Tier::entry})), Refusal::wrong_room);
    EXPECT_EQ(refusal(entry({.room = test_room, .visitor = "user-2", .tier = Tier::entry})),
              Refusal::wrong_visitor);
    EXPECT_EQ(refusal(entry({.room = test_room, .visitor = "", .tier = Tier::entry})),
              Refusal::wrong_visitor);
    EXPECT_EQ(refusal(entry({.room = test_room, .tier = Tier::outer})), Refusal::bad_signature);
    EXPECT_EQ(refusal(verifier.verify(outer_vector, test_now, any_entry)), Refusal::bad_signature);
}

TEST(Pass, MayBeAskedForWithoutSayingForWhichRoom) {
    const KeyRing ring = test_ring();
    PassVerifier verifier(ring);
    const Result<std::string> pass = PassIssuer(ring).issue(
        EntryPass{.room = "spring", .visitor = "user-1"}, test_now, minutes(1));
    ASSERT_TRUE(pass);
    const PassVerdict verdict =
        verifier.verify(*pass, test_now, {.room = std::nullopt, .tier = Tier::entry});
    ASSERT_TRUE(std::holds_alternative<VerifiedPass>(verdict));
    EXPECT_EQ(std::get<VerifiedPass>(verdict).room, "spring");
    // An empty name is a room's name like another, and no pass has it.
    EXPECT_EQ(verifier.verify(*pass, test_now, {.room = "", .tier = Tier::entry}).index(), 1u);
}

TEST(Pass, WithATierIsNoEntryPassEvenUnderTheEntryKey) {
    PassVerifier verifier(test_ring());
    const std::string claims =
        R"({"sub":")" + std::string(test_room) + R"(","uid":"u","tier":1,"exp":1700000600})";
    EXPECT_EQ(refusal(verifier.verify(forge(R"({"alg":"HS256"})", claims, entry_secret), test_now,
                                      any_entry)),
              Refusal::wrong_tier);
}

TEST(Pass, CarriesNamesOfAnyUtf8) {
    const KeyRing ring = test_ring();
    PassVerifier verifier(ring);
    const std::string odd = "\"quoted\\\" \n\x01\x1f 이름 😀 </script>";
    const Result<std::string> pass =
        PassIssuer(ring).issue(EntryPass{.room = odd, .visitor = odd}, test_now, minutes(1));
    ASSERT_TRUE(pass);
    const PassVerdict verdict =
        verifier.verify(*pass, test_now, {.room = odd, .visitor = odd, .tier = Tier::entry});
    EXPECT_TRUE(accepted(verdict));
}

TEST(Pass, IsNotIssuedWhenNoVerifierWouldTakeIt) {
    const PassIssuer issuer(test_ring());
    const auto reason = [&](std::string_view visitor, UnixSeconds now, Millis lifetime) {
        const Result<std::string> pass =
            issuer.issue(EntryPass{.room = test_room, .visitor = visitor}, now, lifetime);
        return pass ? "issued" : pass.fault().reason;
    };
    EXPECT_EQ(reason("\xff", test_now, minutes(1)), "a name in the pass is not UTF-8");
    EXPECT_EQ(reason(std::string(2'000, 'v'), test_now, minutes(1)), "the pass would be too large");
    EXPECT_EQ(reason("v", test_now, Millis{999}), "the pass would have no sane lifetime");
    EXPECT_EQ(reason("v", test_now, seconds(-5)), "the pass would have no sane lifetime");
    EXPECT_EQ(reason("v", test_now, Millis{instant_max.ms}),
              "the pass would have no sane lifetime");
    EXPECT_EQ(reason("v", UnixSeconds{-1}, minutes(1)), "the pass would have no sane lifetime");
}

TEST(Pass, NamesItsKeyOnceThereIsMoreThanTheFirst) {
    KeyRing ring = generated_ring();
    const std::string before = entry_pass(ring);
    EXPECT_TRUE(before.starts_with("eyJhbGciOiJIUzI1NiJ9."));
    const std::string kid = *ring.rotate(Purpose::entry, test_now, minutes(5));
    const std::string after = entry_pass(ring);
    EXPECT_TRUE(
        after.starts_with(base64url(bytes_of(R"({"alg":"HS256","kid":")" + kid + R"("})")) + '.'));

    PassVerifier verifier(ring);
    EXPECT_TRUE(accepted(verifier.verify(before, test_now, any_entry)));
    EXPECT_TRUE(accepted(verifier.verify(after, test_now, any_entry)));
    const UnixSeconds retired = test_now + minutes(5);
    EXPECT_EQ(refusal(verifier.verify(before, retired, any_entry)), Refusal::retired_key);
    EXPECT_TRUE(accepted(verifier.verify(after, retired, any_entry)));

    ASSERT_TRUE(ring.rotate(Purpose::entry, retired, minutes(5)));
    PassVerifier forgot(ring);
    EXPECT_EQ(refusal(forgot.verify(before, retired, any_entry)), Refusal::bad_signature);
}

TEST(Pass, OfAPreviousConfiguredSecretIsStillTaken) {
    KeyRing ring = test_ring();
    ASSERT_TRUE(ring.configure(Purpose::entry, "the-new-entry-secret-0123456789abc", entry_secret));
    PassVerifier verifier(ring);
    EXPECT_TRUE(accepted(verifier.verify(entry_vector, test_now, any_entry)));
    EXPECT_TRUE(accepted(verifier.verify(entry_pass(ring), test_now, any_entry)));
}

TEST(Pass, SignedWithEdDsaNeedsOnlyThePublicKey) {
    KeyRing ring = generated_ring();
    const std::string before = entry_pass(ring);
    const std::string kid = *ring.rotate(Purpose::entry, test_now, minutes(5), Algorithm::ed25519);
    const std::string pass = entry_pass(ring);
    const Key& signer = ring.current(Purpose::entry);
    EXPECT_EQ(signer.kid, kid);
    const Ed25519Point point = Ed25519PrivateKey(signer.secret.bytes()).public_point();
    std::vector<VerifyKey> keys;
    keys.push_back(VerifyKey::ed25519(kid, point));
    PassVerifier edge({}, std::move(keys));
    EXPECT_TRUE(accepted(edge.verify(pass, test_now, any_entry)));
    EXPECT_EQ(refusal(edge.verify(before, test_now, any_entry)), Refusal::wrong_algorithm);
    EXPECT_EQ(refusal(edge.verify(outer_pass(ring), test_now, any_outer)), Refusal::unknown_key);
    PassVerifier whole(ring);
    EXPECT_TRUE(accepted(whole.verify(pass, test_now, any_entry)));
    EXPECT_TRUE(accepted(whole.verify(before, test_now, any_entry)));
}

TEST(Pass, IsNeverATicketNorTheOtherWayRound) {
    const KeyRing ring = test_ring();
    PassVerifier verifier(ring);
    TicketBook book(ring);
    EXPECT_TRUE(std::holds_alternative<Refusal>(book.read(entry_vector, test_now)));
    const NativeTicket native = book.mint_native({});
    const UuidTicket uuid = *book.mint_uuid({});
    for (const std::string_view ticket : {native.view(), uuid.view()})
        EXPECT_EQ(refusal(verifier.verify(ticket, test_now, any_entry)), Refusal::malformed);
    const std::string under_ticket_key = forge(
        R"({"alg":"HS256"})",
        R"({"sub":")" + std::string(test_room) + R"(","uid":"u","exp":1700000600})", ticket_secret);
    EXPECT_EQ(refusal(verifier.verify(under_ticket_key, test_now, any_entry)),
              Refusal::bad_signature);
}

} // namespace
} // namespace anteroom::token
