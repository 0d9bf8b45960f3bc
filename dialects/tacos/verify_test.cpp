// The origin redeems what `enter` granted; operators and probes ask their own questions.
#include <gtest/gtest.h>

#include <deque>

#include "dialects/tacos/test_event.h"
#include "dialects/tacos/tokens.h"

namespace anteroom::tacos {
namespace {

struct Granted : TestEvent {
    explicit Granted(std::string_view user) {
        waiting_token = token(user);
        call(1);
        held_grant = grant(waiting_token);
    }
    std::string body(std::string_view event, std::string_view user) const {
        return fmt::format(R"({{"event_id":"{}","user_id":"{}","reservation_token":"{}"}})", event,
                           user, held_grant);
    }
    std::string waiting_token, held_grant;
};

TEST(TacosVerify, AGrantIsGoodOnceForItsEventAndItsUser) {
    Granted event("u1");
    EXPECT_ERROR(event.verify(event.body("evt_other", "u1")), 403, "INVALID_RESERVATION_TOKEN",
                 "Reservation token is invalid or expired");
    EXPECT_ERROR(event.verify(event.body(event_id, "u2")), 403, "INVALID_RESERVATION_TOKEN",
                 "Reservation token is invalid or expired");
    EXPECT_ERROR(event.verify(event.body(event_id, "")), 400, "MISSING_USER_ID",
                 "user_id is required");
    const auto answer = event.verify(event.body(event_id, "u1"));
    EXPECT_EQ(answer.status, 200u);
    EXPECT_EQ(answer.body,
              fmt::format(R"({{"valid":true,"event_id":"{}","user_id":"u1","bound":true,)"
                          R"("waiting_token":"{}"}})",
                          event_id, event.waiting_token));
    EXPECT_ERROR(event.verify(event.body(event_id, "u1")), 409, "RESERVATION_TOKEN_USED",
                 "Reservation token has already been used");
    // The visit is over: the token is gone, and the user may take a new place.
    EXPECT_EQ(event.status(event.waiting_token).status, 404u);
    EXPECT_NE(event.token("u1"), event.waiting_token);
}

TEST(TacosVerify, AnAnonymousGrantIsGoodForWhoeverTheOriginKnows) {
    Granted event("");
    // As the visitor showed it to the origin, which passes its request on.
    const auto answer =
        event.verify(fmt::format(R"({{"event_id":"{}","seat_ids":["A-1"]}})", event_id),
                     TestServer::bearer(event.held_grant) + "X-User-Id: u9\r\n");
    EXPECT_EQ(answer.status, 200u);
    EXPECT_EQ(answer.body,
              fmt::format(R"({{"valid":true,"event_id":"{}","user_id":"","bound":false,)"
                          R"("waiting_token":"{}"}})",
                          event_id, event.waiting_token));
}

TEST(TacosVerify, AnAdminIsNotTheVisitor) {
    Granted event("u1");
    const std::string as_boss = "X-User-Id: boss\r\nX-User-Role: admin\r\n";
    EXPECT_ERROR(event.verify(event.body(event_id, "u2"), as_boss), 403,
                 "INVALID_RESERVATION_TOKEN", "Reservation token is invalid or expired");
    EXPECT_ERROR(event.verify(event.body(event_id, "u1"), "X-User-Id: u2\r\n"), 403,
                 "INVALID_RESERVATION_TOKEN", "Reservation token is invalid or expired");
    const auto answer = event.verify(event.body(event_id, "u1"), as_boss);
    EXPECT_EQ(answer.status, 200u) << answer.body;
}

TEST(TacosVerify, SaysWhatIsMissing) {
    Granted event("");
    EXPECT_ERROR(event.verify("x"), 400, "INVALID_REQUEST", "Invalid request body");
    EXPECT_ERROR(event.verify("{}"), 400, "MISSING_EVENT_ID", "event_id is required");
    EXPECT_ERROR(event.verify(R"({"event_id":"e"})"), 400, "MISSING_TOKEN",
                 "reservation_token is required");
    EXPECT_ERROR(event.verify(R"({"event_id":"e","reservation_token":"nonsense"})"), 403,
                 "INVALID_RESERVATION_TOKEN", "Reservation token is invalid or expired");
}

TEST(TacosVerify, OfManyAtOnceOneIsServed) {
    Granted event("u1");
    std::deque<net::testing::Dial> dials;
    for (int i = 0; i < 20; ++i) {
        dials.emplace_back(event.server.port());
        dials.back().write(
            TestServer::text("POST", "/api/v1/queue/verify", "", event.body(event_id, "u1")));
    }
    int served = 0;
    for (net::testing::Dial& dial : dials) served += dial.read_response().status == 200;
    EXPECT_EQ(served, 1);
}

TEST(TacosVerify, ARetryWithItsKeyGetsTheSameAnswer) {
    Granted event("u1");
    const std::string header = TestEvent::key_header("0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a01");
    const auto first = event.verify(event.body(event_id, "u1"), header);
    const auto again = event.verify(event.body(event_id, "u1"), header);
    EXPECT_EQ(first.status, 200u);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.header("x-idempotency-cached"), "true");
}

// Clients send keys with their reservations, and an origin may pass them on as they are.
TEST(TacosVerify, AnotherTokenUnderTheSameKeyIsAnotherCall) {
    Granted event("");
    const std::string key = TestEvent::key_header("0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a01");
    const std::string body = fmt::format(R"({{"event_id":"{}"}})", event_id);
    const auto verify = [&](std::string_view grant, std::string_view user) {
        return event.verify(
            body, key + TestServer::bearer(grant) + fmt::format("X-User-Id: {}\r\n", user));
    };
    EXPECT_EQ(verify(event.held_grant, "u9").status, 200u);
    EXPECT_EQ(verify(event.held_grant, "u9").header("x-idempotency-cached"), "true");
    EXPECT_ERROR(verify("73bf3da3-04bb-47e2-9455-03bf5455ab81", "u9"), 409, "IDEMPOTENCY_CONFLICT",
                 "Request body differs from original request with same Idempotency-Key");
    EXPECT_EQ(verify(event.held_grant, "u8").status, 409u);
}

TEST(TacosVerify, StrangersMayNot) {
    TestOptions others;
    others.trust_loopback = false;
    TestEvent event(options_of(stopped()), others);
    const std::string token = event.token();
    event.call(1);
    EXPECT_ERROR(event.verify(fmt::format(R"({{"event_id":"{}","reservation_token":"{}"}})",
                                          event_id, event.grant(token))),
                 403, "ACCESS_DENIED", "Only a trusted backend may verify reservation tokens");
}

TEST(TacosAdmin, NeedsTheRole) {
    TestEvent event;
    for (const std::string_view path : {"/api/v1/admin/health", "/api/v1/admin/stats"}) {
        const auto ask = [&](std::string_view headers) {
            return event.server.ask("GET", path, headers);
        };
        EXPECT_ERROR(ask(""), 401, "MISSING_AUTHORIZATION", "Authorization header is required");
        EXPECT_ERROR(ask("Authorization: Basic eA==\r\n"), 401, "INVALID_TOKEN_FORMAT",
                     "Authorization header must be Bearer token");
        EXPECT_ERROR(ask("Authorization: Bearer\r\n"), 401, "MISSING_TOKEN", "Token is required");
        EXPECT_ERROR(ask("Authorization: Bearer x\r\n"), 401, "INVALID_TOKEN",
                     "Token validation failed");
        EXPECT_ERROR(ask("X-User-Id: u1\r\n"), 403, "ACCESS_DENIED", "Admin role required");
        EXPECT_EQ(ask("X-User-Id: u1\r\nX-User-Role: admin\r\n").status, 200u);
    }
    EXPECT_ERROR(event.server.ask("POST", "/api/v1/admin/flush-test-data"), 401,
                 "MISSING_AUTHORIZATION", "Authorization header is required");
}

TEST(TacosAdmin, HealthAndStats) {
    TestEvent event;
    event.token();
    event.token();
    event.call(1);
    EXPECT_EQ(event.server.ask("GET", "/api/v1/admin/health", TestServer::as_admin()).body,
              R"({"status":"healthy","redis":"healthy"})");
    EXPECT_EQ(event.server.ask("GET", "/api/v1/admin/stats", TestServer::as_admin()).body,
              R"({"success":true,"info":"rooms:1 waiting:1 inside:1","key_count":)"
              R"({"queue:*":2,"idempotency:*":0}})");
}

TEST(TacosAdmin, FlushingIsOffUnlessItIsConfigured) {
    TestEvent event;
    EXPECT_ERROR(event.server.ask("POST", "/api/v1/admin/flush-test-data", TestServer::as_admin()),
                 403, "FLUSH_DISABLED", "Flushing test data is off");
    Options options = options_of(stopped());
    options.flush_prefix = "test-";
    TestEvent testing(std::move(options));
    testing.token();
    testing.join_body(R"({"event_id":"test-1"})");
    testing.join_body(R"({"event_id":"test-2"})");
    const auto answer =
        testing.server.ask("POST", "/api/v1/admin/flush-test-data", TestServer::as_admin());
    EXPECT_EQ(answer.status, 200u);
    EXPECT_EQ(answer.body,
              R"({"success":true,"total_deleted_keys":2,"deleted_by_pattern":{"queue:*":2},)"
              R"("message":"Test data flushed successfully"})");
    EXPECT_EQ(testing.room()->view().waiting(), 1u) << "not a test's";
}

// A native room and a queue of system P stand beside; neither is touched, nor counted.
TEST(TacosAdmin, OtherSystemsRoomsAreNoneOfItsBusiness) {
    Options options = options_of(stopped());
    options.flush_prefix = "*";
    TestOptions others;
    others.portal.emplace();
    others.defaults.rules.capacity = 0;
    TestEvent event(std::move(options), others);
    event.token();
    event.server.join("native", "ann");
    const std::string as_seller =
        "X-User-Id: seller\r\nX-User-Roles: ROLE_USER,ROLE_SHOPPING_SELLER\r\n";
    const auto activated =
        event.server.ask("POST", "/api/v1/seller/queue/TIMEDEAL/42/activate", as_seller,
                         R"({"maxCapacity":9,"entryBatchSize":1,"entryIntervalSeconds":3600})");
    EXPECT_EQ(activated.status, 200u) << activated.body;
    event.server.ask("POST", "/queue/TIMEDEAL/42/enter", as_seller);
    const auto queue = event.server.service.rooms().share("TIMEDEAL:42");
    ASSERT_NE(queue, nullptr);
    const std::uint64_t in_queue = queue->view().waiting() + queue->view().inside();
    EXPECT_EQ(in_queue, 1u);

    EXPECT_EQ(event.server.ask("GET", "/api/v1/admin/stats", TestServer::as_admin()).body,
              R"({"success":true,"info":"rooms:1 waiting:1 inside:0","key_count":)"
              R"({"queue:*":1,"idempotency:*":0}})");
    EXPECT_EQ(
        event.server.ask("POST", "/api/v1/admin/flush-test-data", TestServer::as_admin()).body,
        R"({"success":true,"total_deleted_keys":1,"deleted_by_pattern":{"queue:*":1},)"
        R"("message":"Test data flushed successfully"})");
    EXPECT_EQ(event.server.service.rooms().share("native")->view().waiting(), 1u);
    EXPECT_EQ(queue->view().waiting() + queue->view().inside(), in_queue);
}

TEST(TacosHealth, InTheWordsOfSystemTWhenItComesFirst) {
    Options options = options_of(stopped());
    options.comes_first = true;
    TestEvent event(std::move(options));
    const std::string stamp = R"re("\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")re";
    const auto says = [&](std::string_view path, const std::string& shape) {
        const auto answer = event.server.ask("GET", path);
        return answer.status == 200 && std::regex_match(answer.body, std::regex(shape));
    };
    EXPECT_TRUE(says("/healthz", R"re(\{"status":"healthy","timestamp":)re" + stamp +
                                     R"re(,"service":"gateway-api"\})re"));
    EXPECT_TRUE(says("/readyz", R"re(\{"status":"ready","timestamp":)re" + stamp +
                                    R"re(,"service":"gateway-api"\})re"));
    event.server.shared.stopping = true;
    const auto ending = event.server.ask("GET", "/readyz");
    EXPECT_EQ(ending.status, 503u);
    EXPECT_TRUE(std::regex_match(
        ending.body, std::regex(R"re(\{"status":"not ready","reason":"shutting down",)re"
                                R"re("error":"no new visitors","timestamp":)re" +
                                stamp + R"re(\})re")))
        << ending.body;
    EXPECT_EQ(event.server.ask("GET", "/version").body,
              R"({"service":"gateway-api","version":"dev","commit":"unknown","built":"unknown"})");
}

TEST(TacosOutage, WhatCannotBeDecidedIsUnavailable) {
    TestOptions others;
    others.store_is_away = std::make_shared<std::atomic<bool>>(false);
    std::atomic<bool>& away = *others.store_is_away;
    Options options = options_of(stopped());
    options.comes_first = true;
    options.flush_prefix = "*";
    TestEvent event(std::move(options), others);
    const std::string ann = event.token(), bob = event.token(), eve = event.token();
    event.call(2);
    const std::string grant = event.grant(ann);
    token::TicketBook book(event.server.keys);
    const std::string unheard = mint(book, {.room = event.room()->index(), .number = 99});
    EXPECT_EQ(event.status(unheard).status, 404u);

    away = true;
    EXPECT_ERROR(event.join(), 503, "QUEUE_ERROR", "Failed to join queue");
    EXPECT_ERROR(event.status(unheard), 503, "QUEUE_ERROR", "Failed to get queue status");
    EXPECT_ERROR(event.enter(eve), 403, "NOT_READY", "Your turn has not arrived yet");
    EXPECT_ERROR(event.enter(bob), 503, "QUEUE_ERROR", "Failed to grant admission");
    EXPECT_ERROR(event.leave(bob), 503, "QUEUE_ERROR", "Failed to leave queue");
    const std::string body =
        fmt::format(R"({{"event_id":"{}","reservation_token":"{}"}})", event_id, grant);
    const auto refused = event.verify(body);
    EXPECT_ERROR(refused, 503, "QUEUE_ERROR", "Failed to verify reservation token");
    EXPECT_EQ(refused.header("retry-after"), "5");
    EXPECT_EQ(event.position(bob), 1) << "what is known is told";
    const auto ask = [&](std::string_view method, std::string_view path) {
        return event.server.ask(method, path, TestServer::as_admin());
    };
    const auto unflushed = ask("POST", "/api/v1/admin/flush-test-data");
    EXPECT_ERROR(unflushed, 503, "QUEUE_ERROR", "Failed to flush test data");
    EXPECT_EQ(unflushed.header("retry-after"), "5");
    const auto health = ask("GET", "/api/v1/admin/health");
    EXPECT_EQ(health.status, 503u);
    EXPECT_EQ(health.body, R"({"status":"unhealthy","redis":"unhealthy",)"
                           R"("error":"nothing can be written"})");
    const auto ready = ask("GET", "/readyz");
    EXPECT_EQ(ready.status, 503u);
    EXPECT_TRUE(ready.body.starts_with(R"({"status":"not ready","reason":"redis unavailable",)"
                                       R"("error":"nothing can be written","timestamp":")"))
        << ready.body;

    away = false;
    EXPECT_EQ(event.verify(body).status, 200u) << "nothing was spent meanwhile";
    EXPECT_EQ(event.leave(bob).status, 200u);
}

// A visitor who missed a call comes back by a Touch, which the store must write.
TEST(TacosOutage, AStatusThatNeedsTheStoreTellsTheLastStanding) {
    TestOptions others;
    others.store_is_away = std::make_shared<std::atomic<bool>>(false);
    TestEvent event(options_of({.min_wait = Millis{0}, .rate_milli = 0, .enter_window = hours(1)}),
                    others);
    const std::string token = event.token();
    event.await_ready(token);
    event.server.change_rules(event_id, [](Settings& rules) { rules.claim_window = Millis{1}; });
    const auto room = event.room();
    ASSERT_TRUE(net::testing::eventually([&] { return room->view().standing(1).missed > 0; }));
    *others.store_is_away = true;
    const auto told = event.status(token);
    EXPECT_EQ(told.status, 200u) << told.body;
    EXPECT_NE(told.body.find(R"("status":"waiting","position":1,)"), std::string::npos)
        << told.body;
}

TEST(TacosOutage, AFlushThatFailsOnTheWaySaysSo) {
    TestOptions others;
    others.store_is_away = std::make_shared<std::atomic<bool>>(false);
    others.is_away_unnoticed = true;
    std::atomic<bool>& away = *others.store_is_away;
    Options options = options_of(stopped());
    options.flush_prefix = "*";
    TestEvent event(std::move(options), others);
    event.token();
    away = true;
    const auto answer =
        event.server.ask("POST", "/api/v1/admin/flush-test-data", TestServer::as_admin());
    EXPECT_EQ(answer.status, 503u);
    EXPECT_EQ(answer.header("retry-after"), "5");
    EXPECT_EQ(answer.body,
              R"({"success":false,"total_deleted_keys":0,"deleted_by_pattern":{"queue:*":0},)"
              R"("message":"Some events could not be flushed"})");
}

TEST(TacosVerify, NobodyElseHearsTheAnswerAgain) {
    Granted event("");
    const std::string key = TestEvent::key_header("11111111-2222-4333-8444-555555555555");
    EXPECT_EQ(event.verify(event.body(event_id, ""), key).status, 200u);
    EXPECT_EQ(event.verify(event.body(event_id, ""), key).header("x-idempotency-cached"), "true");
    EXPECT_ERROR(event.verify(event.body(event_id, ""), key + "X-Forwarded-For: 192.0.2.7\r\n"),
                 403, "ACCESS_DENIED", "Only a trusted backend may verify reservation tokens");
}

// Only the routes of system T know its tokens.
TEST(TacosTokens, AreNoTickets) {
    Granted event("u1");
    for (const std::string& token : {event.waiting_token, event.held_grant}) {
        for (const auto& [method, path] :
             {std::pair{"GET", "ticket"}, std::pair{"POST", "ticket/claim"}}) {
            const auto answer = event.server.ask(
                method, fmt::format("/v1/rooms/{}/{}", event_id, path), TestServer::bearer(token));
            EXPECT_EQ(TestServer::code(answer), "ticket_invalid") << path;
        }
    }
}

TEST(TacosFigures, CountWhatHappened) {
    TestEvent event;
    const std::string token = event.token();
    event.enter(token);
    event.call(1);
    event.enter(token);
    event.enter(token);
    Figures& figures = event.shared().figures;
    EXPECT_EQ(figures.operations(Operation::join, true), 1u);
    EXPECT_EQ(figures.operations(Operation::enter, false), 1u);
    EXPECT_EQ(figures.operations(Operation::enter, true), 2u);
    const std::vector<WaitHistogram> waits = figures.waits({event.room()->index()});
    EXPECT_EQ(waits[0].count, 1u) << "one came in, asking twice";
    // As two calls do that are under way at the same time.
    figures.note_wait(event.room()->index(), 1, 0);
    figures.note_wait(event.room()->index(), 2, 0);
    EXPECT_EQ(figures.waits({event.room()->index()})[0].count, 2u);
    EXPECT_EQ(figures.waits({77})[0].count, 0u);
    EXPECT_EQ(figures.waits({event.room()->index()})[0].count, 0u) << "forgotten with its room";
}

} // namespace
} // namespace anteroom::tacos
