// Requests that two servers could read in two ways, sent through the gate to an origin that counts:
// it sees nothing, or exactly the one request that was meant.
#include <gtest/gtest.h>

#include <mutex>

#include "gate/proxy_testing.h"

namespace anteroom::gate {

using net::testing::Dial;
using testing::Gate;
using testing::Line;
using testing::ScriptedOrigin;

namespace {

// Reads what arrives the lenient way: everything that could be a request is one.
class CountingOrigin {
  public:
    CountingOrigin() : origin_([this](Line& line) { listen(line); }) {}

    std::string url() const { return origin_.url(); }
    std::vector<std::string> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(requests_, {});
    }

  private:
    void listen(Line& line) {
        for (std::string head = line.read_head(); !head.empty(); head = line.read_head()) {
            const std::string body = line.read_body(head);
            {
                const std::lock_guard lock(mutex_);
                requests_.push_back(head + body);
            }
            line.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    }

    std::mutex mutex_;
    std::vector<std::string> requests_; // Guarded by mutex_.
    ScriptedOrigin origin_;
};

const std::string hidden = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

std::string post(std::string_view headers, std::string_view rest) {
    return "POST /meant HTTP/1.1\r\nHost: a\r\n" + std::string(headers) + "\r\n" +
           std::string(rest);
}

std::string chunked(std::string_view encoding, std::string_view rest = "0\r\n\r\n") {
    return post(std::string(encoding) + "\r\n", rest);
}

} // namespace

TEST(Smuggling, DoubtfulFramingIsRefusedAndTheConnectionClosed) {
    CountingOrigin origin;
    const Gate gate({origin.url()});
    const std::string sized_hidden = "Content-Length: " + std::to_string(hidden.size()) + "\r\n";
    const std::vector<std::string> vectors = {
        // CL.TE and TE.CL: both lengths, in both orders.
        post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\nG"),
        post("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", "0\r\n\r\n" + hidden),
        post("Transfer-Encoding: chunked\r\n" + sized_hidden, "0\r\n\r\n" + hidden),
        // TE.TE: codings that only one of two would see.
        chunked("Transfer-Encoding: xchunked"),
        chunked("Transfer-Encoding: chunked, identity"),
        chunked("Transfer-Encoding: identity, chunked"),
        chunked("Transfer-Encoding: chunked, chunked"),
        chunked("Transfer-Encoding: gzip, chunked"),
        chunked("Transfer-Encoding:\x0b"
                "chunked"),
        chunked("Transfer-Encoding: chunked\x0c"),
        chunked("Transfer-Encoding: \"chunked\""),
        chunked("Transfer-Encoding: 'chunked'"),
        chunked("Transfer-Encoding: chunked;q=1"),
        chunked("Transfer-Encoding: chunk"),
        chunked("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
        chunked("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked"),
        chunked("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
        chunked("Transfer-Encoding : chunked"),
        chunked(" Transfer-Encoding: chunked"),
        chunked("X: y\r\n Transfer-Encoding: chunked"),
        chunked("Transfer-Encoding:\r\n chunked"),
        chunked("Transfer-Encoding: \r\n\tchunked"),
        chunked("Transfer-Encoding"),
        chunked("Transfer-Encoding:"),
        chunked("Transfer\x00-Encoding: chunked"),
        // Lengths that are none, or two.
        post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"),
        post("Content-Length: 5\r\nContent-Length: 0\r\n", "hello"),
        post("Content-Length: 5, 5\r\n", "hello"),
        post("Content-Length: +5\r\n", "hello"),
        post("Content-Length: -5\r\n", "hello"),
        post("Content-Length: 05\r\n", "hello"),
        post("Content-Length: 0x5\r\n", "hello"),
        post("Content-Length: 5 \x0b\r\n", "hello"),
        post("Content-Length: 5a\r\n", "hello"),
        post("Content-Length:\r\n", "hello"),
        post("Content-Length: 5\r\n 5\r\n", "hello"),
        post("Content-Length : 5\r\n", "hello"),
        post("Content-Length: 99999999999999999999\r\n", "hello"),
        post("Content-Length: 5;x\r\n", "hello"),
        // Lines that end in two ways.
        "POST /meant HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello",
        post("X: y\nContent-Length: 5\r\n", "hello"),
        post("X: y\rContent-Length: 5\r\n", "hello"),
        post("Content-Length: 5\r\n\n", "hello"),
        post("X: y\r\n\tfolded\r\nContent-Length: 5\r\n", "hello"),
        // First lines and hosts.
        "POST /meant HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 5\r\n\r\nhello",
        "POST /meant HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        "POST /meant  HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST /meant HTTP/1.1 \r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST /meant HTTP/1.2\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST /me\\ant HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST /meant HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
    };
    for (const std::string& vector : vectors) {
        Dial dial = gate.dial();
        dial.write(vector + hidden);
        const std::string all = dial.read_all(); // Ends: the connection is closed.
        EXPECT_TRUE(all.starts_with("HTTP/1.1 4") || all.starts_with("HTTP/1.1 505"))
            << vector << "\n"
            << all;
        EXPECT_EQ(all.find("\nHTTP/1.1 "), all.npos) << vector << "\n" << all;
        EXPECT_EQ(origin.take().size(), 0u) << vector;
    }
}

TEST(Smuggling, MalformedChunksNeverBecomeAWholeRequest) {
    CountingOrigin origin;
    const Gate gate({origin.url()});
    for (const std::string& body : std::vector<std::string>{
             "5\r\nhelloXX0\r\n\r\n",
             "5\nhello\n0\n\n",
             "5 \r\nhello\r\n0\r\n\r\n",
             " 5\r\nhello\r\n0\r\n\r\n",
             "0x5\r\nhello\r\n0\r\n\r\n",
             "+5\r\nhello\r\n0\r\n\r\n",
             "-1\r\nhello\r\n0\r\n\r\n",
             "5;a=\"x\r\n\"\r\nhello\r\n0\r\n\r\n",
             "5;a b\r\nhello\r\n0\r\n\r\n",
             "5;\nhello\r\n0\r\n\r\n",
             "ffffffffffffffff\r\nhello",
             "10000000000000000\r\nhello",
             "\r\n5\r\nhello\r\n0\r\n\r\n",
             "5\r\nhello\r0\r\n\r\n",
             "0\r\nGET /smuggled HTTP/1.1\r\n\r\n",
         }) {
        Dial dial = gate.dial();
        dial.write(chunked("Transfer-Encoding: chunked", body) + hidden);
        const std::string all = dial.read_all();
        EXPECT_TRUE(all.starts_with("HTTP/1.1 400 ")) << body << "\n" << all;
        EXPECT_EQ(all.find("\nHTTP/1.1 "), all.npos) << body << "\n" << all;
        for (const std::string& seen : origin.take()) {
            // The origin's script reads to the end of the connection; what it saw was cut off.
            EXPECT_FALSE(seen.ends_with("0\r\n\r\n")) << body;
            EXPECT_EQ(seen.find("smuggled"), seen.npos) << body;
        }
    }
}

TEST(Smuggling, WhatIsMeantArrivesOnceAndWithOneFraming) {
    struct Vector {
        std::string bytes;
        std::string body;
    };
    CountingOrigin origin;
    const Gate gate({origin.url()});
    const std::string looks_like_one = hidden;
    const std::string size = std::to_string(looks_like_one.size());
    for (const Vector& vector : std::vector<Vector>{
             {post("Content-Length: " + size + "\r\n", looks_like_one), looks_like_one},
             {chunked("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n"), "hello"},
             {chunked("transfer-encoding: CHUNKED", "5;a=b\r\nhello\r\n000\r\n\r\n"), "hello"},
             {chunked("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\nX: smuggled\r\n\r\n"),
              "hello"},
             {chunked("Transfer-Encoding: chunked\r\nTransfer_Encoding: identity\r\n"
                      "Content_Length: 3",
                      "5\r\nhello\r\n0\r\n\r\n"),
              "hello"},
             {post("Content-Length: 5\r\nTransfer_Encoding: chunked\r\n", "hello"), "hello"},
             {post("Content-Length: 5\r\nConnection: Content-Length\r\n", "hello"), "hello"},
             {post("Content-Length: 5\r\nConnection: Transfer-Encoding, Host\r\n", "hello"),
              "hello"},
             {post("Content-Length: 5\r\nX: Transfer-Encoding: chunked\r\n", "hello"), "hello"},
         }) {
        Dial dial = gate.dial();
        EXPECT_EQ(dial.ask(vector.bytes).status, 200u) << vector.bytes;
        const std::vector<std::string> seen = origin.take();
        ASSERT_EQ(seen.size(), 1u) << vector.bytes;
        const std::string& request = seen.front();
        const std::string head = request.substr(0, request.find("\r\n\r\n") + 4);
        EXPECT_TRUE(head.starts_with("POST /meant HTTP/1.1\r\n")) << head;
        EXPECT_EQ(request.substr(head.size()), vector.body);
        EXPECT_EQ(head.find("smuggled"), head.npos);
        const bool is_sized = head.find("\r\nContent-Length: ") != head.npos;
        const bool is_chunked = head.find("\r\nTransfer-Encoding: chunked\r\n") != head.npos;
        EXPECT_NE(is_sized, is_chunked) << head;
        EXPECT_EQ(head.find('_'), head.npos) << head;
        // And the connection is in step: the next request is the next one.
        EXPECT_EQ(dial.ask(testing::get("/next")).status, 200u);
        const std::vector<std::string> next = origin.take();
        ASSERT_EQ(next.size(), 1u);
        EXPECT_TRUE(next.front().starts_with("GET /next ")) << next.front();
    }
}

TEST(Smuggling, TheVerdictDoesNotDependOnHowBytesAreCut) {
    CountingOrigin origin;
    const Gate gate({origin.url()});
    const std::string good =
        chunked("Transfer-Encoding: chunked", "3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n");
    for (std::size_t cut = 1; cut < good.size(); ++cut) {
        Dial dial = gate.dial();
        dial.write(good.substr(0, cut));
        dial.write(good.substr(cut));
        ASSERT_EQ(dial.read_response().status, 200u) << cut;
        const std::vector<std::string> seen = origin.take();
        ASSERT_EQ(seen.size(), 1u) << cut;
        EXPECT_TRUE(seen.front().ends_with("\r\n\r\nabcde")) << cut;
    }
}

} // namespace anteroom::gate
