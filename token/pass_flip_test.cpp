// Damaged and mixed passes: whatever was changed in whatever place, the answer is no.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "token/pass.h"
#include "token/test_keys.h"

namespace anteroom::token {
namespace {

struct Sample {
    std::string token;
    Tier tier;
};

std::vector<Sample> samples(const KeyRing& ring) {
    const PassIssuer issuer(ring);
    std::vector<Sample> out;
    for (const std::string_view visitor : {"user-1", "user-2", "이름"}) {
        out.push_back(
            {*issuer.issue(EntryPass{.room = test_room, .visitor = visitor}, test_now, minutes(10)),
             Tier::entry});
        out.push_back(
            {*issuer.issue(OuterPass{.room = test_room, .visitor = visitor}, test_now, minutes(10)),
             Tier::outer});
    }
    return out;
}

bool accepted(PassVerifier& verifier, const std::string& token, Tier tier) {
    const PassVerdict verdict = verifier.verify(token, test_now, {.room = test_room, .tier = tier});
    return std::holds_alternative<VerifiedPass>(verdict);
}

void expect_no_flip_accepted(const KeyRing& ring, std::size_t step) {
    PassVerifier verifier(ring);
    for (const Sample& sample : samples(ring)) {
        ASSERT_TRUE(accepted(verifier, sample.token, sample.tier));
        for (std::size_t bit = 0; bit < sample.token.size() * 8; bit += step) {
            std::string flipped = sample.token;
            flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
            ASSERT_FALSE(accepted(verifier, flipped, sample.tier)) << flipped;
        }
        for (std::size_t at = 0; at < sample.token.size(); ++at) {
            std::string shorter = sample.token;
            shorter.erase(at, 1);
            ASSERT_FALSE(accepted(verifier, shorter, sample.tier)) << shorter;
            ASSERT_FALSE(accepted(verifier, sample.token.substr(0, at), sample.tier));
        }
    }
}

TEST(PassFlip, NoPassWithAFlippedBitOrAMissingCharacterIsAccepted) {
    expect_no_flip_accepted(test_ring(), 1);
}

TEST(PassFlip, NoEdDsaPassWithAFlippedBitIsAccepted) {
    KeyRing ring = generated_ring();
    ASSERT_TRUE(ring.rotate(Purpose::entry, test_now, hours(1), Algorithm::ed25519));
    expect_no_flip_accepted(ring, 13); // A prime step reaches every bit of a byte, in a second.
}

// Base64url has no spare spelling: every character of the alphabet in every place is a no.
TEST(PassFlip, NoOtherCharacterIsAcceptedInAnyPlace) {
    const KeyRing ring = test_ring();
    PassVerifier verifier(ring);
    const Sample sample = samples(ring).front();
    for (std::size_t at = 0; at < sample.token.size(); ++at) {
        for (const char c : std::string_view(
                 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=")) {
            std::string changed = sample.token;
            changed[at] = c;
            if (changed == sample.token) continue;
            ASSERT_FALSE(accepted(verifier, changed, sample.tier)) << changed;
        }
    }
}

std::array<std::string, 3> parts_of(const std::string& token) {
    const std::size_t first = token.find('.'), last = token.rfind('.');
    return {token.substr(0, first), token.substr(first + 1, last - first - 1),
            token.substr(last + 1)};
}

TEST(PassFlip, NoMixtureOfTwoPassesIsAccepted) {
    const KeyRing ring = test_ring();
    PassVerifier verifier(ring);
    const std::vector<Sample> passes = samples(ring);
    for (const Sample& one : passes) {
        for (const Sample& other : passes) {
            const auto a = parts_of(one.token), b = parts_of(other.token);
            for (int mixture = 1; mixture < 7; ++mixture) {
                const std::string mixed = (mixture & 1 ? a : b)[0] + '.' +
                                          (mixture & 2 ? a : b)[1] + '.' + (mixture & 4 ? a : b)[2];
                if (mixed == one.token || mixed == other.token) continue;
                EXPECT_FALSE(accepted(verifier, mixed, Tier::entry)) << mixed;
                EXPECT_FALSE(accepted(verifier, mixed, Tier::outer)) << mixed;
            }
        }
    }
}

} // namespace
} // namespace anteroom::token
