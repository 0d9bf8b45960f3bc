// Who calls, how often, and for what: users, limits, the origin, operators, probes.
#include <gtest/gtest.h>

#include "dialects/tacos/test_event.h"
#include "token/base64.h"
#include "token/secret.h"

namespace anteroom::tacos {
namespace {

constexpr std::string_view jwt_secret = "jwt-test-secret-0123456789abcdef";

// As the login of system T signs.
std::string access_token(std::string_view secret, std::string_view claims) {
    const auto encode = [](std::string_view text) {
        return token::base64url(token::bytes_of(text));
    };
    const std::string text = encode(R"({"alg":"HS256","typ":"JWT"})") + "." + encode(claims);
    return text + "." + token::base64url(token::Hmac(token::bytes_of(secret)).sign(text));
}

TestOptions strangers() {
    TestOptions others;
    others.trust_loopback = false;
    others.jwt_secret = jwt_secret;
    return others;
}

TEST(TacosCaller, AUserHasOneTokenPerEvent) {
    TestEvent event;
    const auto first = event.join("u1");
    const auto again = event.join("u1");
    EXPECT_EQ(again.status, 202u);
    EXPECT_EQ(again.body, first.body);
    EXPECT_NE(event.token("u2"), TestServer::text_of(TestServer::json(first), "waiting_token"));
    const auto elsewhere = event.join_body(R"({"event_id":"evt_2","user_id":"u1"})");
    EXPECT_NE(TestServer::json(elsewhere).at("waiting_token"),
              TestServer::json(first).at("waiting_token"));
    event.call(1);
    const std::string token = event.token("u1");
    EXPECT_EQ(event.enter(token).status, 200u);
    EXPECT_EQ(event.join("u1").body,
              fmt::format(R"({{"waiting_token":"{}","position_hint":0,"status":"ready"}})", token));
}

TEST(TacosCaller, AStrangersBodyNamesNobody) {
    TestEvent event(options_of(stopped()), strangers());
    EXPECT_NE(event.token("u1"), event.token("u1"));
    EXPECT_EQ(event.room()->view().waiting(), 2u);
}

TEST(TacosCaller, TheBodyCountsByConfiguration) {
    Options options = options_of(stopped());
    options.trusts_body_user = true;
    TestEvent event(std::move(options), strangers());
    EXPECT_EQ(event.token("u1"), event.token("u1"));
}

TEST(TacosCaller, AVerifiedUserWinsOverTheBody) {
    TestEvent event(options_of(stopped()), strangers());
    const std::string claims =
        R"({"sub":"u7","user_id":"u7","username":"seven","role":"user","iat":1700000000,)"
        R"("exp":4000000000,"iss":"traffic-tacos-gateway","aud":"traffic-tacos-api"})";
    const std::string as_seven = TestServer::bearer(access_token(jwt_secret, claims));
    const std::string token = TestServer::text_of(
        TestServer::json(event.join("somebody-else", as_seven)), "waiting_token");
    EXPECT_EQ(TestServer::text_of(TestServer::json(event.join({}, as_seven)), "waiting_token"),
              token);
    EXPECT_EQ(event.server.ask("GET", "/api/v1/admin/stats", as_seven).status, 403u);
    // Of another secret, for others, over, without an end: nobody, and nothing breaks.
    const auto changed = [&](std::string_view from, std::string_view to) {
        std::string other = claims;
        other.replace(other.find(from), from.size(), to);
        return access_token(jwt_secret, other);
    };
    for (const std::string& shown :
         {access_token("another-secret-0123456789abcdef0", claims),
          changed("traffic-tacos-api", "others"), changed("4000000000", "1700000001"),
          changed(R"("exp":4000000000,)", ""), changed(R"("sub")", R"("type":"refresh","sub")")}) {
        const auto answer = event.join({}, TestServer::bearer(shown));
        EXPECT_EQ(answer.status, 202u);
        EXPECT_NE(TestServer::text_of(TestServer::json(answer), "waiting_token"), token);
        EXPECT_ERROR(event.server.ask("GET", "/api/v1/admin/stats", TestServer::bearer(shown)), 401,
                     "INVALID_TOKEN", "Token validation failed");
    }
    // The login names the admins, too.
    const std::string as_boss =
        TestServer::bearer(changed(R"("role":"user")", R"("role":"ADMIN")"));
    EXPECT_EQ(event.server.ask("GET", "/api/v1/admin/stats", as_boss).status, 200u);
}

TEST(TacosCaller, TheOriginalsBypassTokensMeanNothing) {
    TestEvent event(options_of(stopped()), strangers());
    for (const auto& [bearer, header] :
         {std::pair{"dev-super-key-local-testing", "X-Dev-Mode: true\r\n"},
          std::pair{"load-test-bypass-token", "X-Load-Test: true\r\n"}}) {
        const std::string headers = TestServer::bearer(bearer) + header;
        EXPECT_NE(event.join({}, headers).body, event.join({}, headers).body);
        EXPECT_ERROR(event.server.ask("GET", "/api/v1/admin/stats", headers), 401, "INVALID_TOKEN",
                     "Token validation failed");
    }
}

TEST(TacosCaller, ATestTokenNamesTestUsersAndNothingElse) {
    Options options = options_of(stopped());
    options.test_token = "a-long-test-token-0123456789-abcdef";
    TestEvent event(std::move(options), strangers());
    const std::string bearer = TestServer::bearer("a-long-test-token-0123456789-abcdef");
    const std::string developer = bearer + "X-Dev-Mode: true\r\n";
    EXPECT_EQ(event.join({}, developer).body, event.join({}, developer).body);
    EXPECT_NE(event.join({}, bearer + "X-Load-Test: true\r\n").body,
              event.join({}, bearer + "X-Load-Test: true\r\n").body);
    // Two keys are two users, however alike they begin.
    const auto load = [&](std::string_view key) {
        return TestServer::text_of(
            TestServer::json(
                event.join({}, bearer + "X-Load-Test: true\r\n" + TestEvent::key_header(key))),
            "waiting_token");
    };
    EXPECT_NE(load("0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a01"),
              load("0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a02"));
    EXPECT_EQ(event.server.ask("GET", "/api/v1/admin/stats", developer).status, 403u);
    EXPECT_EQ(event.enter(event.token(), developer).status, 403u) << "the turn has not come";
}

TEST(TacosLimit, EveryAnswerTellsItAndTooManyAreRefused) {
    Options options = options_of(stopped());
    options.limit_burst = 3;
    options.limit_per_second = 1;
    TestEvent event(std::move(options));
    const auto first = event.join();
    EXPECT_EQ(first.status, 202u);
    EXPECT_EQ(first.header("x-ratelimit-limit"), "1");
    EXPECT_EQ(first.header("x-ratelimit-remaining"), "2");
    EXPECT_EQ(first.header("x-ratelimit-window"), "1s");
    EXPECT_GT(std::stoll(first.header("x-ratelimit-reset")), 1'700'000'000);
    EXPECT_EQ(first.header("retry-after"), "");
    net::testing::WireResponse last;
    do {
        last = event.status("x");
        EXPECT_FALSE(last.header("x-ratelimit-remaining").empty());
        if (last.header("x-ratelimit-remaining") == "0") {
            EXPECT_NE(last.header("retry-after"), "");
        }
    } while (last.status == 404);
    EXPECT_ERROR(last, 429, "RATE_LIMITED", "Rate limit exceeded. Please try again later.");
    EXPECT_EQ(last.header("retry-after"), "1");
    // Another address, as the trusted proxy tells it.
    const auto other =
        event.server.ask("GET", "/api/v1/queue/status?token=x", "X-Forwarded-For: 192.0.2.7\r\n");
    EXPECT_EQ(other.status, 404u);
    EXPECT_EQ(other.header("x-ratelimit-remaining"), "2");
    for (int i = 0; i < 10; ++i)
        for (const std::string_view path : {"/healthz", "/readyz", "/metrics", "/version"})
            EXPECT_EQ(event.server.ask("GET", path).status, 200u) << path;
}

TEST(TacosLimit, TheOriginVerifiesForEverybody) {
    Options options = options_of(stopped());
    options.limit_burst = 2;
    options.limit_per_second = 1;
    TestEvent event(std::move(options));
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(event.verify(R"({"event_id":"x","reservation_token":"x"})").status, 403u);
    EXPECT_EQ(event.join().status, 202u) << "nor do its visitors pay for that";
    EXPECT_EQ(event.shared().figures.dropped, 0u);
    // An admin's token is known wherever it comes from; others are counted as everybody is.
    const std::string afar = "X-Forwarded-For: 192.0.2.7\r\n";
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(event.verify("{}", afar + TestServer::as_admin()).status, 400u);
    net::testing::WireResponse last;
    do last = event.verify("{}", afar);
    while (last.status == 403);
    EXPECT_ERROR(last, 429, "RATE_LIMITED", "Rate limit exceeded. Please try again later.");
    EXPECT_EQ(event.shared().figures.dropped, 1u);
}

TEST(TacosLimit, StrangersDoNotFillTheTableOfRooms) {
    TestOptions others = strangers();
    others.joins_per_second = 0.001; // After the first three.
    TestEvent event(options_of(stopped()), others);
    net::testing::WireResponse last;
    for (int i = 0; i < 4; ++i)
        last = event.join_body(fmt::format(R"({{"event_id":"evt_{}"}})", i));
    EXPECT_ERROR(last, 429, "RATE_LIMITED", "Rate limit exceeded. Please try again later.");
    EXPECT_GT(std::stoll(last.header("retry-after")), 0);
    EXPECT_EQ(event.join_body(R"({"event_id":"evt_0"})").status, 202u) << "that one is there";
}

TEST(TacosLimit, InRoomsWithOtherRulesStrangersJoinNoFasterThanThere) {
    TestOptions others = strangers();
    others.joins_per_second = 0.001; // After the first three.
    TestEvent event(options_of(stopped()), others);
    event.server.service.make_room("native", {});
    event.server.service.make_room(event_id, options_of(stopped()).room);
    const auto join = [&](std::string_view headers = {}) {
        return event.join_body(R"({"event_id":"native"})", headers);
    };
    for (int i = 0; i < 3; ++i) EXPECT_EQ(join().status, 202u);
    const auto last = join();
    EXPECT_ERROR(last, 429, "RATE_LIMITED", "Rate limit exceeded. Please try again later.");
    EXPECT_GT(std::stoll(last.header("retry-after")), 0);
    EXPECT_EQ(join(TestServer::as_admin()).status, 202u) << "no stranger";
    for (int i = 0; i < 5; ++i) EXPECT_EQ(event.join().status, 202u) << "T's own";
}

// What goes on to the origin is counted by the gate.
TEST(TacosLimit, TheGateRefusesInTheWordsOfSystemTAndCountsItsUsers) {
    TestOptions others = strangers();
    others.call_limits[static_cast<std::size_t>(gate::Category::booking)] = 2;
    Options options = options_of(stopped());
    options.comes_first = true;
    TestEvent event(std::move(options), others);
    const auto user = [](std::string_view name) {
        return TestServer::bearer(
            access_token(jwt_secret, fmt::format(R"({{"sub":"{0}","user_id":"{0}","role":"user",)"
                                                 R"("exp":4000000000,"aud":"traffic-tacos-api"}})",
                                                 name)));
    };
    const auto reserve = [&](std::string_view headers) {
        return event.server.ask("POST", "/api/v1/reservations", headers, "{}");
    };
    for (const std::string& headers : {user("ann"), user("bob"), std::string()}) {
        for (int i = 0; i < 2; ++i) EXPECT_EQ(reserve(headers).status, 404u) << "counted apart";
        const auto over = reserve(headers);
        EXPECT_ERROR(over, 429, "RATE_LIMITED", "Rate limit exceeded. Please try again later.");
        EXPECT_GT(std::stoll(over.header("retry-after")), 0);
    }
}

// Where system U comes first, its clients hear its words, and T's are told apart by their keys.
TEST(TacosLimit, BesideOthersTheKeyTellsWhoseWordsTheGateUses) {
    TestOptions others = strangers();
    others.call_limits[static_cast<std::size_t>(gate::Category::booking)] = 1;
    TestEvent event(options_of(stopped()), others);
    const auto reserve = [&](std::string_view headers) {
        return event.server.ask("POST", "/api/v1/reservations", headers, "{}");
    };
    reserve("");
    EXPECT_EQ(reserve("").body, R"({"error":"Rate limit exceeded","retryAfter":60})");
    EXPECT_ERROR(reserve(TestEvent::key_header("0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a01")), 429,
                 "RATE_LIMITED", "Rate limit exceeded. Please try again later.");
}

TEST(TacosLimit, AStrangerCannotChooseTheAddress) {
    Options options = options_of(stopped());
    options.limit_burst = 2;
    options.limit_per_second = 1;
    TestEvent event(std::move(options), strangers());
    unsigned last = 404;
    for (int i = 0; last == 404; ++i)
        last = event.server
                   .ask("GET", "/api/v1/queue/status?token=x",
                        fmt::format("X-Forwarded-For: 192.0.2.{}\r\n", i % 250))
                   .status;
    EXPECT_EQ(last, 429u);
}

TEST(TacosPaths, WhatIsNotThereIsSaidWithItsPath) {
    TestEvent event;
    for (const std::string_view path : {"/api/v1/nothing", "/api/v1/queue/joins",
                                        "/api/v1/reservations", "/api/v1/queue/join/"}) {
        const auto answer = event.server.ask("POST", path, "X-Request-ID: r1\r\n", "{}");
        EXPECT_EQ(answer.status, 404u);
        EXPECT_EQ(answer.body,
                  fmt::format(R"({{"error":{{"code":"NOT_FOUND","message":"The requested resource )"
                              R"(was not found","path":"{}","trace_id":"r1"}}}})",
                              path));
        EXPECT_NE(answer.header("x-ratelimit-limit"), "");
    }
    const auto wrong = event.server.ask("GET", "/api/v1/queue/join");
    EXPECT_ERROR(wrong, 405, "METHOD_NOT_ALLOWED", "Method not allowed");
    EXPECT_EQ(wrong.header("allow"), "POST");
}

TEST(TacosPaths, StandBesideTheOthers) {
    TestOptions others;
    others.call_limits[static_cast<std::size_t>(gate::Category::queue)] = 2;
    TestEvent event(options_of(stopped()), others);
    // The gate counts system U's calls; these are counted here.
    for (int i = 0; i < 4; ++i) EXPECT_EQ(event.status("x").status, 404u);
    constexpr std::string_view uuid = "11111111-2222-3333-4444-555555555555";
    // System U's, in its own words.
    EXPECT_EQ(event.server.ask("GET", fmt::format("/api/v1/queue/status/{}", uuid)).body,
              R"({"error":"Authentication required"})");
    EXPECT_EQ(event.server.ask("POST", fmt::format("/api/v1/queue/leave/{}", uuid)).status, 401u);
    // Ours, and native ones.
    EXPECT_EQ(event.server.ask("GET", "/healthz").body, R"({"status":"ok"})");
    EXPECT_EQ(TestServer::code(event.server.ask("GET", "/nothing")), "not_found");
}

TEST(TacosPaths, BrowsersMayAsk) {
    TestOptions others;
    others.cors_origins = {"https://shop.example"};
    TestEvent event(options_of(stopped()), others);
    const auto answer =
        event.server.ask("OPTIONS", "/api/v1/queue/join", "Origin: https://shop.example\r\n");
    EXPECT_EQ(answer.status, 204u);
    EXPECT_EQ(answer.header("access-control-allow-origin"), "https://shop.example");
    EXPECT_EQ(answer.header("access-control-allow-methods"), "GET, POST, DELETE, OPTIONS");
    EXPECT_EQ(answer.header("access-control-allow-headers"),
              "Origin, Content-Type, Accept, Authorization, X-Requested-With, Idempotency-Key, "
              "X-Trace-Id, X-Dev-Mode, X-Load-Test, X-Request-ID");
    // At once and later, good and bad.
    const std::string origin = "Origin: https://shop.example\r\n";
    for (const auto& said : {event.join({}, origin), event.join_body("{}", origin),
                             event.server.ask("GET", "/api/v1/queue/status?token=x", origin)})
        EXPECT_EQ(said.header("access-control-expose-headers"),
                  "Retry-After, X-Idempotency-Cached, X-RateLimit-Limit, X-RateLimit-Remaining, "
                  "X-RateLimit-Reset, X-RateLimit-Window, X-Request-ID");
    for (const std::string_view other : {"", "Origin: https://evil.example\r\n"})
        EXPECT_EQ(event.join({}, other).header("access-control-expose-headers"), "");
}

} // namespace
} // namespace anteroom::tacos
