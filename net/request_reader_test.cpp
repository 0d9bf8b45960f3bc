// The strict gate: a table of requests, each with its verdict, each delivered whole, cut in two at
// every byte, and byte by byte.
#include "net/request_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "net/beast_oracle.h"

namespace anteroom::net {

namespace {

struct Vector {
    const char* name;
    std::string bytes;
    unsigned status;       // 200: accepted; 0: more bytes are needed.
    std::string body = {}; // When accepted.
};

std::string get(const std::string& headers) {
    return "GET / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}

std::string post(const std::string& headers, const std::string& body) {
    return "POST / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + body;
}

std::string chunked(const std::string& body) {
    return post("Transfer-Encoding: chunked\r\n", body);
}

std::vector<Vector> well_formed() {
    return {
        {"Plain", get(""), 200},
        {"LowerCaseHeaders", "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 200},
        {"LeadingEmptyLine", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 200},
        {"EmptyHeaderValue", get("X:\r\n"), 200},
        {"TabInValue", get("X: a\tb\r\n"), 200},
        {"Utf8InValue", get("X: gr\xc3\xbc\xc3\x9f\r\n"), 200},
        {"Length", post("Content-Length: 5\r\n", "hello"), 200, "hello"},
        {"LengthZero", post("Content-Length: 0\r\n", ""), 200},
        {"LengthWithSpaces", post("Content-Length:  5 \r\n", "hello"), 200, "hello"},
        {"Chunked", chunked("5\r\nhello\r\n0\r\n\r\n"), 200, "hello"},
        {"ChunkedUpperCase", post("Transfer-Encoding: CHUNKED\r\n", "0\r\n\r\n"), 200},
        {"ChunkedTwo", chunked("1\r\na\r\nA\r\n0123456789\r\n0\r\n\r\n"), 200, "a0123456789"},
        {"ChunkExtension", chunked("1;a=b;d\r\nx\r\n0;c\r\n\r\n"), 200, "x"},
        {"ChunkLeadingZeros", chunked("0001\r\nx\r\n000\r\n\r\n"), 200, "x"},
        {"AbsoluteForm", "GET http://b/x?y HTTP/1.1\r\nHost: a\r\n\r\n", 200},
        {"OptionsAsterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 200},
        {"UnknownMethod", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 200},
        {"OldVersion", "GET / HTTP/1.0\r\n\r\n", 200},
        {"HostWithPort", "GET / HTTP/1.1\r\nHost: a.example:8080\r\n\r\n", 200},
        {"HostV6", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", 200},
        {"Unfinished", "GET / HTTP/1.1\r\nHost: a\r\n", 0},
        {"UnfinishedBody", post("Content-Length: 5\r\n", "hell"), 0},
        {"UnfinishedChunk", chunked("5\r\nhello\r\n0\r\n"), 0},
    };
}

std::vector<Vector> smuggling() {
    return {
        {"EncodingAndLength",
         post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), 400},
        {"LengthAndEncoding",
         post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
        {"EncodingXchunked", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 400},
        {"EncodingIdentity", post("Transfer-Encoding: identity\r\n", ""), 400},
        {"EncodingChunkedIdentity", post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
         400},
        {"EncodingGzipChunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 400},
        {"EncodingChunkedTwice", post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"), 400},
        {"EncodingTwoLines",
         post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
        {"EncodingQuoted", post("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n"), 400},
        {"EncodingEmpty", post("Transfer-Encoding:\r\n", ""), 400},
        {"EncodingTrailingComma", post("Transfer-Encoding: chunked,\r\n", "0\r\n\r\n"), 400},
        {"EncodingParameter", post("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n"), 400},
        {"EncodingVerticalTab",
         post("Transfer-Encoding: \x0b"
              "chunked\r\n",
              "0\r\n\r\n"),
         400},
        {"EncodingSpaceBeforeColon", post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), 400},
        {"EncodingInOldVersion", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         400},
        {"LengthTwice", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), 400},
        {"LengthDiffers", post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"), 400},
        {"LengthList", post("Content-Length: 5, 5\r\n", "hello"), 400},
        {"LengthLeadingZero", post("Content-Length: 05\r\n", "hello"), 400},
        {"LengthPlus", post("Content-Length: +5\r\n", "hello"), 400},
        {"LengthMinus", post("Content-Length: -5\r\n", "hello"), 400},
        {"LengthHex", post("Content-Length: 0x5\r\n", "hello"), 400},
        {"LengthEmpty", post("Content-Length:\r\n", ""), 400},
        {"LengthUnderscore", post("Content-Length: 1_0\r\n", "hello"), 400},
        {"LengthInnerSpace", post("Content-Length: 1 0\r\n", "hello"), 400},
        {"LengthOverflow", post("Content-Length: 18446744073709551621\r\n", "hello"), 400},
        {"LengthSpaceBeforeColon", post("Content-Length : 5\r\n", "hello"), 400},
        {"FoldedHeader", get("X: a\r\n b\r\n"), 400},
        {"FoldedFirstHeader", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
        {"FoldedEncoding", post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), 400},
        {"BareLineFeedInHead", "GET / HTTP/1.1\nHost: a\n\n", 400},
        {"BareLineFeedAfterHeader", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 400},
        {"BareLineFeedAtEnd", "GET / HTTP/1.1\r\nHost: a\r\n\n", 400},
        {"BareReturnInValue", get("X: a\rb\r\n"), 400},
        {"BareReturnInName", get("X\rY: a\r\n"), 400},
        {"BareReturnBeforeEnd", get("X: a\r\r\n"), 400},
        {"NulInValue", get(std::string("X: a\0b\r\n", 8)), 400},
        {"NulInName", get(std::string("X\0Y: a\r\n", 8)), 400},
        {"ControlInValue", get("X: a\x01\r\n"), 400},
        {"DeleteInValue", get("X: a\x7f\r\n"), 400},
        {"Utf8InName", get("X\xc3\xbc: a\r\n"), 400},
        {"NoColon", get("X\r\n"), 400},
        {"EmptyName", get(": a\r\n"), 400},
        {"SpaceInName", get("X Y: a\r\n"), 400},
    };
}

std::vector<Vector> request_lines() {
    return {
        {"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
        {"TwoHosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
        {"TwoDifferentHosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400},
        {"EmptyHost", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
        {"HostWithPath", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
        {"HostWithUser", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400},
        {"HostWithSpace", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
        {"HostList", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400},
        {"HostBadPort", "GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", 400},
        {"HostHugePort", "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", 400},
        {"HostBadV6", "GET / HTTP/1.1\r\nHost: [::g]\r\n\r\n", 400},
        {"HostOpenBracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400},
        {"EmptyMethod", " / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"MethodNoToken", "GE(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"MethodTooLong", std::string(40, 'A') + " / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"TwoSpaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"TabForSpace", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"SpaceInTarget", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"TrailingSpace", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
        {"NoTarget", "GET HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"NoVersion", "GET /\r\nHost: a\r\n\r\n", 400},
        {"OnlyTwoEmptyLines", "\r\n\r\n", 400},
        {"TwoEmptyLinesFirst", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"Version12", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
        {"Version20", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
        {"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        {"VersionLowerCase", "GET / http/1.1\r\nHost: a\r\n\r\n", 400},
        {"VersionLong", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400},
        {"AuthorityForm", "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"Connect", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"AsteriskForGet", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"AbsoluteUnknownScheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"AbsoluteWithUser", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"RelativeTarget", "GET a/b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"Utf8InTarget", "GET /\xc3\xbc HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"FragmentInTarget", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"BackslashInPath", "GET /a\\b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"ControlInTarget", "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"TlsHello", std::string("\x16\x03\x01\x02\x00\x01\x00", 7), 400},
        {"ConnectionNoToken", get("Connection: keep/alive\r\n"), 400},
        {"UnknownExpectation", get("Expect: 200-ok\r\n"), 417},
    };
}

std::vector<Vector> chunks() {
    return {
        {"ChunkNoSize", chunked("\r\nhello\r\n0\r\n\r\n"), 400},
        {"ChunkNotHex", chunked("g\r\nhello\r\n0\r\n\r\n"), 400},
        {"ChunkMinus", chunked("-1\r\nx\r\n0\r\n\r\n"), 400},
        {"ChunkPlus", chunked("+1\r\nx\r\n0\r\n\r\n"), 400},
        {"ChunkHexPrefix", chunked("0x1\r\nx\r\n0\r\n\r\n"), 400},
        {"ChunkLeadingSpace", chunked(" 1\r\nx\r\n0\r\n\r\n"), 400},
        {"ChunkTrailingSpace", chunked("1 \r\nx\r\n0\r\n\r\n"), 400},
        {"ChunkOverflow", chunked("fffffffffffffffff\r\nx\r\n"), 413},
        {"ChunkTooLarge", chunked("10001\r\n"), 413},
        {"ChunkSumTooLarge", chunked("1\r\na\r\n10000\r\n"), 413},
        {"ChunkBareLineFeed", chunked("1\nx\r\n0\r\n\r\n"), 400},
        {"ChunkBareReturn", chunked("1\rx\r\n0\r\n\r\n"), 400},
        {"ChunkDataTooLong", chunked("1\r\nxy\r\n0\r\n\r\n"), 400},
        {"ChunkDataLineFeed", chunked("1\r\nx\n0\r\n\r\n"), 400},
        {"ChunkExtensionTooLong", chunked("1;" + std::string(200, 'a') + "\r\nx\r\n0\r\n\r\n"),
         400},
        {"ChunkExtensionNoName", chunked("1;=a\r\nx\r\n0\r\n\r\n"), 400},
        {"ChunkExtensionQuoted", chunked("1;a=\"b\"\r\nx\r\n0\r\n\r\n"), 400},
        {"ChunkExtensionControl", chunked("1;\x01\r\nx\r\n0\r\n\r\n"), 400},
        {"ChunkExtensionLineFeed", chunked("1;a\nb\r\nx\r\n0\r\n\r\n"), 400},
        {"Trailer", chunked("1\r\nx\r\n0\r\nX-Sum: 1\r\n\r\n"), 400},
        {"TrailerLength", chunked("0\r\nContent-Length: 5\r\n\r\n"), 400},
        {"TrailerMalformed", chunked("0\r\nX\r\n\r\n"), 400},
        {"EndBareLineFeed", chunked("0\r\n\n"), 400},
    };
}

std::string many_headers(std::size_t count) {
    std::string headers;
    for (std::size_t i = 0; i < count; ++i) headers += "X: a\r\n";
    return headers;
}

std::vector<Vector> sizes() {
    const std::size_t space = limits::head_bytes_max - get("").size() - 5;
    return {
        {"HeadersAtLimit", get(many_headers(limits::headers_max - 1)), 200},
        {"HeadersOverLimit", get(many_headers(limits::headers_max)), 431},
        {"HeadAtLimit", get("X: " + std::string(space, 'a') + "\r\n"), 200},
        {"HeadOverLimit", get("X: " + std::string(space + 1, 'a') + "\r\n"), 431},
        {"HeadWithoutEnd", get("").substr(0, get("").size() - 2) + std::string(9000, 'a'), 431},
        {"TargetTooLong", "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
        {"LengthTooLarge", post("Content-Length: 65537\r\n", ""), 413},
    };
}

std::vector<Vector> all_vectors() {
    std::vector<Vector> all = well_formed();
    for (const auto& more : {smuggling(), request_lines(), chunks(), sizes()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

struct Seen {
    unsigned status = 0;
    std::string method, target, body;
    std::size_t headers = 0;
    std::size_t left = 0; // Bytes that belong to what follows.
    friend bool operator==(const Seen&, const Seen&) = default;
};

// Feeds the pieces one after the other, as a connection would, until a verdict.
Seen deliver(const std::vector<std::string_view>& pieces) {
    RequestReader reader;
    Request request;
    const Limits limits;
    Seen seen;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        std::string_view fresh = pieces[i];
        const auto step = reader.next(fresh, limits, request);
        if (step == RequestReader::Step::more) continue;
        if (step == RequestReader::Step::refused) {
            seen.status = code(reader.refusal().status);
            return seen;
        }
        seen.status = 200;
        seen.method = request.method_text;
        seen.target = request.target;
        seen.body = request.body;
        seen.headers = request.header_count;
        reader.release();
        seen.left = fresh.size() + reader.kept_bytes();
        while (++i < pieces.size()) seen.left += pieces[i].size();
        return seen;
    }
    return seen;
}

} // namespace

TEST(RequestReader, GivesEachVectorItsVerdict) {
    const auto vectors = all_vectors();
    EXPECT_GE(vectors.size(), 100u);
    for (const Vector& vector : vectors) {
        const Seen seen = deliver({vector.bytes});
        EXPECT_EQ(seen.status, vector.status) << vector.name;
        if (vector.status == 200) {
            EXPECT_EQ(seen.body, vector.body) << vector.name;
        }
    }
}

TEST(RequestReader, GivesTheSameVerdictHoweverTheBytesAreCut) {
    for (const Vector& vector : all_vectors()) {
        const std::string_view bytes = vector.bytes;
        const Seen whole = deliver({bytes});
        std::vector<std::string_view> single;
        for (std::size_t i = 0; i < bytes.size(); ++i) single.push_back(bytes.substr(i, 1));
        EXPECT_EQ(deliver(single), whole) << vector.name << " byte by byte";
        for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
            ASSERT_EQ(deliver({bytes.substr(0, cut), bytes.substr(cut)}), whole)
                << vector.name << " cut at " << cut;
        }
    }
}

TEST(RequestReader, AcceptsNothingThatBeastReadsDifferently) {
    for (const Vector& vector : all_vectors()) {
        const Seen ours = deliver({vector.bytes});
        if (ours.status != 200) continue;
        const auto beast = testing::ask_beast(vector.bytes);
        ASSERT_TRUE(beast.accepted) << vector.name;
        EXPECT_EQ(beast.method, ours.method) << vector.name;
        EXPECT_EQ(beast.target, ours.target) << vector.name;
        EXPECT_EQ(beast.body, ours.body) << vector.name;
        EXPECT_EQ(vector.bytes.size() - beast.used_bytes, ours.left) << vector.name;
    }
}

TEST(RequestReader, ReadsPipelinedRequestsOneAfterTheOther) {
    const std::string bytes = post("Content-Length: 1\r\n", "a") + chunked("1\r\nb\r\n0\r\n\r\n") +
                              post("Content-Length: 1\r\n", "c") + get("");
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        RequestReader reader;
        Request request;
        const Limits limits;
        std::string bodies;
        for (std::string_view piece :
             {std::string_view(bytes).substr(0, cut), std::string_view(bytes).substr(cut)}) {
            while (reader.next(piece, limits, request) == RequestReader::Step::ready) {
                bodies += std::string(request.body) + ".";
                reader.release();
            }
        }
        EXPECT_EQ(bodies, "a.b.c..") << "cut at " << cut;
        EXPECT_EQ(reader.phase(), RequestReader::Phase::idle);
        EXPECT_EQ(reader.kept_bytes(), 0u);
    }
}

TEST(RequestReader, SplitsTheTarget) {
    const std::string bytes = "GET http://b.example:81/x/y?q=1?2 HTTP/1.1\r\nHost: a\r\n\r\n";
    RequestReader reader;
    Request request;
    std::string_view fresh = bytes;
    ASSERT_EQ(reader.next(fresh, Limits{}, request), RequestReader::Step::ready);
    EXPECT_EQ(request.path, "/x/y");
    EXPECT_EQ(request.query, "q=1?2");
    EXPECT_EQ(request.host, "b.example:81");
    EXPECT_EQ(request.header("host"), "a");
    EXPECT_EQ(request.method, Method::get);
}

TEST(RequestReader, AsksForTheBodyOnlyWhenTheClientWaits) {
    const std::string head =
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
        "Content-Length: 2\r\n\r\n";
    RequestReader waits;
    Request request;
    std::string_view fresh = head;
    EXPECT_EQ(waits.next(fresh, Limits{}, request), RequestReader::Step::more);
    EXPECT_TRUE(waits.take_wants_continue());
    EXPECT_FALSE(waits.take_wants_continue());

    RequestReader does_not_wait;
    const std::string with_body = head + "o";
    fresh = with_body;
    EXPECT_EQ(does_not_wait.next(fresh, Limits{}, request), RequestReader::Step::more);
    EXPECT_FALSE(does_not_wait.take_wants_continue());
}

TEST(RequestReader, KeepAliveFollowsVersionAndConnection) {
    const auto keeps = [](const std::string& head) {
        RequestReader reader;
        Request request;
        std::string_view fresh = head;
        EXPECT_EQ(reader.next(fresh, Limits{}, request), RequestReader::Step::ready);
        return request.keep_alive;
    };
    EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
    EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n"));
}

} // namespace anteroom::net
