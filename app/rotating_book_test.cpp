#include "app/rotating_book.h"

#include <gtest/gtest.h>

namespace anteroom::app {
namespace {

constexpr token::TicketContent place{.kind = token::TicketKind::inner, .room = 3, .number = 7};

std::string minted(auto& book) {
    return std::string(book.mint_uuid(place)->view());
}

TEST(RotatingBook, FollowsTheRing) {
    token::KeyRing keys = *token::KeyRing::generate(token::UnixSeconds{1'000});
    const auto ring = std::make_shared<SharedRing>(std::make_shared<const token::KeyRing>(keys));
    RotatingBook book(ring);
    const std::string before = minted(book);
    EXPECT_EQ(minted(book), before);
    ASSERT_TRUE(keys.rotate(token::Purpose::ticket, token::UnixSeconds{2'000}, hours(1)));
    ring->store(std::make_shared<const token::KeyRing>(keys));
    token::TicketBook now(keys);
    EXPECT_EQ(minted(book), minted(now));
    EXPECT_NE(minted(book), before);
    // The old one is good for as long as the keys overlap.
    EXPECT_TRUE(std::holds_alternative<token::TicketContent>(
        now.read(before, token::UnixSeconds{2'000 + 3'599})));
    EXPECT_FALSE(std::holds_alternative<token::TicketContent>(
        now.read(before, token::UnixSeconds{2'000 + 3'600})));
}

} // namespace
} // namespace anteroom::app
