#include "token/ticket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <regex>

#include "token/test_keys.h"
#include "token/visitor_id.h"

namespace anteroom::token {
namespace {

constexpr TicketContent some{
    .kind = TicketKind::inner, .room = 7, .generation = 3, .number = 1'042};

std::vector<std::string> both_shapes(TicketBook& book, const TicketContent& content) {
    return {std::string(book.mint_uuid(content)->view()),
            std::string(book.mint_native(content).view())};
}

bool refused(const TicketVerdict& verdict) {
    return std::holds_alternative<Refusal>(verdict);
}

TEST(Ticket, GivesBackItsContentInBothShapes) {
    TicketBook book(test_ring());
    for (const TicketContent& content :
         {some, TicketContent{},
          TicketContent{TicketKind::inner, uuid_room_max, uuid_generation_max, uuid_number_max},
          TicketContent{TicketKind::outer, 0, 0, uuid_number_max},
          TicketContent{TicketKind::outer, uuid_room_max, 0, 0},
          TicketContent{TicketKind::outer, 0, uuid_generation_max, 0}}) {
        for (const std::string& text : both_shapes(book, content))
            EXPECT_EQ(book.read(text, test_now), TicketVerdict(content)) << text;
    }
    const TicketContent widest{TicketKind::inner, 0xffffffff, 0xffffffff, native_number_max};
    EXPECT_EQ(book.read(book.mint_native(widest).view(), test_now), TicketVerdict(widest));
}

TEST(Ticket, HasTheBytesThatFormatVersionOneFixed) {
    TicketBook book(test_ring());
    EXPECT_EQ(book.mint_uuid(some)->view(), "fb782a80-4697-4bc0-8810-c97d076205cc");
    EXPECT_EQ(book.mint_native(some).view(), "AZGBL4IBAAAABwAAAAMAAAAABBIcy83PUkWTjO36YDNaSnz0");
}

TEST(Ticket, OfTheSamePlaceIsAlwaysTheSame) {
    TicketBook one(test_ring()), other(test_ring());
    EXPECT_EQ(both_shapes(one, some), both_shapes(other, some));
}

TEST(Ticket, AsUuidSaysWhenTheContentDoesNotFit) {
    TicketBook book(test_ring());
    EXPECT_FALSE(book.mint_uuid({.room = uuid_room_max + 1}));
    EXPECT_FALSE(book.mint_uuid({.generation = uuid_generation_max + 1}));
    EXPECT_FALSE(book.mint_uuid({.number = uuid_number_max + 1}));
}

TEST(Ticket, AsUuidIsOfVersionFour) {
    TicketBook book(test_ring());
    const std::regex version_4(
        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
    for (std::uint64_t number = 0; number < 2'000; ++number) {
        const UuidTicket ticket = *book.mint_uuid({.number = number});
        ASSERT_TRUE(std::regex_match(std::string(ticket.view()), version_4)) << ticket.view();
    }
}

TEST(Ticket, OfAMillionPlacesAreAMillionTickets) {
    TicketBook book(test_ring());
    std::vector<std::array<char, 36>> tickets;
    for (std::uint64_t number = 0; number < 1'000'000; ++number)
        tickets.push_back(book.mint_uuid({.room = 1, .number = number})->characters);
    std::ranges::sort(tickets);
    EXPECT_EQ(std::ranges::adjacent_find(tickets), tickets.end());
}

// Neighbours in the line must not be told apart from strangers: each free bit is set in half of
// them.
TEST(Ticket, AsUuidLooksRandomInEveryBit) {
    TicketBook book(test_ring());
    constexpr int count = 20'000;
    std::array<int, 36 * 4> ones{};
    for (std::uint64_t number = 0; number < count; ++number) {
        const UuidTicket ticket = *book.mint_uuid({.number = number});
        for (std::size_t at = 0; at < 36; ++at) {
            const char c = ticket.characters[at];
            const int digit = c >= 'a' ? c - 'a' + 10 : c - '0';
            for (std::size_t bit = 0; bit < 4; ++bit) ones[at * 4 + bit] += digit >> bit & 1;
        }
    }
    for (std::size_t at = 0; at < 36; ++at) {
        if (at == 8 || at == 13 || at == 14 || at == 18 || at == 23) continue;
        for (std::size_t bit = 0; bit < (at == 19 ? 2u : 4u); ++bit)
            EXPECT_NEAR(ones[at * 4 + bit], count * 0.5, 500) << at << ' ' << bit; // 7 sigma.
    }
}

TEST(Ticket, WithAnyBitFlippedIsRefused) {
    TicketBook book(test_ring());
    for (const std::string& ticket : both_shapes(book, some)) {
        for (std::size_t at = 0; at < ticket.size(); ++at) {
            for (int bit = 0; bit < 8; ++bit) {
                std::string flipped = ticket;
                flipped[at] = static_cast<char>(flipped[at] ^ 1 << bit);
                ASSERT_TRUE(refused(book.read(flipped, test_now))) << flipped;
            }
        }
    }
}

TEST(Ticket, WithAnyOtherCharacterIsRefused) {
    TicketBook book(test_ring());
    for (const std::string& ticket : both_shapes(book, some)) {
        for (std::size_t at = 0; at < ticket.size(); ++at) {
            for (const char c : std::string_view("0123456789abcdefABCDEF-_=+/ zZ")) {
                std::string changed = ticket;
                changed[at] = c;
                if (changed == ticket) continue;
                ASSERT_TRUE(refused(book.read(changed, test_now))) << changed;
            }
        }
    }
}

TEST(Ticket, OfRandomBitsIsRefused) {
    TicketBook book(test_ring());
    std::mt19937_64 random(41);
    for (int i = 0; i < 200'000; ++i) {
        std::string guess(book.mint_uuid(some)->view());
        for (char& c : guess)
            if (c != '-') c = "0123456789abcdef"[random() % 16];
        guess[14] = '4';
        guess[19] = "89ab"[random() % 4];
        ASSERT_TRUE(refused(book.read(guess, test_now))) << guess;
    }
}

TEST(Ticket, OfAnotherShapeIsMalformed) {
    TicketBook book(test_ring());
    const std::string uuid(book.mint_uuid(some)->view());
    std::string upper = uuid;
    for (char& c : upper) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
    for (const std::string& text :
         {std::string(), std::string("x"), uuid + "0", uuid.substr(1), "{" + uuid + "}", upper,
          std::string(36, '-'), std::string(36, '0'), std::string(48, 'A'), std::string(48, '=')})
        EXPECT_EQ(book.read(text, test_now), TicketVerdict(Refusal::malformed)) << text;
}

TEST(Ticket, OfAnotherRoomKindOrGenerationIsRefused) {
    TicketBook book(test_ring());
    const TicketExpectation right{.kind = TicketKind::inner, .room = 7, .generation = 3};
    for (const std::string& ticket : both_shapes(book, some)) {
        EXPECT_EQ(book.read(ticket, test_now, right), TicketVerdict(some));
        EXPECT_EQ(book.read(ticket, test_now, {TicketKind::outer, 7, 3}),
                  TicketVerdict(Refusal::wrong_kind));
        EXPECT_EQ(book.read(ticket, test_now, {TicketKind::inner, 8, 3}),
                  TicketVerdict(Refusal::wrong_room));
        EXPECT_EQ(book.read(ticket, test_now, {TicketKind::inner, 7, 4}),
                  TicketVerdict(Refusal::wrong_generation));
    }
    EXPECT_EQ(book.read("x", test_now, right), TicketVerdict(Refusal::malformed));
}

TEST(Ticket, IsReadByWhatIsExpectedOfIt) {
    TicketBook book(test_ring());
    const std::string uuid(book.mint_uuid(some)->view());
    const std::string native(book.mint_native(some).view());
    TicketExpectation expected{.kind = TicketKind::inner, .room = {}, .generation = 3};
    EXPECT_EQ(book.read(native, test_now, expected), TicketVerdict(some)) << "of any room";
    expected.shape = TicketShape::uuid;
    EXPECT_EQ(book.read(uuid, test_now, expected), TicketVerdict(some));
    EXPECT_EQ(book.read(native, test_now, expected), TicketVerdict(Refusal::malformed));
    expected.generations = 2;
    for (const std::uint32_t generation : {2u, 3u}) {
        expected.generation = generation;
        EXPECT_EQ(book.read(uuid, test_now, expected), TicketVerdict(some)) << generation;
    }
    for (const std::uint32_t generation : {0u, 1u, 4u}) {
        expected.generation = generation;
        EXPECT_EQ(book.read(uuid, test_now, expected), TicketVerdict(Refusal::wrong_generation));
    }
}

TEST(Ticket, SurvivesRotationUntilItsKeyRetires) {
    KeyRing ring = generated_ring();
    TicketBook before(ring);
    const std::vector<std::string> old = both_shapes(before, some);
    ASSERT_TRUE(ring.rotate(Purpose::ticket, test_now, hours(1)));
    ASSERT_TRUE(ring.rotate(Purpose::ticket, test_now, hours(1)));
    TicketBook after(ring);
    for (const std::string& ticket : old) {
        EXPECT_EQ(after.read(ticket, UnixSeconds{test_now.count + 3'599}), TicketVerdict(some));
        EXPECT_EQ(after.read(ticket, UnixSeconds{test_now.count + 3'600}),
                  TicketVerdict(Refusal::retired_key));
    }
    for (const std::string& ticket : both_shapes(after, some)) {
        EXPECT_EQ(after.read(ticket, test_now + hours(100)), TicketVerdict(some));
        EXPECT_TRUE(refused(before.read(ticket, test_now)));
    }
}

TEST(Ticket, OfAnotherHouseIsRefused) {
    TicketBook ours(generated_ring()), theirs(generated_ring());
    EXPECT_EQ(ours.read(theirs.mint_uuid(some)->view(), test_now),
              TicketVerdict(Refusal::bad_signature));
    EXPECT_EQ(ours.read(theirs.mint_native(some).view(), test_now),
              TicketVerdict(Refusal::unknown_key));
}

TEST(Ticket, IsNeverTakenForAVisitorIdNorTheOtherWayRound) {
    const KeyRing ring = test_ring();
    TicketBook tickets(ring);
    const VisitorBook visitors(ring);
    const std::string ticket(tickets.mint_native(some).view());
    const std::string visitor(visitors.sign(VisitorId{}).view());
    EXPECT_TRUE(std::holds_alternative<Refusal>(visitors.read(ticket, test_now)));
    EXPECT_TRUE(std::holds_alternative<Refusal>(visitors.read(ticket + "AA", test_now)));
    EXPECT_TRUE(refused(tickets.read(visitor, test_now)));
    EXPECT_TRUE(refused(tickets.read(visitor.substr(0, 48), test_now)));
}

} // namespace
} // namespace anteroom::token
