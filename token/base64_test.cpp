#include "token/base64.h"

#include <gtest/gtest.h>

namespace anteroom::token {
namespace {

std::optional<std::string> decoded(std::string_view text) {
    std::array<std::uint8_t, 64> bytes;
    const std::optional<std::size_t> size = read_base64url(text, bytes);
    if (!size) return std::nullopt;
    return std::string(text_of(ByteView(bytes).first(*size)));
}

TEST(Base64, WritesTheVectorsOfTheRfcWithoutPadding) {
    EXPECT_EQ(base64url(bytes_of("")), "");
    EXPECT_EQ(base64url(bytes_of("f")), "Zg");
    EXPECT_EQ(base64url(bytes_of("fo")), "Zm8");
    EXPECT_EQ(base64url(bytes_of("foo")), "Zm9v");
    EXPECT_EQ(base64url(bytes_of("foob")), "Zm9vYg");
    EXPECT_EQ(base64url(bytes_of("\xfb\xff\xbf")), "-_-_");
}

TEST(Base64, ReadsBackWhatItWroteAtEveryLength) {
    std::string bytes;
    for (int length = 0; length < 48; ++length) {
        EXPECT_EQ(base64url(bytes_of(bytes)).size(), base64url_length(bytes.size()));
        EXPECT_EQ(decoded(base64url(bytes_of(bytes))), bytes);
        bytes += static_cast<char>(length * 37 + 5);
    }
}

TEST(Base64, RefusesEveryOtherSpelling) {
    for (const std::string_view text : {"Z", "Zg==", "Zg=", "Zm9v=", "Zh", "Zm9", "Zm9vYh", "Zm 9",
                                        "Z+8A", "Z/8A", "Zm9v\n", "Zm9v.", "\xc3\xa9zz"})
        EXPECT_EQ(decoded(text), std::nullopt) << text;
    EXPECT_EQ(decoded(std::string_view("Zm9\0", 4)), std::nullopt);
}

TEST(Base64, RefusesAForeignByteAtEveryPlaceOfEveryLength) {
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (std::size_t length = 2; length <= 48; ++length) {
        if (length % 4 == 1) continue;
        for (std::size_t at = 0; at < length; ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string text(length, 'A');
                text[at] = static_cast<char>(byte);
                const bool is_last = at + 1 == length && length % 4 != 0; // Has unused bits.
                const bool is_digit = alphabet.find(text[at]) != alphabet.npos;
                if (is_digit && is_last) continue;
                ASSERT_EQ(decoded(text).has_value(), is_digit) << length << at << byte;
            }
        }
    }
}

TEST(Base64, WritesNothingBehindTheRoomItWasGiven) {
    std::array<std::uint8_t, 2> small;
    EXPECT_EQ(read_base64url("Zm9v", small), std::nullopt);
    EXPECT_EQ(read_base64url("Zm8", small), 2u);
}

TEST(Base64, ReadsTheStandardAlphabetWithAndWithoutPadding) {
    EXPECT_EQ(decode_base64("Zg=="), "f");
    EXPECT_EQ(decode_base64("Zg"), "f");
    EXPECT_EQ(decode_base64("Zm8="), "fo");
    EXPECT_EQ(decode_base64("+/+/"), "\xfb\xff\xbf");
    EXPECT_EQ(decode_base64("-_-_"), std::nullopt);
    EXPECT_EQ(decode_base64("Zg==="), std::nullopt);
}

} // namespace
} // namespace anteroom::token
