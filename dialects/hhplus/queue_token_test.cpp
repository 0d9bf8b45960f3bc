#include "dialects/hhplus/queue_token.h"

#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <set>

namespace anteroom::hhplus {
namespace {

constexpr token::UnixSeconds now{1'700'000'000};
constexpr UserId largest = std::numeric_limits<UserId>::max();

std::unique_ptr<Office> open_office() {
    return *Office::open(*token::KeyRing::generate(now), {.jwt_secret = {}, .access_rules = {}});
}

TEST(QueueToken, IsReadBackWhole) {
    const std::unique_ptr<Office> office = open_office();
    const std::regex shape("^[0-9a-f-]{36}\\|[0-9a-f-]{36}$");
    std::set<std::string> all;
    for (const UserId user : {UserId{1}, UserId{2}, UserId{1} << 62, largest})
        for (const Number number : {Number{1}, Number{4'000'000'000}}) {
            const auto text = mint_token(*office, {.user = user, .room = 7, .number = number});
            ASSERT_TRUE(text);
            EXPECT_TRUE(std::regex_match(*text, shape)) << *text;
            EXPECT_TRUE(looks_like_token(*text));
            const auto back = read_token(*office, *text, now);
            ASSERT_TRUE(back);
            EXPECT_EQ(back->user, user);
            EXPECT_EQ(back->room, 7u);
            EXPECT_EQ(back->number, number);
            EXPECT_EQ(mint_token(*office, *back), text); // The same place, the same token.
            all.insert(*text);
        }
    EXPECT_EQ(all.size(), 8u);
    EXPECT_FALSE(mint_token(*office, {.user = 1, .room = 7, .number = Number{1} << 32}));
}

TEST(QueueToken, NoCharacterCanBeChanged) {
    const std::unique_ptr<Office> office = open_office();
    const std::string good = *mint_token(*office, {.user = 42, .room = 3, .number = 17});
    for (std::size_t at = 0; at < good.size(); ++at)
        for (const char c : {'0', '7', 'f', '-', '|'}) {
            std::string text = good;
            if (text[at] == c) continue;
            text[at] = c;
            EXPECT_FALSE(read_token(*office, text, now)) << text;
        }
    EXPECT_FALSE(read_token(*open_office(), good, now)); // Other keys.
}

TEST(QueueToken, HalvesOfOthersAreReadButSayWhoseTheyAre) {
    const std::unique_ptr<Office> office = open_office();
    const std::string ann = *mint_token(*office, {.user = 1, .room = 3, .number = 17});
    const std::string bob = *mint_token(*office, {.user = 2, .room = 3, .number = 18});
    const auto mixed = read_token(*office, ann.substr(0, 37) + bob.substr(37), now);
    ASSERT_TRUE(mixed);
    EXPECT_EQ(mixed->user, 1);
    EXPECT_EQ(mixed->number, 18u); // Whose place that is, the room knows.
}

TEST(QueueToken, LooksLikeOneOrNot) {
    const std::string half = "11111111-2222-4333-8444-555555555555";
    EXPECT_TRUE(looks_like_token(half + "|" + half));
    EXPECT_TRUE(looks_like_token(std::string(36, '-') + "|" + std::string(36, 'a')));
    for (const std::string& text :
         {std::string(), std::string("|"), half, half + half, half + "|", half + "|" + half + " ",
          half + "|" + half.substr(1), half + "/" + half, "A" + half.substr(1) + "|" + half})
        EXPECT_FALSE(looks_like_token(text)) << text;
}

TEST(UserId, IsAWholeNumberAboveZero) {
    EXPECT_EQ(read_user_id("1"), 1);
    EXPECT_EQ(read_user_id("+1"), 1);
    EXPECT_EQ(read_user_id("007"), 7);
    EXPECT_EQ(read_user_id("9223372036854775807"), largest);
    for (const char* text :
         {"", "0", "-1", "+-1", "+", "1.0", "1 ", "one", "0x1", "9223372036854775808"})
        EXPECT_FALSE(read_user_id(text)) << text;
}

} // namespace
} // namespace anteroom::hhplus
