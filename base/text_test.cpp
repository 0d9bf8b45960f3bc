#include "base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace anteroom {
namespace {

TEST(Text, Utf8IsReadStrictly) {
    for (const std::string_view good :
         {"", "a", "\x7f", "\u00e9", "\u20ac", "\U0001f600", "\U0010ffff", "\ud7ff", "\ue000"})
        EXPECT_TRUE(is_utf8(good)) << good;
    for (const std::string_view bad :
         {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80",
          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xff"})
        EXPECT_FALSE(is_utf8(bad));
    EXPECT_EQ(utf8_length(""), 0u);
    EXPECT_EQ(utf8_length("ab"), 1u);
    EXPECT_EQ(utf8_length("\u20ac!"), 3u);
    EXPECT_EQ(utf8_length("\U0001f600"), 4u);
    EXPECT_EQ(utf8_length("\xe2\x82"), 0u);
}

TEST(Text, HexIsTwoSmallDigitsPerByte) {
    const std::vector<std::uint8_t> bytes{0x00, 0x0f, 0xa0, 0xff};
    EXPECT_EQ(to_hex(bytes), "000fa0ff");
    EXPECT_EQ(to_hex({}), "");
    EXPECT_EQ(from_hex("000fa0ff"), bytes);
    EXPECT_EQ(from_hex("000FA0fF"), bytes);
    EXPECT_EQ(from_hex("")->size(), 0u);
    for (const std::string_view bad : {"0", "0g", "g0", "0x00", " 00", "00 "})
        EXPECT_FALSE(from_hex(bad)) << bad;
}

TEST(Text, EveryCharacterThatIsNoHexDigitHasTheValue255) {
    std::size_t digits = 0;
    for (int c = -128; c < 128; ++c)
        if (hex_value(static_cast<char>(c)) != 255) ++digits;
    EXPECT_EQ(digits, 22u);
    EXPECT_EQ(hex_value('9'), 9);
    EXPECT_EQ(hex_value('a'), 10);
    EXPECT_EQ(hex_value('F'), 15);
}

TEST(Text, AUuidHasDashesAndHexDigits) {
    EXPECT_TRUE(is_uuid("0b5c7d1e-9a3f-4c21-8d7e-001122334455"));
    EXPECT_TRUE(is_uuid("0B5C7D1E-9A3F-4C21-8D7E-00112233445F"));
    for (const std::string_view bad :
         {"", "0b5c7d1e-9a3f-4c21-8d7e-00112233445", "0b5c7d1e-9a3f-4c21-8d7e-0011223344556",
          "0b5c7d1e09a3f-4c21-8d7e-001122334455", "0b5c7d1e-9a3f-4c21-8d7e-00112233445g",
          "0b5c7d1-e9a3f-4c21-8d7e-001122334455"})
        EXPECT_FALSE(is_uuid(bad)) << bad;
}

TEST(Text, AWholeNumberIsTheWholeText) {
    EXPECT_EQ(parse_whole_number<int>("0"), 0);
    EXPECT_EQ(parse_whole_number<int>("-12"), -12);
    EXPECT_EQ(parse_whole_number<std::uint8_t>("255"), 255);
    EXPECT_EQ(parse_whole_number<std::uint16_t>("fF", 16), 255);
    EXPECT_EQ(parse_whole_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
    for (const std::string_view bad : {"", "+1", " 1", "1 ", "1.0", "0x1", "-", "one"})
        EXPECT_FALSE(parse_whole_number<std::int64_t>(bad)) << bad;
    EXPECT_FALSE(parse_whole_number<unsigned>("-1"));
    EXPECT_FALSE(parse_whole_number<std::uint8_t>("256"));
    EXPECT_FALSE(parse_whole_number<std::uint64_t>("18446744073709551616"));
}

TEST(Text, ALeadingNumberMayHaveARest) {
    EXPECT_EQ(parse_leading_number<std::uint64_t>("12-0"), 12u);
    EXPECT_EQ(parse_leading_number<std::uint64_t>("12"), 12u);
    EXPECT_EQ(parse_leading_number<std::size_t>("1f;name=value", 16), 31u);
    for (const std::string_view bad : {"", "-1", "x1", " 1", "18446744073709551616"})
        EXPECT_FALSE(parse_leading_number<std::uint64_t>(bad)) << bad;
}

TEST(Text, ADecimalNumberIsTheWholeText) {
    EXPECT_EQ(parse_decimal("0.5"), 0.5);
    EXPECT_EQ(parse_decimal("-3"), -3.0);
    EXPECT_EQ(parse_decimal("1e3"), 1'000.0);
    for (const std::string_view bad : {"", "+1", " 1", "1 ", "0.5s", "1,5", "one"})
        EXPECT_FALSE(parse_decimal(bad)) << bad;
}

} // namespace
} // namespace anteroom
