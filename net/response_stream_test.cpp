#include "net/response_stream.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace anteroom::net {

namespace {

using Step = ResponseStream::Step;

struct Seen {
    std::vector<unsigned> heads;
    std::string body;
    Step last = Step::more;
    bool keep_alive = false;
    std::size_t left = 0; // Bytes behind the end.
};

// Reads an answer that arrives in pieces of that size.
Seen read(std::string_view bytes, std::size_t piece_bytes, bool to_head = false, bool ends = false,
          bool upgrades = false) {
    ResponseStream stream;
    stream.begin(to_head, upgrades);
    ResponseHead head;
    std::array<char, 4'096> space{};
    Seen seen;
    while (!bytes.empty() && seen.last != Step::end && seen.last != Step::failed) {
        const std::string copy(bytes.substr(0, piece_bytes)); // So that sanitizers see its end.
        bytes.remove_prefix(copy.size());
        std::string_view fresh = copy;
        do {
            std::string_view piece;
            seen.last = stream.next(fresh, head, space, piece);
            const bool is_head =
                seen.last == Step::head || seen.last == Step::interim || seen.last == Step::upgrade;
            if (is_head) seen.heads.push_back(head.status);
            if (seen.last == Step::body) seen.body += piece;
        } while (seen.last != Step::more && seen.last != Step::end && seen.last != Step::failed);
        seen.left = fresh.size() + bytes.size();
    }
    if (ends && seen.last == Step::more) seen.last = stream.finish(true);
    seen.keep_alive = stream.keep_alive();
    return seen;
}

Seen whole(const std::string& bytes, bool to_head = false, bool ends = false) {
    Seen seen = read(bytes, bytes.size(), to_head, ends);
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        Seen again = read(bytes, size, to_head, ends);
        EXPECT_EQ(again.heads, seen.heads) << size;
        EXPECT_EQ(again.body, seen.body) << size;
        EXPECT_EQ(again.last, seen.last) << size;
        EXPECT_EQ(again.keep_alive, seen.keep_alive) << size;
    }
    return seen;
}

} // namespace

TEST(ResponseStream, ReadsEveryFramingHoweverItIsCut) {
    const Seen sized = whole("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    EXPECT_EQ(sized.body, "hello");
    EXPECT_EQ(sized.last, Step::end);
    EXPECT_TRUE(sized.keep_alive);
    const Seen chunked = whole(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n"
        "0\r\nX: 1\r\n\r\n");
    EXPECT_EQ(chunked.body, "abcde");
    EXPECT_EQ(chunked.last, Step::end);
    const Seen until_end = whole("HTTP/1.1 200 OK\r\n\r\nabc", false, true);
    EXPECT_EQ(until_end.body, "abc");
    EXPECT_EQ(until_end.last, Step::end);
    EXPECT_FALSE(until_end.keep_alive);
    const Seen head = whole("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true);
    EXPECT_EQ(head.last, Step::end);
    EXPECT_TRUE(head.keep_alive);
    EXPECT_EQ(whole("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n").last, Step::end);
    const Seen interim = whole("HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 204 None\r\n\r\n");
    EXPECT_EQ(interim.heads, (std::vector<unsigned>{103, 204}));
}

TEST(ResponseStream, WhatFollowsAnAnswerBelongsToNothing) {
    const std::string two = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n";
    const Seen seen = read(two, two.size());
    EXPECT_EQ(seen.last, Step::end);
    EXPECT_EQ(seen.left, 19u);
}

TEST(ResponseStream, AnUpgradeIsOnlyOneWhenItWasAskedFor) {
    const std::string bytes = "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nraw";
    EXPECT_EQ(read(bytes, bytes.size()).last, Step::failed);
    const Seen seen = read(bytes, bytes.size(), false, true, true);
    EXPECT_EQ(seen.body, "raw");
    EXPECT_EQ(seen.last, Step::end);
}

TEST(ResponseStream, AnEndInTheMiddleIsAFault) {
    for (const char* bytes :
         {"HTTP/1.1 200 OK\r\nConte", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
        EXPECT_EQ(whole(bytes, false, true).last, Step::failed) << bytes;
    }
    ResponseStream stream;
    stream.begin(false, false);
    EXPECT_EQ(stream.finish(true), Step::failed);
    EXPECT_FALSE(stream.has_begun());
}

} // namespace anteroom::net
