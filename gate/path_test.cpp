#include "gate/path.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace anteroom::gate {
namespace {

// The segments, joined by '|'; the fault in words when there is one.
std::string read(std::string_view target) {
    CleanPath path;
    const PathFault fault = path.read(target);
    if (fault != PathFault::none) {
        EXPECT_EQ(path.size(), 0u);
        return "! " + std::string(words(fault));
    }
    std::string out;
    for (std::size_t at = 0; at < path.size(); ++at)
        out += (at == 0 ? "" : "|") + std::string(path[at]);
    return out;
}

TEST(CleanPath, IsDecodedOnceWithoutVersionAndTrailingSlash) {
    EXPECT_EQ(read("/"), "");
    EXPECT_EQ(read("/a"), "a");
    EXPECT_EQ(read("/a/b/"), "a|b");
    EXPECT_EQ(read("/a?b/c"), "a");
    EXPECT_EQ(read("/a/%e2%82%ac"), "a|\xe2\x82\xac");
    EXPECT_EQ(read("/%61pi/v1/seats"), "api|seats");
    EXPECT_EQ(read("/API/V1/v1/x"), "API|x");
    EXPECT_EQ(read("/api/v1"), "api");
    EXPECT_EQ(read("/api/v2/x"), "api|v2|x");
    EXPECT_EQ(read("/v1/rooms"), "v1|rooms");
    EXPECT_EQ(read("/100%25"), "100%");
    EXPECT_EQ(read("/.well-known/..."), ".well-known|...");
}

TEST(CleanPath, RefusesWhatCanBeReadInTwoWays) {
    const std::string nul("/a\0b", 4);
    for (const std::string& target : {std::string(""),
                                      std::string("*"),
                                      std::string("a"),
                                      std::string("http://x/"),
                                      std::string("//a"),
                                      std::string("/a//b"),
                                      std::string("/a//"),
                                      std::string("//"),
                                      std::string("/."),
                                      std::string("/.."),
                                      std::string("/a/../b"),
                                      std::string("/a/./b"),
                                      std::string("/a/%2e%2E/b"),
                                      std::string("/a/%2e"),
                                      std::string("/a/.%2e/b"),
                                      std::string("/a%2fb"),
                                      std::string("/a%2Fb"),
                                      std::string("/a%5cb"),
                                      std::string("/a\\b"),
                                      std::string("/a;b=c"),
                                      std::string("/a%3bb"),
                                      nul,
                                      std::string("/a%00"),
                                      std::string("/a%0a"),
                                      std::string("/a%7f"),
                                      std::string("/a\tb"),
                                      std::string("/a b"),
                                      std::string("/a\x7f"),
                                      std::string("/\xc3\xa9"),
                                      std::string("/a%"),
                                      std::string("/a%4"),
                                      std::string("/a%zz"),
                                      std::string("/a%u002f"),
                                      std::string("/%ff"),
                                      std::string("/%c0%af"),
                                      std::string("/%ed%a0%80"),
                                      std::string("/%2561pi"),
                                      std::string("/%25%36%31"),
                                      std::string("/a%252fb"),
                                      std::string("/a#b"),
                                      std::string("/a\"b"),
                                      std::string("/<a>")})
        EXPECT_EQ(read(target).substr(0, 1), "!") << target;
}

TEST(CleanPath, HasLimits) {
    EXPECT_EQ(read("/" + std::string(segment_bytes_max, 'a')), std::string(segment_bytes_max, 'a'));
    EXPECT_EQ(read("/" + std::string(segment_bytes_max + 1, 'a')).substr(0, 1), "!");
    std::string many;
    for (std::size_t i = 0; i < segments_max; ++i) many += "/a";
    EXPECT_EQ(read(many).size(), segments_max * 2 - 1);
    EXPECT_EQ(read(many + "/a").substr(0, 1), "!");
    std::string large;
    while (large.size() + 201 <= path_bytes_max) large += '/' + std::string(200, 'a');
    large += '/' + std::string(path_bytes_max - large.size() - 1, 'a');
    EXPECT_EQ(large.size(), path_bytes_max);
    EXPECT_NE(read(large).substr(0, 1), "!");
    EXPECT_EQ(read(large + "a").substr(0, 1), "!");
}

TEST(CleanPath, KnowsLettersThatBecomeAscii) {
    EXPECT_TRUE(same_letters("SeAtS", "seats"));
    EXPECT_TRUE(
        same_letters("\xc5\xbf"
                     "eat\xc5\xbf",
                     "seats"));
    EXPECT_TRUE(
        same_letters("t\xc4\xb1"
                     "c\xe2\x84\xaa"
                     "ets",
                     "tickets"));
    EXPECT_TRUE(same_letters("ap\xc4\xb0", "api"));
    EXPECT_FALSE(same_letters("seat", "seats"));
    EXPECT_FALSE(same_letters("seatss", "seats"));
    EXPECT_FALSE(same_letters("", "a"));
    EXPECT_EQ(read("/AP%C4%B1/v1/x"), "AP\xc4\xb1|x");
}

TEST(CleanPath, ReadsAgainFromTheBeginning) {
    CleanPath path;
    EXPECT_EQ(path.read("/a/b/c"), PathFault::none);
    EXPECT_EQ(path.read("/d"), PathFault::none);
    EXPECT_EQ(path.size(), 1u);
    EXPECT_EQ(path[0], "d");
    EXPECT_FALSE(path.is_api());
    EXPECT_EQ(path.read("/Api/x"), PathFault::none);
    EXPECT_TRUE(path.is_api());
}

} // namespace
} // namespace anteroom::gate
