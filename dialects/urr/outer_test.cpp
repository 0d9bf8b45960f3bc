// Tier 1 on the wire: every row of its tables, with exact bodies.
#include <gtest/gtest.h>

#include <set>

#include "dialects/urr/test_event.h"

namespace anteroom::urr {
namespace {

TEST(UrrOuter, NothingThereIsSaidInTheSameWords) {
    TestEvent event;
    EXPECT_EQ(event.assign().status, 404);
    EXPECT_EQ(event.assign().body, R"({"error":"VWR is not active for this event"})");
    const auto status = event.server.ask("GET", fmt::format("/vwr/status/{}", event_id));
    EXPECT_EQ(status.status, 404);
    EXPECT_EQ(status.body, R"({"error":"VWR not found for this event"})");
    const auto check = event.outer_check("e2a1b3c4-0000-4000-8000-000000000000");
    EXPECT_EQ(check.status, 404);
    EXPECT_EQ(check.body, R"({"error":"Position not found. Request a new position."})");
    EXPECT_EQ(shape(event.outer_admin("status")),
              R"(eventId:"11111111-2222-3333-4444-555555555555" status:"not_found")");
    EXPECT_EQ(event.server.ask("GET", "/vwr-api/what").body, R"({"error":"Not found"})");
    EXPECT_EQ(event.server.ask("GET", "/vwr-api/what").status, 404);
    EXPECT_EQ(event.server.ask("DELETE", fmt::format("/vwr/assign/{}", event_id)).status, 405);
}

TEST(UrrOuter, NumbersAreReleasedByTheCounter) {
    TestEvent event;
    EXPECT_EQ(event.outer_admin("activate").body,
              R"({"eventId":"11111111-2222-3333-4444-555555555555","status":"activated",)"
              R"("message":"VWR activated. Update vwr-active.json and redeploy Lambda@Edge."})");
    std::vector<std::string> ids;
    for (std::size_t position = 1; position <= 3; ++position) {
        const auto answer = event.assign(fmt::format("anon-{}", position));
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(shape(answer), fmt::format(R"(estimatedWait:1 position:{} requestId:"*" )"
                                             R"(servingCounter:0)",
                                             position));
        ids.push_back(TestServer::text_of(TestServer::json(answer), "requestId"));
        EXPECT_EQ(ids.back().size(), 36u);
        EXPECT_EQ(ids.back()[14], '4'); // A UUID of version 4, for clients who look.
    }
    for (std::size_t position = 1; position <= 3; ++position)
        EXPECT_EQ(event.outer_check(ids[position - 1]).body,
                  fmt::format(R"({{"admitted":false,"position":{0},"servingCounter":0,)"
                              R"("totalInQueue":3,"ahead":{0},"estimatedWait":1,"nextPoll":2}})",
                              position));
    EXPECT_EQ(
        event.outer_admin("advance", R"({"batchSize":2})").body,
        R"({"eventId":"11111111-2222-3333-4444-555555555555","servingCounter":2,"advanced":2})");
    EXPECT_EQ(shape(event.outer_check(ids[1])),
              R"(admitted:true ahead:0 position:2 servingCounter:2 token:"*" totalInQueue:3)");
    EXPECT_EQ(shape(event.outer_check(ids[2])),
              R"(admitted:false ahead:1 estimatedWait:1 nextPoll:2 position:3 servingCounter:2 )"
              R"(totalInQueue:3)");
    EXPECT_EQ(shape(event.outer_admin("status")),
              R"(eventId:"11111111-2222-3333-4444-555555555555" isActive:true nextPosition:3 )"
              R"(servingCounter:2 waiting:1)");
    EXPECT_EQ(event.server.ask("GET", fmt::format("/vwr-api/vwr/status/{}", event_id)).body,
              R"({"eventId":"11111111-2222-3333-4444-555555555555","isActive":true,)"
              R"("totalInQueue":3,"serving":2,"waitingCount":1})");

    EXPECT_EQ(event.outer_admin("deactivate").body,
              R"({"eventId":"11111111-2222-3333-4444-555555555555","status":"deactivated"})");
    EXPECT_EQ(shape(event.outer_check(ids[2])),
              R"(admitted:true position:3 servingCounter:2 token:"*")");
    EXPECT_EQ(event.assign("anon-4").status, 404);
}

TEST(UrrOuter, TheCounterNeverPassesWhatWasIssued) {
    TestEvent event;
    event.outer_admin("activate");
    event.assign("a");
    EXPECT_EQ(shape(event.outer_admin("advance")), // The whole batch of 500, of which one is there.
              R"(advanced:1 eventId:"11111111-2222-3333-4444-555555555555" servingCounter:1)");
    EXPECT_EQ(event.outer_admin("advance").body,
              R"({"eventId":"11111111-2222-3333-4444-555555555555","status":"caught_up",)"
              R"("message":"servingCounter already >= nextPosition"})");
    // Who comes now is not let in by an old overshoot.
    EXPECT_EQ(shape(event.outer_check(event.request_id("b"))),
              R"(admitted:false ahead:1 estimatedWait:1 nextPoll:2 position:2 servingCounter:1 )"
              R"(totalInQueue:2)");
    for (const char* body : {R"({"batchSize":0})", R"({"batchSize":-5})", R"({"batchSize":"x"})",
                             R"({"batchSize":1.5})", "[]", "{"}) {
        EXPECT_EQ(event.outer_admin("advance", body).status, 400) << body;
        EXPECT_EQ(event.outer_admin("advance", body).body,
                  R"({"error":"batchSize must be a whole number above 0"})");
    }
}

TEST(UrrOuter, ANewActivationForgetsTheOldNumbers) {
    TestEvent event;
    event.outer_admin("activate");
    const std::string old = event.request_id("a");
    event.outer_admin("activate");
    EXPECT_EQ(event.outer_check(old).status, 404);
    EXPECT_EQ(TestServer::json(event.assign("b")).at("position"), 1);
}

TEST(UrrOuter, OneNumberPerVisitorHoweverOftenAsked) {
    TestEvent event;
    event.outer_admin("activate");
    const auto first = event.assign("anon-x");
    EXPECT_EQ(event.assign("anon-x").body, first.body);
    EXPECT_NE(event.assign("anon-y").body, first.body);

    // The cookie knows who it is: a fresh name in the same browser gains nothing.
    const std::string cookie = first.header("set-cookie");
    EXPECT_NE(cookie.find("HttpOnly"), cookie.npos);
    const std::string back = "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n";
    EXPECT_EQ(event.assign("anon-fresh", back).body, first.body);
    EXPECT_EQ(event.assign("", back).body, first.body);
    // Without a name and without a cookie everybody is somebody else.
    EXPECT_NE(event.assign().body, event.assign().body);
    EXPECT_NE(event.assign("anonymous").body, event.assign("anonymous").body);
}

TEST(UrrOuter, NobodyGetsAUsersPlaceByNamingTheUser) {
    TestEvent event;
    event.outer_admin("activate");
    const auto users = event.assign("", TestEvent::as_user("user-1"));
    EXPECT_EQ(event.assign("", TestEvent::as_user("user-1")).body, users.body);
    EXPECT_NE(event.assign("user-1").body, users.body);
    // The user's own pass is in the user's name.
    event.outer_admin("advance");
    const std::string id = TestServer::text_of(TestServer::json(users), "requestId");
    const auto checked = event.server.ask("GET", fmt::format("/vwr/check/{}/{}", event_id, id),
                                          TestEvent::as_user("user-1"));
    token::PassVerifier verifier(event.server.keys);
    const auto verdict = verifier.verify(TestServer::text_of(TestServer::json(checked), "token"),
                                         token::UnixSeconds{std::time(nullptr)},
                                         {.room = event_id, .tier = token::Tier::outer});
    EXPECT_EQ(std::get<token::VerifiedPass>(verdict).visitor, "user-1");
}

TEST(UrrOuter, AnAddressGetsOnlySoManyNumbers) {
    TestEvent event({.trust_loopback = false, .joins_per_second = 0.001});
    event.server.ask("POST", fmt::format("/api/admin/vwr/activate/{}", event_id),
                     TestServer::as_admin());
    std::string first;
    for (int i = 0; i < 3; ++i) {
        const auto answer = event.assign(fmt::format("anon-{}", i));
        ASSERT_EQ(answer.status, 200);
        if (i == 0) first = answer.body;
    }
    const auto refused = event.assign("anon-3");
    EXPECT_EQ(refused.status, 429);
    EXPECT_NE(refused.header("retry-after"), "");
    EXPECT_EQ(TestServer::json(refused).at("error"), "Rate limit exceeded");
    EXPECT_EQ(event.assign("anon-0").body, first); // Whoever has a number may always ask for it.
}

TEST(UrrOuter, ThePassNamesNumberAndRequestAndStaysTheSame) {
    TestEvent event;
    event.outer_admin("activate");
    const std::string id = event.request_id("anon-abc");
    event.outer_admin("advance");
    const auto answer = event.outer_check(id, "anon-abc");
    const std::string pass = TestServer::text_of(TestServer::json(answer), "token");
    EXPECT_NE(answer.header("set-cookie").find("urr-vwr-token=" + pass + "; Path=/; Max-Age="),
              std::string::npos);
    EXPECT_NE(answer.header("set-cookie").find("HttpOnly; SameSite=Strict"), std::string::npos);
    token::PassVerifier verifier(event.server.keys);
    const token::UnixSeconds now{std::time(nullptr)};
    const auto verdict = verifier.verify(pass, now, {.room = event_id, .tier = token::Tier::outer});
    const auto& read = std::get<token::VerifiedPass>(verdict);
    EXPECT_EQ(read.visitor, "anon-abc");
    EXPECT_EQ(read.position, 1u);
    EXPECT_EQ(read.request_id, id);
    EXPECT_EQ(read.expires_at.count - read.issued_at->count, 600);
    EXPECT_EQ(event.outer_check(id, "anon-abc").body, answer.body);

    // Somebody else's name is not put on it.
    const std::string other =
        TestServer::text_of(TestServer::json(event.outer_check(id, "anon-other")), "token");
    const auto second = verifier.verify(other, now, {.room = event_id, .tier = token::Tier::outer});
    EXPECT_EQ(std::get<token::VerifiedPass>(second).visitor[0], '~');
}

TEST(UrrOuter, ForgedAndForeignRequestIdsAreUnknown) {
    TestEvent event;
    event.outer_admin("activate");
    event.server.ask("POST", fmt::format("/api/admin/vwr/activate/{}", other_event),
                     TestEvent::as_boss());
    const std::string good = event.request_id("a");
    EXPECT_EQ(event.outer_check(good).status, 200);
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string forged = good;
        forged[i] = forged[i] == '1' ? '2' : '1';
        EXPECT_EQ(event.outer_check(forged).status, 404) << forged;
    }
    EXPECT_EQ(event.server.ask("GET", fmt::format("/vwr/check/{}/{}", other_event, good)).status,
              404);
    for (const char* junk : {"x", "%00", "..", "11111111-2222-3333-4444-55555555555",
                             "11111111-2222-4333-8444-555555555555"})
        EXPECT_EQ(event.outer_check(junk).status, 404) << junk;
}

TEST(UrrOuter, BadBodiesAreRefused) {
    TestEvent event;
    event.outer_admin("activate");
    for (const char* body : {"{", "[]", R"({"userId":7})", "null", R"({"userId":"a"} x)"}) {
        const auto answer =
            event.server.ask("POST", fmt::format("/vwr/assign/{}", event_id), "", body);
        EXPECT_EQ(answer.status, 400) << body;
        EXPECT_EQ(answer.body, R"({"error":"Invalid request body"})");
    }
    const std::string long_name(300, 'x');
    EXPECT_EQ(event.assign(long_name).status, 400);
    EXPECT_EQ(event.server.ask("POST", "/vwr/assign/not%20a%20room").status, 400);
}

TEST(UrrOuter, OnlyAdminsTouchTheSwitch) {
    TestEvent event;
    for (const char* version : {"", "/v1"})
        for (const char* verb : {"activate", "deactivate", "advance", "status"}) {
            const std::string path = fmt::format("/api{}/admin/vwr/{}/{}", version, verb, event_id);
            const std::string method = std::string_view(verb) == "status" ? "GET" : "POST";
            const auto nobody = event.server.ask(method, path);
            EXPECT_EQ(nobody.status, 401);
            EXPECT_EQ(nobody.body, R"({"error":"Authentication required"})");
            const auto user = event.server.ask(method, path, TestEvent::as_user("u"));
            EXPECT_EQ(user.status, 403);
            EXPECT_EQ(user.body, R"({"error":"Admin role required"})");
            EXPECT_EQ(event.server.ask(method, path, TestEvent::as_boss()).status, 200) << path;
            EXPECT_EQ(event.server.ask(method, path, TestServer::as_admin()).status, 200) << path;
        }
    EXPECT_EQ(
        event.server.ask("POST", "/api/admin/vwr/activate/evt-1", TestEvent::as_boss()).status,
        400);
}

TEST(UrrOuter, IdentityHeadersCountFromTrustedAddressesOnly) {
    TestEvent event({.trust_loopback = false});
    EXPECT_EQ(event.outer_admin("activate").status, 401);
    EXPECT_EQ(event.inner("status", "u").status, 401);
}

TEST(UrrOuter, AnyOriginThatIsAllowedMayRead) {
    TestEvent event({.cors_origins = {"https://shop.example"}});
    event.outer_admin("activate");
    const auto plain = event.assign("a");
    EXPECT_EQ(plain.header("access-control-allow-origin"), "https://shop.example");
    const auto check = event.outer_check(event.request_id("a"));
    EXPECT_EQ(check.header("access-control-allow-origin"), "https://shop.example");
    EXPECT_EQ(check.header("access-control-allow-methods"), "GET, POST, OPTIONS");
    EXPECT_EQ(check.header("access-control-allow-headers"), "Content-Type");
    for (const char* path : {"/vwr-api/vwr/assign/x", "/vwr-api/anything", "/vwr/check/a/b"}) {
        const auto flight = event.server.ask("OPTIONS", path, "Origin: https://shop.example\r\n");
        EXPECT_EQ(flight.status, 204) << path;
        EXPECT_EQ(flight.body, "");
        EXPECT_EQ(flight.header("access-control-allow-origin"), "https://shop.example");
    }
    const auto stranger =
        event.server.ask("OPTIONS", "/vwr-api/vwr/assign/x", "Origin: https://evil.example\r\n");
    EXPECT_EQ(stranger.header("access-control-allow-origin"), "");
}

// Behind the gate stands an origin that answers everything.
TEST(UrrOuter, UnknownPathsOfTierOneNeverReachTheOrigin) {
    net::testing::TestServer origin([](const net::Request&, net::Exchange& exchange) {
        exchange.answer(net::Status::ok, "text/plain", "origin");
    });
    TestEvent event({.cors_origins = {"https://shop.example"},
                     .origins = {fmt::format("http://127.0.0.1:{}", origin.port())}});
    for (const char* path : {"/vwr-api/", "/vwr-api/what", "/vwr/assign", "/vwr/check/",
                             "/vwr/status/a/b/c", "/vwr-api/vwr/spring-sale"}) {
        for (const char* method : {"GET", "POST", "PUT", "DELETE", "PATCH", "BREW"}) {
            const auto answer = event.server.ask(method, path);
            EXPECT_EQ(answer.status, 404) << method << " " << path;
            EXPECT_EQ(answer.body, R"({"error":"Not found"})");
        }
        const auto flight = event.server.ask("OPTIONS", path, "Origin: https://shop.example\r\n");
        EXPECT_EQ(flight.status, 204) << path;
        EXPECT_EQ(flight.header("access-control-allow-headers"), "Content-Type");
    }
    const auto wrong = event.server.ask("DELETE", fmt::format("/vwr/assign/{}", event_id));
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.header("allow"), "POST");
    for (const char* path : {"/vwr-api", "/queue/not-a-uuid", "/vwr/not%20a%20room", "/vwr/a/b"})
        EXPECT_EQ(event.server.ask("GET", path).body, "origin") << path;
}

TEST(UrrOuter, APositionsPollsAreFurtherApartBehind) {
    TestEvent event;
    event.outer_admin("activate");
    const std::shared_ptr<HostedRoom> room = event.server.service.rooms().share(event_id);
    const auto take = [&](std::uint64_t n) {
        event.server.service.submit(*room, TakeNumber{crowd_key(n)}, nullptr,
                                    [](const Outcome&) {});
    };
    std::uint64_t taken = 0;
    for (const auto& [ahead, poll] : std::vector<std::pair<std::uint64_t, int>>{
             {500, 2}, {501, 5}, {2'000, 5}, {2'001, 10}, {10'000, 10}, {10'001, 15}}) {
        while (taken + 1 < ahead) take(++taken);
        const auto answer =
            TestServer::json(event.outer_check(event.request_id(fmt::format("v{}", ahead))));
        ++taken;
        EXPECT_EQ(answer.at("ahead"), ahead);
        EXPECT_EQ(answer.at("nextPoll"), poll) << ahead;
        EXPECT_EQ(answer.at("estimatedWait"), (ahead + 49) / 50);
    }
}

} // namespace
} // namespace anteroom::urr
