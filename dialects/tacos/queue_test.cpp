// join, status, enter and leave on the wire: every row of the contract, with its exact body.
#include <gtest/gtest.h>

#include <regex>

#include "dialects/tacos/test_event.h"

namespace anteroom::tacos {
namespace {

const std::regex uuid("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");

TEST(TacosQueue, AJoinGivesATokenAndTheRealPlace) {
    TestEvent event;
    for (const int place : {1, 2, 3}) {
        const auto answer = event.join();
        EXPECT_EQ(answer.status, 202u);
        const std::string token = TestServer::text_of(TestServer::json(answer), "waiting_token");
        EXPECT_TRUE(std::regex_match(token, uuid)) << token;
        EXPECT_EQ(answer.body,
                  fmt::format(R"({{"waiting_token":"{}","position_hint":{},"status":"waiting"}})",
                              token, place));
        EXPECT_EQ(answer.header("content-type"), "application/json");
        EXPECT_EQ(answer.header("cache-control"), "no-store");
    }
    EXPECT_EQ(event.room()->view().waiting(), 3u);
}

TEST(TacosQueue, AJoinThatCannotBeReadIsTheClientsMistake) {
    TestEvent event;
    for (const std::string_view body :
         {"", "{", "[]", "7", R"({"event_id":7})", R"({"event_id":"a b"})",
          R"({"event_id":"e","user_id":1})", R"({"event_id":"e","user_id":"~tacos:1"})"})
        EXPECT_ERROR(event.join_body(body), 400, "INVALID_REQUEST", "Invalid request body");
    for (const std::string_view body : {"{}", R"({"event_id":""})", R"({"event_id":null})"})
        EXPECT_ERROR(event.join_body(body), 400, "MISSING_EVENT_ID", "event_id is required");
    EXPECT_EQ(event.server.service.rooms().count(), 0u);
}

TEST(TacosQueue, TheBodyIsReadWhateverItsTypeIsCalled) {
    TestEvent event;
    net::testing::Dial dial(event.server.port());
    const std::string body = R"({"event_id": "evt_2025_1001"})";
    const auto answer =
        dial.ask(fmt::format("POST /api/v1/queue/join HTTP/1.1\r\nHost: t\r\nContent-Type: "
                             "application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{}",
                             body.size(), body));
    EXPECT_EQ(answer.status, 202u) << answer.body;
}

TEST(TacosQueue, TheIdOfTheRequestIsTheTraceId) {
    TestEvent event;
    const auto named = event.join_body("{}", "X-Request-ID: mine-7\r\n");
    EXPECT_EQ(named.header("x-request-id"), "mine-7");
    EXPECT_NE(named.body.find(R"("trace_id":"mine-7")"), std::string::npos);
    const auto unnamed = event.join_body("{}");
    EXPECT_EQ(unnamed.header("x-request-id").size(), 16u);
    EXPECT_ERROR(unnamed, 400, "MISSING_EVENT_ID", "event_id is required");
}

TEST(TacosQueue, RoomsThatNobodyMayMakeAreNotFoundAndClosedOnesAreUnavailable) {
    TestOptions others;
    others.create_on_first_use = false;
    TestEvent event(options_of(stopped()), others);
    EXPECT_ERROR(event.join(), 404, "EVENT_NOT_FOUND", "Event not found");
    event.server.service.make_room(event_id, options_of(stopped()).room);
    event.server.service.submit(*event.room(), SetState{RoomState::closed}, nullptr, {});
    const auto closed = event.join();
    EXPECT_ERROR(closed, 503, "QUEUE_ERROR", "Failed to join queue");
    EXPECT_EQ(closed.header("retry-after"), "5");
}

TEST(TacosQueue, TheIdsOfSystemPAreNotTheirs) {
    TestOptions others;
    others.portal.emplace();
    TestEvent event(options_of(stopped()), others);
    EXPECT_ERROR(event.join_body(R"({"event_id":"TIMEDEAL:42"})"), 404, "EVENT_NOT_FOUND",
                 "Event not found");
    EXPECT_EQ(event.join_body(R"({"event_id":"TIMEDEAL:a"})").status, 202u);
}

TEST(TacosQueue, WhereAnOuterLineStandsInFrontItComesFirst) {
    TestEvent event;
    event.token();
    event.server.service.submit(*event.room(), Activate{}, nullptr, {});
    EXPECT_ERROR(event.join(), 403, "WAITING_ROOM_REQUIRED",
                 "Take a number in the waiting room first");
}

TEST(TacosQueue, ACopyThatHasHeardNothingForTooLongSaysSo) {
    TestEvent event;
    const std::string token = event.token();
    event.room()->set_fresh(event.server.service.clock().now() - minutes(2));
    const auto refused = event.enter(token);
    EXPECT_ERROR(refused, 503, "QUEUE_ERROR", "Failed to validate waiting token");
    EXPECT_EQ(refused.header("retry-after"), "5");
    EXPECT_ERROR(event.status(token), 503, "QUEUE_ERROR", "Failed to get queue status");
}

TEST(TacosQueue, AStatusTellsTheLivePlace) {
    TestEvent event;
    const std::string ann = event.token(), bob = event.token(), eve = event.token();
    EXPECT_EQ(timeless(event.status(eve)),
              R"({"status":"waiting","position":3,"eta_sec":6,"waiting_time":0,)"
              R"("ready_for_entry":false})");
    event.leave(ann);
    EXPECT_EQ(event.position(eve), 2);
    event.call(1); // Bob may enter, but has not.
    EXPECT_EQ(timeless(event.status(bob)),
              R"({"status":"waiting","position":1,"eta_sec":1,"waiting_time":0,)"
              R"("ready_for_entry":true})");
    EXPECT_EQ(event.position(eve), 2);
    EXPECT_EQ(event.enter(bob).status, 200u);
    EXPECT_EQ(event.position(eve), 1);
}

// A look claims in a native room, but system T's clients claim by `enter`.
TEST(TacosQueue, AStatusClaimsNothingInARoomOfOthers) {
    TestEvent event;
    RoomSettings native;
    native.rules.admit_on_join = false;
    native.rules.wait_min = hours(1);
    native.rules.claim_window = hours(1);
    ASSERT_TRUE(native.rules.claim_by_look);
    const std::shared_ptr<HostedRoom> room = event.server.service.make_room("native", native).room;
    const auto joined = event.join_body(R"({"event_id":"native"})");
    const std::string token = TestServer::text_of(TestServer::json(joined), "waiting_token");
    event.server.service.submit(*room, CallNext{1}, nullptr, {});
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(timeless(event.status(token)),
                  R"({"status":"waiting","position":1,"eta_sec":1,"waiting_time":0,)"
                  R"("ready_for_entry":true})");
    EXPECT_EQ(room->view().standing(1).state, VisitorState::called);
    EXPECT_EQ(event.enter(token).status, 200u);
}

TEST(TacosQueue, AStatusWithoutATokenOrOfNoToken) {
    TestEvent event;
    event.token();
    for (const std::string_view path :
         {"/api/v1/queue/status", "/api/v1/queue/status?token=", "/api/v1/queue/status?toke=1"})
        EXPECT_ERROR(event.server.ask("GET", path), 400, "MISSING_TOKEN",
                     "waiting token is required");
    for (const std::string_view token :
         {"73bf3da3-04bb-47e2-9455-03bf5455ab81", "x", "73bf3da3-04bb-47e2-9455-03bf5455ab8"})
        EXPECT_ERROR(event.status(token), 404, "TOKEN_NOT_FOUND",
                     "Waiting token not found or expired");
}

TEST(TacosQueue, WhoHasLeftIsNotFoundAndWhoWasSilentHasExpired) {
    TestEvent event;
    const std::string ann = event.token(), bob = event.token();
    event.leave(ann);
    EXPECT_ERROR(event.status(ann), 404, "TOKEN_NOT_FOUND", "Waiting token not found or expired");
    EXPECT_ERROR(event.enter(ann), 404, "TOKEN_NOT_FOUND", "Waiting token not found or expired");

    event.server.change_rules(
        event_id, [](Settings& rules) { rules.idle = rules.sweep_interval = Millis{1}; });
    const auto room = event.room();
    ASSERT_TRUE(net::testing::eventually([&] { return room->view().waiting() == 0; }));
    EXPECT_ERROR(event.status(bob), 404, "TOKEN_EXPIRED",
                 "Waiting token expired due to inactivity");
    EXPECT_ERROR(event.enter(bob), 404, "TOKEN_NOT_FOUND", "Waiting token not found or expired");
}

TEST(TacosQueue, NobodyEntersBeforeTheTurnAndTheGrantIsOne) {
    TestEvent event;
    const std::string token = event.token();
    EXPECT_ERROR(event.enter(token), 403, "NOT_READY", "Your turn has not arrived yet");
    event.call(1);
    const auto granted = event.enter(token);
    EXPECT_EQ(granted.status, 200u);
    const std::string grant = TestServer::text_of(TestServer::json(granted), "reservation_token");
    EXPECT_TRUE(std::regex_match(grant, uuid));
    EXPECT_NE(grant, token);
    EXPECT_EQ(
        granted.body,
        fmt::format(R"({{"admission":"granted","reservation_token":"{}","ttl_sec":30}})", grant));
    EXPECT_EQ(event.grant(token), grant) << "the same grant again";
    EXPECT_EQ(timeless(event.status(token)),
              R"({"status":"ready","position":0,"eta_sec":0,"waiting_time":0,)"
              R"("ready_for_entry":true})");
}

TEST(TacosQueue, AnEnterThatCannotBeReadIsTheClientsMistake) {
    TestEvent event;
    const auto enter = [&](std::string_view body) {
        return event.server.ask("POST", "/api/v1/queue/enter", "", body);
    };
    EXPECT_ERROR(enter("nonsense"), 400, "INVALID_REQUEST", "Invalid request body");
    EXPECT_ERROR(enter("{}"), 400, "MISSING_TOKEN", "waiting_token is required");
    EXPECT_ERROR(event.enter("73bf3da3-04bb-47e2-9455-03bf5455ab81"), 404, "TOKEN_NOT_FOUND",
                 "Waiting token not found or expired");
}

TEST(TacosQueue, OneTokenIsNeverTheOther) {
    TestEvent event;
    const std::string token = event.token();
    event.call(1);
    const std::string grant = event.grant(token);
    EXPECT_ERROR(event.status(grant), 404, "TOKEN_NOT_FOUND", "Waiting token not found or expired");
    EXPECT_ERROR(event.enter(grant), 404, "TOKEN_NOT_FOUND", "Waiting token not found or expired");
    EXPECT_EQ(
        event
            .verify(fmt::format(R"({{"event_id":"{}","reservation_token":"{}"}})", event_id, token))
            .status,
        403u);
}

TEST(TacosQueue, LeavingAlwaysWorks) {
    TestEvent event;
    const std::string token = event.token();
    for (const std::string_view any : {std::string_view(token), std::string_view(token),
                                       std::string_view("73bf3da3-04bb-47e2-9455-03bf5455ab81")}) {
        const auto answer = event.leave(any);
        EXPECT_EQ(answer.status, 200u);
        EXPECT_EQ(answer.body, R"({"status":"left"})");
    }
    EXPECT_EQ(event.room()->view().waiting(), 0u);
    EXPECT_ERROR(event.server.ask("DELETE", "/api/v1/queue/leave"), 400, "MISSING_TOKEN",
                 "waiting token is required");
}

TEST(TacosQueue, WhoLeavesAfterEnteringHasNoGrantAnyMore) {
    TestEvent event;
    const std::string token = event.token();
    event.call(1);
    const std::string grant = event.grant(token);
    event.leave(token);
    const std::string body =
        fmt::format(R"({{"event_id":"{}","reservation_token":"{}"}})", event_id, grant);
    EXPECT_ERROR(event.verify(body), 403, "INVALID_RESERVATION_TOKEN",
                 "Reservation token is invalid or expired");
}

TEST(TacosQueue, TheRoomHasTheRulesOfTheProductionVersion) {
    TestEvent event(options_of({}));
    event.token();
    const Settings& set = event.room()->view().settings();
    EXPECT_EQ(set.called_max, 100);
    EXPECT_EQ(set.wait_min, seconds(5));
    EXPECT_EQ(set.rate_milli, 50'000);
    EXPECT_EQ(set.idle, minutes(5));
    EXPECT_EQ(set.lease, seconds(30));
    EXPECT_EQ(set.lease_max, seconds(30));
    EXPECT_FALSE(set.admit_on_join || set.claim_by_look);
}

} // namespace
} // namespace anteroom::tacos
