#include <gtest/gtest.h>

#include "store/redis/command.h"
#include "store/redis/reply_reader.h"

namespace anteroom::redis {
namespace {

// All replies of the wire, given in pieces that end at the marks.
std::vector<std::string> read_all(std::string_view wire, std::size_t piece, ReplyReader& reader) {
    std::vector<std::string> replies;
    while (!wire.empty()) {
        std::string_view bytes = wire.substr(0, piece);
        wire.remove_prefix(bytes.size());
        while (const auto reply = reader.read(bytes)) replies.push_back(to_string(*reply));
    }
    return replies;
}

std::vector<std::string> read_all(std::string_view wire) {
    ReplyReader reader;
    return read_all(wire, wire.size(), reader);
}

constexpr std::string_view everything =
    "+OK\r\n"
    "-ERR no\r\n"
    ":-42\r\n"
    "$5\r\nhe\r\no\r\n"
    "$0\r\n\r\n"
    "$-1\r\n"
    "*-1\r\n"
    "*0\r\n"
    "*3\r\n:1\r\n*2\r\n$1\r\na\r\n*1\r\n-INNER x\r\n$-1\r\n"
    "+end\r\n";
const std::vector<std::string> everything_read{
    "\"OK\"",      "!ERR no", "-42",
    "\"he\r\no\"", "\"\"",    "(nil)",
    "(nil)",       "[]",      "[1, [\"a\", [!INNER x]], (nil)]",
    "\"end\""};

TEST(RedisReply, ReadsEveryKind) {
    EXPECT_EQ(read_all(everything), everything_read);
}

TEST(RedisReply, ReadsTheSameHoweverItIsSplit) {
    for (std::size_t piece = 1; piece < everything.size(); ++piece) {
        ReplyReader reader;
        EXPECT_EQ(read_all(everything, piece, reader), everything_read) << piece;
    }
    for (std::size_t cut = 1; cut < everything.size(); ++cut) {
        ReplyReader reader;
        auto replies = read_all(everything.substr(0, cut), cut, reader);
        for (auto& one : read_all(everything.substr(cut), everything.size(), reader))
            replies.push_back(one);
        EXPECT_EQ(replies, everything_read) << cut;
    }
}

TEST(RedisReply, ErrorsHaveACode) {
    EXPECT_EQ(Reply::fault("MOVED 1 h:1").error_code(), "MOVED");
    EXPECT_EQ(Reply::fault("ERR").error_code(), "ERR");
    EXPECT_EQ(Reply::of("MOVED 1 h:1").error_code(), "");
}

TEST(RedisReply, WhatIsNoReplyBreaksTheReader) {
    for (const char* wire : {"HTTP/1.1 400 Bad Request\r\n", "$x\r\n", ":1x\r\n", "$-2\r\n",
                             "*-2\r\n", "%1\r\n+a\r\n+b\r\n", "\r\n", "*1\r\n?\r\n", ":\r\n"}) {
        ReplyReader reader;
        EXPECT_TRUE(read_all(wire, 1, reader).empty()) << wire;
        EXPECT_TRUE(reader.is_broken()) << wire;
        EXPECT_FALSE(reader.fault().empty());
        std::string_view more = "+OK\r\n";
        EXPECT_FALSE(reader.read(more)) << wire;
    }
}

TEST(RedisReply, WhatIsTooDeepIsRefused) {
    std::string wire;
    for (int depth = 0; depth < 7; ++depth) wire += "*1\r\n";
    EXPECT_EQ(read_all(wire + ":1\r\n").size(), 1u);
    for (int depth = 7; depth < 12; ++depth) wire += "*1\r\n";
    ReplyReader reader;
    EXPECT_TRUE(read_all(wire + ":1\r\n", 3, reader).empty());
    EXPECT_TRUE(reader.is_broken());
}

TEST(RedisReply, WhatIsTooLargeIsRefused) {
    const ReplyLimits limits{.bytes_max = 1'000, .values_max = 10};
    const std::string fits = "$900\r\n" + std::string(900, 'x') + "\r\n";
    ReplyReader several(limits);
    EXPECT_EQ(read_all(fits + fits + fits, 4'000, several).size(), 3u);
    EXPECT_FALSE(several.is_broken());
    const std::vector<std::string> too_much{
        "$2000\r\n" + std::string(2'000, 'x') + "\r\n", // Whole,
        "$2000000000\r\n" + std::string(1'500, 'x'),    // endless,
        "+" + std::string(1'500, 'x'),                  // without an end of the line,
        "*3\r\n" + fits + fits + fits,                  // in parts,
        "*11\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n", // and many.
        "*2\r\n*5\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n*5\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n"};
    for (const std::string& wire : too_much) {
        for (const std::size_t piece : {std::size_t{7}, wire.size()}) {
            ReplyReader reader(limits);
            EXPECT_TRUE(read_all(wire, piece, reader).empty());
            EXPECT_TRUE(reader.is_broken()) << wire.substr(0, 20);
        }
    }
    // The announced number alone costs nothing.
    ReplyReader reader(limits);
    EXPECT_TRUE(read_all("*2000000000\r\n:1\r\n", 100, reader).empty());
    EXPECT_FALSE(reader.is_broken());
}

TEST(RedisCommand, IsALengthAndItsWords) {
    std::string wire;
    append_command(wire, {"SET", "k", std::string("a\0\r\n", 4)});
    append_command(wire, {"GET", ""});
    EXPECT_EQ(wire, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\na" + std::string("\0\r\n", 3) +
                        "\r\n*2\r\n$3\r\nGET\r\n$0\r\n\r\n");
}

} // namespace
} // namespace anteroom::redis
