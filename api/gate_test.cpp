// The gate as a whole: rules, rooms and a real origin behind it.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "tests/server/test_site.h"

namespace anteroom::api {
namespace {

using urr::event_id;
using urr::path_of;
using urr::Site;
using urr::TestEvent;

TEST(Gate, PassesOnWhatMayPassAndNothingElse) {
    Site site;
    TestEvent event({.origins = {site.url()}});
    const auto page = event.server.ask("GET", "/shop?x=1");
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.body, "the site");
    EXPECT_EQ(site.last, "GET /shop?x=1");
    EXPECT_EQ(event.server.ask("GET", path_of("/events/")).status, 200);
    EXPECT_FALSE(site.saw("X-Anteroom-Room")); // An id in a path is no proof of anything.
    EXPECT_EQ(event.server.ask("GET", "/healthz").body, R"({"status":"ok"})"); // Our own.
    EXPECT_EQ(site.requests, 2);

    const auto refused =
        event.server.ask("POST", "/api/v1/seats/reserve", TestEvent::as_user("u"), R"({"seat":1})");
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.body, R"({"error":"Queue entry token required","redirectTo":"/queue"})");
    EXPECT_EQ(event.server.ask("GET", "/api/v1/reservations/my").status, 200);
    EXPECT_EQ(event.server.ask("GET", "/api/admin/x", TestEvent::as_user("u")).status, 403);
    EXPECT_EQ(event.server.ask("GET", "/api/admin/x", TestEvent::as_boss()).status, 200);
    for (const char* trick :
         {"/api/v1//seats/reserve", "/api/v1/seats/..%2freserve", "/api/v1/%2e%2e/seats/reserve",
          "/api/v1/seats;x=1/reserve", "/API/v1/seats/reserve", "/api/v1/seats/reserve%00"}) {
        const auto answer = event.server.ask("POST", trick, TestEvent::as_user("u"));
        EXPECT_TRUE(answer.status == 400 || answer.status == 403) << trick << answer.status;
    }
    EXPECT_EQ(site.requests, 4);
}

TEST(Gate, APassIsForOneUserAndOneEventWhileTheVisitLasts) {
    Site site;
    TestEvent event({.origins = {site.url()}});
    const std::string pass =
        TestServer::text_of(TestServer::json(event.inner("check", "user-1")), "entryToken");
    const std::string shown = "x-queue-entry-token: " + pass + "\r\n";
    const std::string seats = path_of("/api/v1/seats/events/");
    EXPECT_EQ(event.server.ask("GET", seats, TestEvent::as_user("user-1") + shown).status, 200);
    EXPECT_TRUE(site.saw("X-User-Id: user-1\n"));
    EXPECT_TRUE(site.saw(fmt::format("X-Anteroom-Room: {}\n", event_id)));
    EXPECT_EQ(event.server.ask("GET", seats, TestEvent::as_user("user-2") + shown).status, 403);
    EXPECT_EQ(event.server.ask("GET", seats, shown).status, 403); // Nobody is logged in.
    EXPECT_EQ(event.server
                  .ask("GET", fmt::format("/api/v1/seats/events/{}", urr::other_event),
                       TestEvent::as_user("user-1") + shown)
                  .status,
              403);
    event.inner("leave", "user-1");
    EXPECT_EQ(event.server.ask("GET", seats, TestEvent::as_user("user-1") + shown).status, 403);
}

TEST(Gate, TierOneIsAskedForWhileItIsActive) {
    Site site;
    TestEvent event({.origins = {site.url()}});
    const std::string page = path_of("/events/");
    EXPECT_EQ(event.server.ask("GET", page).status, 200);
    event.outer_admin("activate");
    const auto sent = event.server.ask("GET", page);
    EXPECT_EQ(sent.status, 302);
    EXPECT_EQ(sent.header("location"), path_of("/vwr/"));
    EXPECT_EQ(sent.header("cache-control"), "no-store, no-cache, must-revalidate");
    event.request_id("anon");
    event.outer_admin("advance");
    const std::string pass = TestEvent::with_outer(event.outer_pass("anon"));
    EXPECT_EQ(event.server.ask("GET", page, pass).status, 200);
    event.outer_admin("activate"); // A new generation: the old pass is over.
    EXPECT_EQ(event.server.ask("GET", page, pass).status, 302);
    event.outer_admin("deactivate");
    EXPECT_EQ(event.server.ask("GET", page).status, 200);
}

TEST(Gate, NobodyBecomesSomebodyByHeaders) {
    Site site;
    TestEvent event({.trust_loopback = false, .origins = {site.url()}});
    event.server.ask("GET", "/x",
                     "X-User-Id: boss\r\nX-User-Role: admin\r\nX-User-Email: a@b\r\n"
                     "X-Anteroom-Room: r\r\nX-CloudFront-Verified: yes\r\n"
                     "X-Forwarded-For: 203.0.113.9\r\n");
    for (const char* forged :
         {"boss", "admin", "a@b", "X-Anteroom-Room", "CloudFront", "203.0.113.9"})
        EXPECT_FALSE(site.saw(forged)) << forged;
    EXPECT_TRUE(site.saw("127.0.0.1"));
    EXPECT_EQ(
        event.server.ask("GET", "/api/admin/x", "X-User-Id: b\r\nX-User-Role: admin\r\n").status,
        401);
}

TEST(Gate, AnOriginThatIsAwayIsSaidKindly) {
    const net::testing::ClosedPort gone;
    TestEvent event({.origins = {gone.url()}});
    const auto api = event.server.ask("GET", "/x");
    EXPECT_EQ(api.status, 502);
    EXPECT_EQ(api.header("content-type"), "application/problem+json");
    EXPECT_EQ(TestServer::code(api), "unavailable");
    const auto page = event.server.ask("GET", "/x", "Accept: text/html\r\n");
    EXPECT_EQ(page.status, 502);
    EXPECT_NE(page.body.find("One moment, please"), std::string::npos);
}

TEST(Gate, OtherProxiesAskTheSameQuestion) {
    TestEvent event; // Without an origin of our own.
    const auto verify = [&](std::string_view query, const std::string& headers) {
        return event.server.ask("GET", fmt::format("/v1/verify{}", query), headers);
    };
    EXPECT_EQ(verify("", "X-Original-URI: /shop\r\n").status, 204);
    const std::string seats = "X-Original-URI: " + path_of("/api/v1/seats/events/") +
                              "?a=b\r\nX-Original-Method: GET\r\n";
    const auto refused = verify("", seats + TestEvent::as_user("u"));
    EXPECT_EQ(refused.status, 403);
    const std::string pass =
        TestServer::text_of(TestServer::json(event.inner("check", "u")), "entryToken");
    const auto passed =
        verify("", seats + TestEvent::as_user("u") + "Cookie: urr-entry-token=" + pass + "\r\n");
    EXPECT_EQ(passed.status, 204);
    EXPECT_EQ(passed.header("x-user-id"), "u");
    EXPECT_EQ(passed.header("x-anteroom-room"), event_id);
    // A client's own headers come along: what it adds must not change what is asked about.
    for (const char* lie : {"X-Original-URI: /shop\r\n", "X-Original-URL: /shop\r\n",
                            "X-Original-Method: OPTIONS\r\n",
                            "X-Forwarded-Host: elsewhere\r\n"
                            "X-Original-Host: here\r\n"}) {
        const std::string truth = "X-Forwarded-Uri: " + path_of("/api/v1/seats/events/") +
                                  "\r\nX-Forwarded-Method: GET\r\n";
        EXPECT_EQ(verify("", truth + lie + TestEvent::as_user("u")).status, 403) << lie;
        EXPECT_EQ(verify("", lie + truth + TestEvent::as_user("u")).status, 403) << lie;
    }
    EXPECT_EQ(verify("", "X-Original-URI: /a\r\nX-Original-URI: /b\r\n").status, 403);
    event.outer_admin("activate");
    const std::string page = "X-Forwarded-Uri: " + path_of("/events/") + "\r\n";
    EXPECT_EQ(verify("", page).status, 302);
    EXPECT_EQ(verify("", page).header("location"), path_of("/vwr/"));
    const auto nginx = verify("?mode=nginx", page);
    EXPECT_EQ(nginx.status, 403);
    EXPECT_EQ(nginx.header("x-anteroom-redirect"), path_of("/vwr/"));
    EXPECT_EQ(event.server.ask("GET", "/v1/edge/active").body,
              fmt::format(R"({{"active":["{}"]}})", event_id));
    event.outer_admin("deactivate");
    EXPECT_EQ(event.server.ask("GET", "/v1/edge/active").body, R"({"active":[]})");
}

TEST(Gate, CallsAreCountedByUserOrAddress) {
    TestEvent event({.call_limits = {0, 120, 0, 0}});
    for (int i = 0; i < 120; ++i) ASSERT_EQ(event.inner("status", "busy").status, 200);
    const auto over = event.inner("status", "busy");
    EXPECT_EQ(over.status, 429);
    EXPECT_EQ(over.body, R"({"error":"Rate limit exceeded","retryAfter":60})");
    EXPECT_NE(over.header("retry-after"), "");
    EXPECT_EQ(event.inner("status", "another").status, 200);
    EXPECT_EQ(event.server.ask("GET", "/api/auth/me").status, 404); // Not counted, not there.
}

TEST(Gate, APassIsExchangedForASessionOnce) {
    Site site;
    TestEvent event({.origins = {site.url()}, .sessions_only = true});
    const std::string user = TestEvent::as_user("u");
    const auto with = [&](std::string_view token) {
        return event.server.ask("GET", path_of("/api/v1/seats/events/"),
                                user + fmt::format("x-queue-entry-token: {}\r\n", token));
    };
    const std::string pass =
        TestServer::text_of(TestServer::json(event.inner("check", "u")), "entryToken");
    EXPECT_EQ(with(pass).status, 403); // Not before it was exchanged.
    const auto redeem = [&](std::string_view token) {
        return event.server.ask("POST", path_of("/v1/rooms/", "/redeem"),
                                fmt::format("x-queue-entry-token: {}\r\n", token));
    };
    // Everybody at once; one wins.
    std::atomic<int> won{0}, lost{0};
    std::mutex mutex;
    std::string session;
    std::vector<std::thread> thieves;
    for (int i = 0; i < 64; ++i)
        thieves.emplace_back([&] {
            const auto answer = redeem(pass);
            (answer.status == 200 ? won : lost).fetch_add(1);
            if (answer.status != 200) return;
            const std::lock_guard lock(mutex);
            session = TestServer::text_of(TestServer::json(answer), "pass");
        });
    for (std::thread& thief : thieves) thief.join();
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, 63);
    EXPECT_EQ(with(session).status, 200);
    EXPECT_EQ(with(pass).status, 403);
    const auto about_room = [&](std::string_view token) {
        return event.server.ask("GET", path_of("/v1/verify?room="),
                                fmt::format("x-queue-entry-token: {}\r\n", token));
    };
    EXPECT_EQ(about_room(session).status, 204);
    EXPECT_EQ(about_room(pass).status, 403);
    EXPECT_EQ(redeem(session).status, 403); // A session is no pass.
    const std::string again =
        TestServer::text_of(TestServer::json(event.inner("status", "u")), "entryToken");
    EXPECT_EQ(redeem(again).status, 403);
    EXPECT_EQ(event.inner("status", "u").head.find("urr-entry-token="), std::string::npos);
    event.inner("leave", "u");
    EXPECT_EQ(with(session).status, 403);
}

TEST(Gate, BrowsersAreSentOnWithinTheSiteOnly) {
    TestEvent event;
    const std::string pass =
        TestServer::text_of(TestServer::json(event.inner("check", "u")), "entryToken");
    const auto go = [&](std::string_view next) {
        return event.server.ask("GET", path_of("/v1/rooms/", fmt::format("/redeem?next={}", next)),
                                fmt::format("Cookie: urr-entry-token={}\r\n", pass));
    };
    for (const char* away : {"//evil.example", "https://evil.example", "/%5Cevil.example", "", "x",
                             "/a%0d%0aLocation:x"})
        EXPECT_EQ(go(away).status, 400) << away;
    const auto sent = go("/events/1/seats?a=b");
    EXPECT_EQ(sent.status, 303);
    EXPECT_EQ(sent.header("location"), "/events/1/seats?a=b");
    EXPECT_NE(sent.head.find("Set-Cookie: urr-entry-token="), std::string::npos);
}

TEST(Gate, ABookingIsForTheEventOfThePass) {
    Site site;
    TestEvent event({.origins = {site.url()}});
    const std::string pass =
        TestServer::text_of(TestServer::json(event.inner("check", "u")), "entryToken");
    const std::string head =
        TestEvent::as_user("u") + fmt::format("x-queue-entry-token: {}\r\n", pass);
    const auto named = [](std::string_view id) {
        return fmt::format(R"({{"seatIds":["s-1"],"eventId":"{}"}})", id);
    };
    const auto book = [&](const std::string& body,
                          std::string_view path = "/api/v1/seats/reserve") {
        return event.server.ask("POST", path, head, body);
    };
    const std::string right = named(event_id), wrong = named(urr::other_event);
    EXPECT_EQ(book(right).status, 200);
    EXPECT_EQ(site.last_body(), right);
    EXPECT_TRUE(site.saw(fmt::format("X-Anteroom-Room: {}\n", event_id)));
    EXPECT_EQ(book(right, "/api/reservations").status, 200);
    const auto refused = book(wrong);
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.body, R"({"error":"Queue entry token required","redirectTo":"/queue"})");
    EXPECT_EQ(book(wrong, "/api/reservations/7/cancel").status, 200); // Names none by contract.
    EXPECT_EQ(book("{").status, 400);
    EXPECT_EQ(book("").status, 400);
    EXPECT_EQ(site.requests, 3);
    // As it comes in pieces or in chunks: the whole of it is read before anything is passed on.
    const auto raw = [&](std::string_view lines, const std::vector<std::string>& pieces) {
        net::testing::Dial dial(event.server.port());
        dial.write(
            fmt::format("POST /api/seats/reserve HTTP/1.1\r\nHost: test\r\n{}{}\r\n", head, lines));
        for (const std::string& piece : pieces) dial.write(piece);
        return dial.read_response();
    };
    const std::string json = "Content-Type: application/json\r\n";
    const std::string sized = fmt::format("Content-Length: {}\r\n", right.size());
    EXPECT_EQ(raw(json + sized, {right.substr(0, 9), right.substr(9)}).status, 200);
    const std::string chunked = json + "Transfer-Encoding: chunked\r\n";
    const auto chunk = [](std::string_view text) {
        return fmt::format("{:x}\r\n{}\r\n", text.size(), text);
    };
    EXPECT_EQ(raw(chunked, {chunk(right.substr(0, 9)), chunk(right.substr(9)), chunk("")}).status,
              200);
    EXPECT_EQ(site.last_body(), right);
    EXPECT_EQ(raw(chunked, {chunk(wrong), chunk("")}).status, 403);
    EXPECT_EQ(raw("Content-Type: text/plain\r\n" + sized, {right}).status, 415);
    EXPECT_EQ(raw(json + "Content-Encoding: gzip\r\n" + sized, {right}).status, 415);
    EXPECT_EQ(raw(json + "Content-Length: 65537\r\n", {}).status, 413);
    EXPECT_EQ(raw(chunked, {chunk(std::string(65'537, ' '))}).status, 413);
    EXPECT_EQ(site.requests, 5);
}

TEST(Gate, LargeBodiesAreStreamedToTheOrigin) {
    std::atomic<std::size_t> arrived{0};
    net::testing::TestServer origin(
        [&](const net::Request& request, net::Exchange& exchange) {
            arrived = request.body.size();
            exchange.answer(net::Status::ok, "text/plain", "thanks");
        },
        net::ServerOptions{.limits = {.body_bytes_max = 4 * 1024 * 1024}});
    TestEvent event({.origins = {fmt::format("http://127.0.0.1:{}", origin.port())}});
    const std::string body(3 * 1024 * 1024, 'x');
    EXPECT_EQ(event.server.ask("POST", "/upload", "", body).body, "thanks");
    EXPECT_EQ(arrived, body.size());
    // Our own routes keep their limit.
    EXPECT_EQ(event.server.ask("POST", path_of("/vwr/assign/"), "", body).status, 413);
}

} // namespace
} // namespace anteroom::api
