#include "token/visitor_id.h"

#include <gtest/gtest.h>

#include <set>

#include "token/test_keys.h"

namespace anteroom::token {
namespace {

TEST(VisitorId, IsReadBackWhenWeSignedIt) {
    const VisitorBook book(test_ring());
    const VisitorId visitor = *VisitorBook::new_visitor();
    EXPECT_EQ(book.read(book.sign(visitor).view(), test_now), VisitorVerdict(visitor));
}

TEST(VisitorId, HasTheBytesThatFormatVersionOneFixed) {
    const VisitorBook book(test_ring());
    VisitorId visitor;
    for (std::size_t i = 0; i < visitor.bytes.size(); ++i)
        visitor.bytes[i] = static_cast<std::uint8_t>(i);
    EXPECT_EQ(visitor.text().view(), "AAECAwQFBgcICQoLDA0ODw");
    EXPECT_EQ(book.sign(visitor).view(), "QZGBL4IAAQIDBAUGBwgJCgsMDQ4PUY2aUkXEJJ1uQJkXRNGtKw");
    EXPECT_EQ(base64url(book.key_of("user-1")), "zFmYS8GSYVe6l4HdmeNbrA");
}

TEST(VisitorId, IsNewEachTime) {
    std::set<std::array<std::uint8_t, 16>> seen;
    for (int i = 0; i < 1'000; ++i) seen.insert(VisitorBook::new_visitor()->bytes);
    EXPECT_EQ(seen.size(), 1'000u);
}

TEST(VisitorId, WithAnyBitFlippedIsRefused) {
    const VisitorBook book(test_ring());
    const std::string text(book.sign(*VisitorBook::new_visitor()).view());
    for (std::size_t at = 0; at < text.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            std::string flipped = text;
            flipped[at] = static_cast<char>(flipped[at] ^ 1 << bit);
            ASSERT_TRUE(std::holds_alternative<Refusal>(book.read(flipped, test_now))) << flipped;
        }
    }
}

TEST(VisitorId, ThatNobodySignedIsRefused) {
    const VisitorBook book(test_ring());
    EXPECT_EQ(book.read("", test_now), VisitorVerdict(Refusal::malformed));
    EXPECT_EQ(book.read("anonymous", test_now), VisitorVerdict(Refusal::malformed));
    EXPECT_EQ(book.read(std::string(50, '!'), test_now), VisitorVerdict(Refusal::malformed));
    const VisitorBook other(generated_ring());
    EXPECT_EQ(book.read(other.sign(VisitorId{}).view(), test_now),
              VisitorVerdict(Refusal::unknown_key));
}

TEST(VisitorId, SurvivesRotationUntilItsKeyRetires) {
    KeyRing ring = generated_ring();
    const VisitorId visitor = *VisitorBook::new_visitor();
    const SignedVisitorId old = VisitorBook(ring).sign(visitor);
    const VisitorKey key = VisitorBook(ring).key_of("user-1");
    ASSERT_TRUE(ring.rotate(Purpose::ticket, test_now, hours(1)));
    const VisitorBook after(ring);
    EXPECT_EQ(after.read(old.view(), test_now), VisitorVerdict(visitor));
    EXPECT_EQ(after.read(old.view(), test_now + hours(1)), VisitorVerdict(Refusal::retired_key));
    EXPECT_EQ(after.key_of("user-1"), key) << "The ledger stores visitor keys for ever.";
}

TEST(VisitorKey, DependsOnTheSecretAndOnEveryByteOfTheId) {
    const VisitorBook book(test_ring());
    EXPECT_EQ(book.key_of("user-1"), book.key_of("user-1"));
    EXPECT_NE(book.key_of("user-1"), book.key_of("user-2"));
    EXPECT_NE(book.key_of(std::string_view("a\0", 2)), book.key_of("a"));
    EXPECT_NE(book.key_of(""), book.key_of(std::string_view("\0", 1)));
    EXPECT_NE(book.key_of("user-1"), VisitorBook(generated_ring()).key_of("user-1"));
}

} // namespace
} // namespace anteroom::token
