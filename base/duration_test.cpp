#include "base/duration.h"

#include <gtest/gtest.h>

namespace anteroom {
namespace {

TEST(Duration, ReadsWhatPeopleWrite) {
    EXPECT_EQ(parse_duration("500ms"), Millis{500});
    EXPECT_EQ(parse_duration("30s"), seconds(30));
    EXPECT_EQ(parse_duration("10m"), minutes(10));
    EXPECT_EQ(parse_duration("24h"), hours(24));
    EXPECT_EQ(parse_duration("30d"), hours(24 * 30));
    EXPECT_EQ(parse_duration("1h30m"), minutes(90));
    EXPECT_EQ(parse_duration("0s"), Millis{0});
}

TEST(Duration, RefusesEverythingElse) {
    for (const char* text : {"", "10", "s", "10 s", "-1s", "1.5s", "1w", "10m ",
                             "99999999999999999999s", "9999999999h", "1s1", "ms", "+1s", "1S"})
        EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(Duration, WritesWhatItReads) {
    for (const char* text : {"1ms", "1s", "1m30s", "1h", "24h", "1h1m1s1ms", "0s"})
        EXPECT_EQ(to_string(*parse_duration(text)), text);
    EXPECT_EQ(to_string(seconds(600)), "10m");
    EXPECT_EQ(to_string(*parse_duration("2d")), "48h");
}

} // namespace
} // namespace anteroom
