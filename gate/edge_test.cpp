#include "gate/edge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "token/base64.h"
#include "token/ed25519.h"
#include "token/test_keys.h"

namespace anteroom::gate {
namespace {

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST(EdgeFile, HoldsNoSecretUnlessToldTo) {
    const token::KeyRing ring = token::test_ring();
    for (const EdgePlatform platform : {EdgePlatform::cloudfront, EdgePlatform::cloudflare}) {
        const EdgeFile file = edge_file(default_rules(), ring, {.platform = platform});
        for (const std::string_view secret : {token::outer_secret, token::entry_secret}) {
            EXPECT_FALSE(holds(file.text, secret));
            EXPECT_FALSE(holds(file.text, token::base64url(token::bytes_of(secret))));
        }
        EXPECT_EQ(file.variables,
                  (std::vector<std::string>{"ANTEROOM_ACTIVE_URL", "VWR_TOKEN_SECRET",
                                            "QUEUE_ENTRY_TOKEN_SECRET", "JWT_SECRET"}));
    }
    const EdgeFile stamped = edge_file(default_rules(), ring, {.stamps = true});
    EXPECT_EQ(stamped.variables.back(), "ANTEROOM_EDGE_KEY");
    const EdgeFile open = edge_file(default_rules(), ring,
                                    {.active_url = "https://a.example/v1/edge/active",
                                     .inline_secrets = true,
                                     .access_secret = "0123456789abcdef0123456789abcdef",
                                     .stamps = true,
                                     .edge_secret = "fedcba9876543210fedcba9876543210"});
    EXPECT_TRUE(open.variables.empty());
    EXPECT_TRUE(holds(open.text, token::base64url(token::bytes_of(token::entry_secret))));
    EXPECT_TRUE(holds(open.text, "0123456789abcdef0123456789abcdef"));
    EXPECT_TRUE(holds(open.text, "fedcba9876543210fedcba9876543210"));
}

TEST(EdgeFile, HoldsPublicKeysAndNamesEachKeyApart) {
    token::KeyRing ring = token::generated_ring();
    ASSERT_TRUE(
        ring.rotate(token::Purpose::outer, token::test_now, hours(1), token::Algorithm::ed25519));
    const Result<std::string> kid = ring.rotate(token::Purpose::entry, token::test_now, hours(1));
    ASSERT_TRUE(kid);
    const EdgeFile file = edge_file(compat_rules(), ring, {.active_url = "https://a.example/"});
    const token::Key& signer = ring.current(token::Purpose::outer);
    EXPECT_TRUE(
        holds(file.text,
              token::base64url(token::Ed25519PrivateKey(signer.secret.bytes()).public_point())));
    EXPECT_FALSE(holds(file.text, token::base64url(signer.secret.bytes())));
    EXPECT_EQ(file.variables,
              (std::vector<std::string>{"VWR_TOKEN_SECRET", "QUEUE_ENTRY_TOKEN_SECRET_" + *kid,
                                        "QUEUE_ENTRY_TOKEN_SECRET", "JWT_SECRET"}));
    EXPECT_TRUE(holds(file.text, R"("form":"base64url")"));
    EXPECT_TRUE(holds(file.text, R"("retired":1700003600)"));
}

} // namespace
} // namespace anteroom::gate
