#include "gate/forward_headers.h"

#include <gtest/gtest.h>

#include "net/http_parser.h"
#include "net/trusted_proxies.h"

namespace anteroom::gate {

namespace {

using net::Output;
using net::Request;
using net::ResponseHead;

std::string text_of(const Output& output) {
    return {output.data(), output.size()};
}

// What the origin sees of a request of 192.0.2.7.
std::string forwarded(const std::string& head, bool trusted = false, ForwardHeaders forward = {}) {
    Request request;
    EXPECT_FALSE(net::parse_request_head(head, {}, request));
    request.peer = *net::parse_ip("192.0.2.7");
    request.peer_is_trusted = trusted;
    forward.upgrades = wants_upgrade(request);
    Output output;
    write_request_head(output, request, forward);
    return text_of(output);
}

std::string answered(const std::string& head, std::string_view request_id = "") {
    ResponseHead parsed;
    EXPECT_TRUE(net::parse_response_head(head, parsed));
    Output output;
    write_response_headers(output, parsed, request_id, "", false);
    return text_of(output);
}

bool has(const std::string& text, std::string_view what) {
    return text.find(what) != text.npos;
}

} // namespace

TEST(ForwardHeaders, HopByHopHeadersEndHere) {
    const std::string head = forwarded(
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close, X-Private , keep-alive\r\n"
        "Keep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: x\r\n"
        "TE: trailers\r\nTrailer: X\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\nX-Private: 1\r\n"
        "Proxy: http://evil\r\nAccept: */*\r\n\r\n");
    for (const char* gone : {"Connection", "Keep-Alive", "Proxy", "TE:", "Trailer", "Upgrade",
                             "Settings", "X-Private", "evil"}) {
        EXPECT_FALSE(has(head, gone)) << gone << "\n" << head;
    }
    EXPECT_TRUE(has(head, "Accept: */*\r\n"));
    EXPECT_TRUE(has(head, "Host: a\r\n"));
}

TEST(ForwardHeaders, ConnectionCannotTakeAwayWhatTheGateSets) {
    const net::Header identity[] = {{"X-User-Id", "ann"}};
    const std::string head = forwarded(
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: X-User-Id, X-Forwarded-For, Host\r\n\r\n", false,
        {.request_id = "7", .identity = identity});
    EXPECT_TRUE(has(head, "X-User-Id: ann\r\n"));
    EXPECT_TRUE(has(head, "X-Forwarded-For: 192.0.2.7\r\n"));
    EXPECT_TRUE(has(head, "Host: a\r\n"));
    EXPECT_TRUE(has(head, "X-Request-ID: 7\r\n"));
}

TEST(ForwardHeaders, OfStrangersTheChainBeginsHere) {
    const std::string head = forwarded(
        "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\n"
        "X-Forwarded-Host: bank\r\nForwarded: for=1.2.3.4\r\nX-Real-IP: 1.2.3.4\r\n"
        "X_Forwarded_For: 1.2.3.4\r\n\r\n");
    EXPECT_FALSE(has(head, "1.2.3.4")) << head;
    EXPECT_TRUE(has(head,
                    "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: http\r\n"
                    "X-Forwarded-Host: a\r\n"));
}

TEST(ForwardHeaders, ATrustedProxysChainIsContinued) {
    const std::string head = forwarded(
        "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For: 5.6.7.8\r\n"
        "X-Forwarded-Proto: https\r\nX-Forwarded-Host: shop\r\nForwarded: for=1.2.3.4\r\n\r\n",
        true);
    EXPECT_TRUE(has(head, "X-Forwarded-For: 1.2.3.4, 5.6.7.8, 192.0.2.7\r\n")) << head;
    EXPECT_TRUE(has(head, "X-Forwarded-Proto: https\r\n"));
    EXPECT_TRUE(has(head, "X-Forwarded-Host: shop\r\n"));
    EXPECT_TRUE(has(head, "Forwarded: for=1.2.3.4\r\n"));
}

TEST(ForwardHeaders, FramingIsWrittenAnew) {
    Request request;
    const std::string head =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
        "Expect: 100-continue\r\nContent_Length: 7\r\nTransfer_Encoding: x\r\n\r\n";
    ASSERT_FALSE(net::parse_request_head(head, {}, request));
    request.body_streams = true;
    Output output;
    write_request_head(output, request, {});
    EXPECT_TRUE(has(text_of(output), "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"));
    EXPECT_FALSE(has(text_of(output), "Length"));
    EXPECT_FALSE(has(text_of(output), "Transfer_"));

    request.body_streams = false; // It was read whole.
    request.body = "hello";
    output.clear();
    write_request_head(output, request, {});
    EXPECT_TRUE(has(text_of(output), "Content-Length: 5\r\n\r\n"));
    EXPECT_FALSE(has(text_of(output), "chunked"));
    EXPECT_FALSE(has(text_of(output), "Expect"));
}

TEST(ForwardHeaders, ABodilessPostSaysSo) {
    const std::string post = forwarded("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    EXPECT_TRUE(has(post, "Content-Length: 0\r\n"));
    EXPECT_FALSE(has(forwarded("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "Content-Length"));
}

TEST(ForwardHeaders, AbsoluteFormBecomesAPathAndItsHostCounts) {
    const std::string head =
        forwarded("GET http://shop.example/a?b=1 HTTP/1.1\r\nHost: other\r\n\r\n");
    EXPECT_TRUE(head.starts_with("GET /a?b=1 HTTP/1.1\r\nHost: shop.example\r\n")) << head;
    EXPECT_FALSE(has(head, "other"));
}

TEST(ForwardHeaders, OnlyARealUpgradeIsPassedOn) {
    const std::string real =
        forwarded("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    EXPECT_TRUE(has(real, "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"));
    EXPECT_FALSE(
        has(forwarded("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n"), "pgrade"));
    EXPECT_FALSE(
        has(forwarded("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n\r\n"), "pgrade"));
}

TEST(ForwardHeaders, NothingButWebSocketIsUpgradedTo) {
    const std::string head = forwarded(
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        "HTTP2-Settings: AAA\r\n\r\n");
    EXPECT_FALSE(has(head, "pgrade")) << head;
    EXPECT_FALSE(has(head, "ettings")) << head;
}

TEST(ForwardHeaders, OfAnAnswerTheSame) {
    const std::string lines = answered(
        "HTTP/1.1 200 OK\r\nConnection: X-Inner\r\nX-Inner: 1\r\nKeep-Alive: 5\r\n"
        "Transfer-Encoding: chunked\r\nTrailer: X\r\nUpgrade: h2\r\nProxy-Authenticate: x\r\n"
        "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Request-ID: theirs\r\nServer: s\r\n\r\n",
        "ours");
    EXPECT_EQ(lines, "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nServer: s\r\nX-Request-ID: ours\r\n");
}

TEST(ForwardHeaders, KnowsIdentityInEverySpelling) {
    const auto passes = [](const std::string& name) {
        const std::string line = name + ": eve\r\n";
        return has(forwarded("GET / HTTP/1.1\r\nHost: a\r\n" + line + "\r\n"), line);
    };
    for (const char* name : {"X-User-Id", "x-user-id", "X_USER_ID", "X-User_Role", "x.user.email",
                             "X-User-", "X-User-A-Very-Long-Name-Indeed", "X-Anteroom-Pass",
                             "x_anteroom_room", "X-CloudFront-Verified", "X~User~Id", "X-User"}) {
        EXPECT_FALSE(passes(name)) << name;
    }
    for (const char* name : {"X-Userland", "User-Agent", "X-Use", "Cookie", "X-Anteroomy",
                             "X-CloudFront-Verified-By-A-Long-Shot"}) {
        EXPECT_TRUE(passes(name)) << name;
    }
}

} // namespace anteroom::gate
