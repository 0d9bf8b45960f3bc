#include "token/key_ring.h"

#include <gtest/gtest.h>

#include "token/test_keys.h"

namespace anteroom::token {
namespace {

Key key_with(Purpose purpose, std::string kid, std::string_view secret) {
    return {.purpose = purpose,
            .kid = std::move(kid),
            .secret = *Secret::from_text(secret),
            .created_at = test_now};
}

std::vector<Key> four_keys() {
    return {key_with(Purpose::ticket, "", ticket_secret),
            key_with(Purpose::outer, "", outer_secret), key_with(Purpose::entry, "", entry_secret),
            key_with(Purpose::visitor, "", visitor_secret)};
}

std::string fault_with(const std::vector<Key>& keys) {
    const Result<KeyRing> ring = KeyRing::from_keys(keys);
    return ring ? "" : ring.fault().reason;
}

TEST(KeyRing, GeneratesADifferentKeyForEachPurpose) {
    const KeyRing ring = generated_ring();
    for (const Purpose purpose : purposes) {
        ASSERT_EQ(ring.keys(purpose).size(), 1u);
        EXPECT_EQ(ring.current(purpose).secret.bytes().size(), 32u);
        EXPECT_EQ(ring.current(purpose).kid, "");
    }
    EXPECT_FALSE(ring.current(Purpose::outer).secret == ring.current(Purpose::entry).secret);
}

TEST(KeyRing, RefusesOneSecretForTwoPurposes) {
    KeyRing ring = test_ring();
    const Result<void> same = ring.configure(Purpose::entry, outer_secret);
    ASSERT_FALSE(same);
    EXPECT_EQ(same.fault().reason,
              "the outer and the entry key have the same secret: each needs its own");
    EXPECT_TRUE(ring.current(Purpose::entry).secret == *Secret::from_text(entry_secret))
        << "A refused change changes nothing.";
    EXPECT_FALSE(ring.configure(Purpose::ticket, entry_secret));
    EXPECT_FALSE(ring.configure(Purpose::entry, "a-new-secret-of-32-bytes-or-more!", outer_secret));
}

TEST(KeyRing, RefusesWeakSecretsWithAClearReason) {
    KeyRing ring = test_ring();
    const std::string_view short_by_one = entry_secret.substr(1);
    EXPECT_EQ(ring.configure(Purpose::entry, short_by_one).fault().reason,
              "configured entry key: a secret needs at least 32 bytes, this one has 31");
    EXPECT_FALSE(ring.configure(Purpose::entry, ""));
    EXPECT_FALSE(ring.configure(Purpose::entry, std::string(64, 'a')));
    EXPECT_FALSE(ring.configure(Purpose::entry, "abcdefgabcdefgabcdefgabcdefgabcdefg"));
    EXPECT_FALSE(ring.configure(Purpose::entry, std::string(513, 'a') + "bcdefghijk"));
}

TEST(KeyRing, RefusesKeysThatDoNotMakeARing) {
    EXPECT_EQ(fault_with(four_keys()), "");

    std::vector<Key> keys = four_keys();
    keys.pop_back();
    EXPECT_EQ(fault_with(keys), "no current visitor key");

    keys = four_keys();
    keys.push_back(key_with(Purpose::entry, "b", "another-secret-0123456789abcdefgh"));
    EXPECT_EQ(fault_with(keys), "more than one current entry key");

    keys.back().retired_at = test_now;
    EXPECT_EQ(fault_with(keys), "");
    keys.back().kid = "";
    EXPECT_EQ(fault_with(keys), "entry key: the key id is there twice");
    keys.back().kid = "../../etc/passwd";
    EXPECT_EQ(fault_with(keys), "entry key '../../etc/passwd': bad key id");
    keys.back().kid = "b";
    keys.back().retired_at = UnixSeconds{test_now.count - 1};
    EXPECT_EQ(fault_with(keys), "entry key 'b': bad time of retirement");
    keys.back().retired_at = test_now;
    keys.back().secret = *Secret::from_text(entry_secret);
    EXPECT_NE(fault_with(keys), "");

    keys = four_keys();
    keys[0].created_at = UnixSeconds{-1};
    EXPECT_EQ(fault_with(keys), "ticket key: bad time of creation");
}

TEST(KeyRing, AllowsEdDsaForPassesOnly) {
    std::vector<Key> keys = four_keys();
    keys[2].algorithm = Algorithm::ed25519;
    EXPECT_EQ(fault_with(keys), "entry key: an EdDSA key needs a key id");
    keys[2].kid = "ed";
    EXPECT_EQ(fault_with(keys), "");
    keys[2].secret = *Secret::from_text("33 bytes are one too many for it!");
    EXPECT_EQ(fault_with(keys), "entry key 'ed': an EdDSA seed has 32 bytes");
    keys = four_keys();
    keys[0].kid = "ed";
    keys[0].algorithm = Algorithm::ed25519;
    EXPECT_EQ(fault_with(keys), "ticket key 'ed': only passes can be signed with EdDSA");
}

TEST(KeyRing, RotationKeepsTheOldKeyForTheOverlap) {
    KeyRing ring = generated_ring();
    const Secret old = ring.current(Purpose::entry).secret;
    const Result<std::string> kid = ring.rotate(Purpose::entry, test_now, minutes(20));
    ASSERT_TRUE(kid);
    ASSERT_EQ(ring.keys(Purpose::entry).size(), 2u);
    EXPECT_EQ(ring.current(Purpose::entry).kid, *kid);
    EXPECT_EQ(kid->size(), 8u);
    const Key& retiring = ring.keys(Purpose::entry).back();
    EXPECT_TRUE(retiring.secret == old);
    EXPECT_TRUE(retiring.live(UnixSeconds{test_now.count + 1'199}));
    EXPECT_FALSE(retiring.live(UnixSeconds{test_now.count + 1'200}));
}

TEST(KeyRing, RotationForgetsKeysThatAreRetired) {
    KeyRing ring = generated_ring();
    UnixSeconds now = test_now;
    for (int i = 0; i < 30; ++i, now = now + minutes(10))
        ASSERT_TRUE(ring.rotate(Purpose::outer, now, minutes(20)));
    EXPECT_EQ(ring.keys(Purpose::outer).size(), 3u);
}

TEST(KeyRing, RotationStopsBeforeThereAreTooManyKeys) {
    KeyRing ring = generated_ring();
    for (std::size_t i = 1; i < keys_per_purpose_max; ++i)
        ASSERT_TRUE(ring.rotate(Purpose::outer, test_now, hours(1)));
    EXPECT_EQ(ring.rotate(Purpose::outer, test_now, hours(1)).fault().reason,
              "too many outer keys");
    EXPECT_EQ(ring.keys(Purpose::outer).size(), keys_per_purpose_max);
}

TEST(KeyRing, RotationSurvivesAClockThatWasSetBack) {
    KeyRing ring = generated_ring();
    EXPECT_TRUE(ring.rotate(Purpose::entry, UnixSeconds{test_now.count - 86'400}, minutes(1)));
    EXPECT_EQ(ring.keys(Purpose::entry).back().retired_at, test_now + minutes(1));
}

TEST(KeyRing, WhatMustNotRotateSaysWhy) {
    KeyRing ring = test_ring();
    EXPECT_EQ(ring.rotate(Purpose::visitor, test_now, hours(1)).fault().reason,
              "the visitor key cannot rotate: the ledger stores what it hashes");
    EXPECT_EQ(ring.rotate(Purpose::entry, test_now, hours(1)).fault().reason,
              "the entry key is configured: change it in the configuration");
}

TEST(KeyRing, ConfiguredSecretsStandInForStoredOnes) {
    KeyRing ring = generated_ring();
    const Secret stored = ring.current(Purpose::outer).secret;
    ASSERT_TRUE(ring.configure(Purpose::outer, outer_secret, entry_secret));
    EXPECT_EQ(ring.keys(Purpose::outer).size(), 2u);
    EXPECT_TRUE(ring.current(Purpose::outer).secret == *Secret::from_text(outer_secret));
    ASSERT_EQ(ring.stored(Purpose::outer).size(), 1u);
    EXPECT_TRUE(ring.stored(Purpose::outer).front().secret == stored);
}

TEST(KeyRing, ShowsItselfWithoutItsSecrets) {
    const KeyRing ring = test_ring();
    const std::string shown = ring.masked();
    for (const std::string_view secret :
         {ticket_secret, outer_secret, entry_secret, visitor_secret}) {
        EXPECT_EQ(shown.find(secret), std::string::npos);
        EXPECT_EQ(shown.find(base64url(bytes_of(secret))), std::string::npos);
    }
    EXPECT_NE(shown.find("entry - HS256: 32 bytes, fingerprint "), std::string::npos);
}

TEST(Secret, IsTakenAsBase64WhenThatGivesEnoughBytes) {
    const std::string_view bytes = "0123456789abcdef0123456789ABCDEF";
    EXPECT_TRUE(*Secret::from_base64_or_text("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlBQkNERUY=") ==
                *Secret::from_text(bytes));
    EXPECT_TRUE(*Secret::from_base64_or_text(bytes) == *Secret::from_text(bytes))
        << "32 letters are Base64 for 24 bytes: too few, so they are meant as they stand.";
    EXPECT_TRUE(*Secret::from_base64_or_text(entry_secret) == *Secret::from_text(entry_secret));
    EXPECT_FALSE(Secret::from_base64_or_text("dG9vIHNob3J0"));
}

} // namespace
} // namespace anteroom::token
