#include "base/text_table.h"

#include <gtest/gtest.h>

namespace anteroom {
namespace {

constexpr std::int64_t ten = 1'763'287'200'000; // 2025-11-16 10:00:00 UTC.

TEST(TextTable, AlignsByCharacters) {
    TextTable table({{"NAME"}, {"COUNT", TextTable::Align::right}, {"END"}});
    table.add({"ann", "7", "x"});
    table.add({"한국어", "1234567", ""});
    EXPECT_EQ(table.text(),
              "NAME    COUNT  END\n"
              "ann         7  x\n"
              "한국어   1234567\n");
}

TEST(Printable, LeavesNothingThatMovesTheCursor) {
    EXPECT_EQ(printable("ann 한국어 😀"), "ann 한국어 😀");
    EXPECT_EQ(printable("\033[31mred\n"), "\uFFFD[31mred\uFFFD");
    EXPECT_EQ(printable("\xc2\x9b"), "\uFFFD");
    EXPECT_EQ(printable("\xff\xe2\x82"), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(printable("\x7f"), "\uFFFD");
}

TEST(UtcText, ReadsTheCalendar) {
    EXPECT_EQ(utc_text(Instant{0}), "1970-01-01 00:00:00");
    EXPECT_EQ(utc_text(Instant{ten}), "2025-11-16 10:00:00");
    EXPECT_EQ(utc_text(std::nullopt), "");
    EXPECT_EQ(utc_stamp(Instant{ten + 5}), "2025-11-16T10:00:00.005Z");
    EXPECT_EQ(utc_stamp(Instant{-1}), "1969-12-31T23:59:59.999Z");
}

} // namespace
} // namespace anteroom
