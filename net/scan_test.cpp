#include "net/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "net/output.h"

namespace anteroom::net {

namespace {

std::size_t value_length_by_table(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && is(text[at], in_value)) ++at;
    return at;
}

bool equals_lower_by_character(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (to_lower(text[i]) != lower[i]) return false;
    }
    return true;
}

} // namespace

TEST(Scan, EveryByteAtEveryPlaceIsJudgedAsInTheTable) {
    for (std::size_t size = 1; size <= 40; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string text(size, 'a');
                text[at] = static_cast<char>(byte);
                ASSERT_EQ(value_length(text), value_length_by_table(text)) << size << at << byte;
            }
        }
    }
}

TEST(Scan, RandomBytesAreJudgedAsInTheTable) {
    std::mt19937 random(6);
    for (int round = 0; round < 100'000; ++round) {
        std::string text(random() % 60, 'a');
        // Mostly harmless, so that the doubtful ones stand at all places.
        for (char& c : text) {
            const auto byte = static_cast<char>(random());
            if (random() % 16 == 0 || is(byte, in_value)) c = byte;
        }
        ASSERT_EQ(value_length(text), value_length_by_table(text))
            << ::testing::PrintToString(text);
        ASSERT_EQ(is_value(text), all(text, in_value));
    }
}

TEST(Scan, AByteIsFoundWhereFindFindsIt) {
    std::mt19937 random(8);
    for (int round = 0; round < 100'000; ++round) {
        std::string text(random() % 60, 'a');
        for (char& c : text) c = random() % 24 == 0 ? '\n' : static_cast<char>(random());
        const std::size_t from = random() % 64;
        ASSERT_EQ(find_byte(text, '\n', from), text.find('\n', from))
            << ::testing::PrintToString(text) << from;
    }
}

TEST(Scan, ClassesOfWholeTextsAreThoseOfTheirCharacters) {
    std::mt19937 random(9);
    for (int round = 0; round < 100'000; ++round) {
        std::string text(random() % 20, 'a');
        for (char& c : text) {
            if (random() % 8 == 0) c = static_cast<char>(random());
        }
        for (const CharacterClass which : {in_token, in_value, in_target, in_host, in_path}) {
            const auto fits = [which](char c) { return is(c, which); };
            ASSERT_EQ(all(text, which), std::ranges::all_of(text, fits))
                << ::testing::PrintToString(text) << which;
        }
    }
}

TEST(Scan, LowerCaseIsTheSameEightAtATime) {
    std::mt19937 random(7);
    for (int round = 0; round < 100'000; ++round) {
        std::string text(random() % 30, 'a');
        for (char& c : text) c = static_cast<char>(random());
        std::string lower = text;
        for (char& c : lower) c = to_lower(c);
        ASSERT_TRUE(equals_lower(text, lower)) << ::testing::PrintToString(text);
        if (text.empty()) continue;
        char& changed = lower[random() % lower.size()];
        changed = to_lower(static_cast<char>(random()));
        ASSERT_EQ(equals_lower(text, lower), equals_lower_by_character(text, lower));
    }
    EXPECT_FALSE(equals_lower("Authorization", "authorizatio"));
    EXPECT_FALSE(equals_lower("[\\]^_`@{", "{|}~_`@{")); // A bit away from each other.
}

TEST(Output, ComposesTextsAndWholeNumbers) {
    Output out;
    const std::string text = "text";
    const char* const pointer = "pointer";
    compose(out, "a literal,", text, ",", std::string_view("a view,"), pointer, ",", 0, ",",
            std::numeric_limits<std::int64_t>::min(), ",",
            std::numeric_limits<std::uint64_t>::max(), ",", std::uint8_t{255});
    EXPECT_EQ(std::string_view(out.data(), out.size()),
              "a literal,text,a view,pointer,0,-9223372036854775808,18446744073709551615,255");
}

TEST(Output, MakesRoomForWhatIsLong) {
    Output out;
    const std::string large(10'000, 'x');
    std::string expected;
    for (std::uint32_t i = 0; i < 20; ++i) {
        compose(out, "<", i, large, ">");
        expected += "<" + std::to_string(i) + large + ">";
    }
    EXPECT_EQ(std::string_view(out.data(), out.size()), expected);
    recycle(out);
    EXPECT_EQ(out.size(), 0u);
}

} // namespace anteroom::net
