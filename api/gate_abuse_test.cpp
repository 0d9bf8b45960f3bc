// Ways around the gate that people try: around the edge, with somebody else's or yesterday's pass,
// under another host, many at once.
#include <gtest/gtest.h>

#include <barrier>
#include <ctime>
#include <thread>

#include "tests/server/test_site.h"

namespace anteroom::api {
namespace {

using urr::event_id;
using urr::path_of;
using urr::Site;
using urr::TestEvent;

const std::vector<std::string> edge_secrets{"edge-test-secret-0123456789abcdef",
                                            "older-edge-secret-0123456789abcde"};

// What an edge that signs adds to a request for this host, so many seconds from now.
std::string stamped(std::string_view method, std::string_view target, std::int64_t later = 0) {
    const gate::EdgeKeys keys = *gate::EdgeKeys::from_texts(edge_secrets);
    const gate::Question question{
        .method = method, .host = "test", .target = target, .headers = {}};
    return fmt::format("X-CloudFront-Verified: {}\r\n",
                       keys.stamp_testing(question, {std::time(nullptr) + later}));
}

TEST(GateAbuse, BehindAnEdgeThatSignsNothingElseGetsThrough) {
    Site site;
    TestEvent event({.origins = {site.url()}, .edge_secrets = edge_secrets});
    const auto get = [&](std::string_view target, const std::string& headers) {
        return event.server.ask("GET", target, headers);
    };
    EXPECT_EQ(get("/shop?a=b", stamped("GET", "/shop?a=b")).status, 200);
    EXPECT_FALSE(site.saw("v1.")); // The origin has no use for it.
    const std::string good = stamped("GET", "/shop");
    for (const std::string& bad :
         {std::string(), stamped("POST", "/shop"), stamped("GET", "/shop?a"),
          stamped("GET", "/shop", -120), stamped("GET", "/shop", 120), good + good,
          "X-CloudFront-Verified: " + edge_secrets[0] + "\r\n"}) {
        const auto refused = get("/shop", bad + "Accept: text/html\r\n");
        EXPECT_EQ(refused.status, 403) << bad;
        EXPECT_EQ(refused.body, R"({"error":"Edge signature required"})");
        EXPECT_EQ(refused.header("cache-control"), "no-store, no-cache, must-revalidate");
    }
    EXPECT_EQ(get("/a//b", "").status, 403); // Before everything else, the path included.
    EXPECT_EQ(get("/a//b", stamped("GET", "/a//b")).status, 400);
    EXPECT_EQ(site.requests, 1);
    // With the older key, while the edge is being changed.
    TestEvent turned({.origins = {site.url()}, .edge_secrets = {edge_secrets[1], edge_secrets[0]}});
    EXPECT_EQ(turned.server.ask("GET", "/shop", good).status, 200);
    // What is ours needs none.
    for (const char* own :
         {"/healthz", "/readyz", "/metrics", "/v1/openapi.json", "/v1/edge/active", "/wait/room"})
        EXPECT_EQ(get(own, TestServer::as_admin()).status, 200) << own;
    EXPECT_EQ(event.inner("check", "u").status, 200);
}

TEST(GateAbuse, AStampReplacesNoPassAndNoUser) {
    Site site;
    TestEvent event({.origins = {site.url()}, .edge_secrets = edge_secrets});
    const std::string pass =
        TestServer::text_of(TestServer::json(event.inner("check", "u")), "entryToken");
    const std::string seats = path_of("/api/v1/seats/events/");
    const std::string stamp = stamped("GET", seats);
    const std::string shown = fmt::format("x-queue-entry-token: {}\r\n", pass);
    EXPECT_EQ(event.server.ask("GET", seats, stamp).status, 403);
    EXPECT_EQ(event.server.ask("GET", seats, stamp + shown).status, 403);
    EXPECT_EQ(event.server.ask("GET", seats, stamp + shown + TestEvent::as_user("v")).status, 403);
    EXPECT_EQ(event.server.ask("GET", seats, shown + TestEvent::as_user("u")).status, 403);
    EXPECT_EQ(site.requests, 0);
    EXPECT_EQ(event.server.ask("GET", seats, stamp + shown + TestEvent::as_user("u")).status, 200);
}

TEST(GateAbuse, OtherProxiesPassTheStampOfTheOriginalRequest) {
    TestEvent event({.edge_secrets = edge_secrets});
    const auto verify = [&](const std::string& headers, std::string_view query = {}) {
        return event.server.ask("GET", fmt::format("/v1/verify{}", query), headers);
    };
    const std::string post =
        "X-Original-URI: /shop?a=b\r\nX-Original-Method: POST\r\nX-Forwarded-Host: TEST\r\n";
    EXPECT_EQ(verify(post + stamped("POST", "/shop?a=b")).status, 204);
    EXPECT_EQ(verify("X-Forwarded-Uri: /shop\r\n" + stamped("GET", "/shop")).status, 204);
    EXPECT_EQ(verify(post + stamped("GET", "/v1/verify")).status, 403); // Of the question itself.
    EXPECT_EQ(verify(post + stamped("GET", "/shop?a=b")).status, 403);
    EXPECT_EQ(verify(post + stamped("POST", "/shop")).status, 403);
    EXPECT_EQ(verify("X-Original-Host: a\r\n" + post + stamped("POST", "/shop?a=b")).status, 403);
    const auto nginx = verify(post, "?mode=nginx");
    EXPECT_EQ(nginx.status, 403);
    EXPECT_EQ(nginx.header("x-anteroom-refusal"), R"({"error":"Edge signature required"})");
}

std::string entry_pass(TestEvent& event, std::string_view user) {
    return TestServer::text_of(TestServer::json(event.inner("check", user)), "entryToken");
}

std::string showing(std::string_view pass, std::string_view user) {
    return fmt::format("x-queue-entry-token: {}\r\n{}", pass, TestEvent::as_user(user));
}

TEST(GateAbuse, OfManyWhoShowTheSamePassOneWinsEachTime) {
    constexpr std::size_t passes = 50, thieves = 64;
    TestEvent event({.sessions_only = true});
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < passes; ++i)
        shown.push_back(entry_pass(event, fmt::format("u-{}", i)));
    std::vector<std::atomic<int>> won(passes);
    std::barrier together(thieves);
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < thieves; ++i)
        all.emplace_back([&] {
            net::testing::Dial dial(event.server.port());
            for (std::size_t pass = 0; pass < passes; ++pass) {
                together.arrive_and_wait();
                const auto answer = dial.ask(
                    TestServer::text("POST", path_of("/v1/rooms/", "/redeem"),
                                     fmt::format("x-queue-entry-token: {}\r\n", shown[pass])));
                EXPECT_TRUE(answer.status == 200 || answer.status == 403) << answer.status;
                if (answer.status == 200) won[pass].fetch_add(1);
            }
        });
    for (std::thread& one : all) one.join();
    for (std::size_t pass = 0; pass < passes; ++pass) EXPECT_EQ(won[pass], 1) << pass;
}

TEST(GateAbuse, APassEndsWithItsKeyAndWithItsRoom) {
    Site site;
    TestEvent event({.origins = {site.url()}});
    const std::string pass = entry_pass(event, "u"), seats = path_of("/api/v1/seats/events/");
    const auto status = [&](std::string_view shown) {
        return event.server.ask("GET", seats, showing(shown, "u")).status;
    };
    EXPECT_EQ(status(pass), 200);
    const token::UnixSeconds just_now{std::time(nullptr) - 10};
    event.server.rotate(token::Purpose::entry, just_now, hours(1)); // Both count.
    const std::string renewed =
        TestServer::text_of(TestServer::json(event.inner("status", "u")), "entryToken");
    EXPECT_NE(renewed, pass);
    EXPECT_EQ(status(pass), 200);
    EXPECT_EQ(status(renewed), 200);
    event.server.rotate(token::Purpose::entry, just_now, seconds(0));
    EXPECT_EQ(status(renewed), 403);
    const std::string last =
        TestServer::text_of(TestServer::json(event.inner("status", "u")), "entryToken");
    EXPECT_EQ(status(last), 200);
    event.server.ask("POST", path_of("/api/queue/admin/clear/"), TestEvent::as_boss());
    EXPECT_EQ(status(last), 403);
    EXPECT_EQ(site.requests, 4);
}

TEST(GateAbuse, AHostIsWhatTheOriginWillTakeItFor) {
    Site site;
    TestEvent event({.trust_loopback = false, .origins = {site.url()}});
    const Result<gate::Rules> rules = gate::read_rules(
        "version = 1\n[[rule]]\nname = \"back\"\nhosts = [\"back.example\"]\npath = \"/**\"\n"
        "deny = true\n[[rule]]\nname = \"rest\"\npath = \"/**\"\n",
        "r");
    ASSERT_TRUE(rules);
    event.server.gate.rules.store(std::make_shared<gate::Rules>(*rules));
    const auto status = [&](std::string_view target, std::string_view lines) {
        net::testing::Dial dial(event.server.port());
        return dial.ask(fmt::format("GET {} HTTP/1.1\r\n{}\r\n", target, lines)).status;
    };
    for (const char* host :
         {"back.example", "BACK.example", "back.example.", "back.example:80", "Back.Example.:8080"})
        EXPECT_EQ(status("/", fmt::format("Host: {}\r\n", host)), 403) << host;
    EXPECT_EQ(status("http://back.example/", "Host: shop\r\n"), 403);
    EXPECT_EQ(status("/", "Host: back.example\r\nX-Forwarded-Host: shop\r\n"), 403);
    EXPECT_EQ(status("/", "Host: back.example\r\nHost: shop\r\n"), 400);
    EXPECT_EQ(status("/", "Host: shop\r\nHost: back.example\r\n"), 400);
    EXPECT_EQ(status("/", ""), 400);
    EXPECT_EQ(site.requests, 0);
    EXPECT_EQ(status("http://shop/", "Host: back.example\r\n"), 200);
    EXPECT_TRUE(site.saw("Host: shop\n"));
    EXPECT_FALSE(site.saw("back.example"));
}

TEST(GateAbuse, AnotherAddressInAHeaderIsNoOtherClient) {
    TestEvent event({.trust_loopback = false, .call_limits = {0, 5, 0, 0}});
    const auto status = [&](int i) {
        const std::string lie = fmt::format(
            "X-Forwarded-For: 198.51.100.{0}\r\nX-Real-IP: 198.51.100.{0}\r\n"
            "Forwarded: for=198.51.100.{0}\r\nX-User-Id: u-{0}\r\n",
            i);
        return event.server.ask("GET", path_of("/api/queue/status/"), lie).status;
    };
    for (int i = 0; i < 5; ++i) EXPECT_EQ(status(i), 401);
    EXPECT_EQ(status(5), 429);
}

TEST(GateAbuse, ABodyThatIsReadIsFramedInOneWayToo) {
    Site site;
    TestEvent event({.origins = {site.url()}});
    const std::string head = showing(entry_pass(event, "u"), "u");
    const std::string body = fmt::format(R"({{"eventId":"{}"}})", event_id);
    const std::string sized = fmt::format("Content-Length: {}\r\n", body.size());
    const std::string chunk = fmt::format("{:x}\r\n{}\r\n", body.size(), body);
    const std::string hidden = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    const std::string chunked = "Transfer-Encoding: chunked\r\n";
    for (const auto& [lines, rest] : std::vector<std::pair<std::string, std::string>>{
             {chunked + sized, chunk + "0\r\n\r\n"},
             {sized + sized, body},
             {chunked, chunk + "0\r\nX-User-Id: boss\r\n\r\n"},
             {chunked, chunk + "0x0\r\n\r\n"},
             {chunked, chunk.substr(0, chunk.size() - 2) + "XX0\r\n\r\n"}}) {
        net::testing::Dial dial(event.server.port());
        dial.write(
            fmt::format("POST /api/seats/reserve HTTP/1.1\r\nHost: test\r\n"
                        "Content-Type: application/json\r\n{}{}\r\n{}{}",
                        head, lines, rest, hidden));
        const std::string all = dial.read_all();
        EXPECT_TRUE(all.starts_with("HTTP/1.1 400 ")) << lines << rest << all;
        EXPECT_EQ(all.find("\nHTTP/1.1 "), all.npos) << all;
    }
    EXPECT_EQ(site.requests, 0);
}

} // namespace
} // namespace anteroom::api
