// What users see of system P's queues, on the wire.
#include <algorithm>
#include <thread>

#include "dialects/portal/test_queue.h"

namespace anteroom::portal {
namespace {

TEST(PortalEntry, NothingIsThereBeforeAnActivation) {
    TestQueue queue;
    EXPECT_EQ(shape(queue.enter("ann")), no_queue);
    EXPECT_EQ(shape(queue.status("ann")), no_queue);
    EXPECT_EQ(shape(queue.ask("DELETE", "/queue/TIMEDEAL/42/leave", "ann")), no_queue);
    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/42/complete", "ann")), no_queue);
    EXPECT_EQ(shape(queue.ask("GET", "/queue/TIMEDEAL/42/validate", "ann")), success)
        << "without a queue everybody may buy";
    EXPECT_EQ(shape(queue.ask("POST", "/queue/A%20B/42/enter", "ann")), no_queue)
        << "no room can have that name";
}

TEST(PortalEntry, WaitsWithANumberAndATokenInAllForms) {
    TestQueue queue;
    queue.activate_slowly();
    const auto first = queue.enter("ann");
    EXPECT_EQ(shape(first), ok(waiting_body(1, 3600, 1)));
    const std::string token = TestQueue::text(TestQueue::data(first), "entryToken");
    EXPECT_EQ(token.size(), 36u);
    EXPECT_EQ(token[14], '4') << "a UUID of version 4";
    EXPECT_EQ(shape(queue.ask("POST", "/api/v1/shopping/queue/TIMEDEAL/42/enter", "bob")),
              ok(waiting_body(2, 7200, 2)));
    EXPECT_EQ(shape(queue.ask("POST", "/api/shopping/queue/TIMEDEAL/42/enter", "eve")),
              ok(waiting_body(3, 10800, 3)));
    for (const std::string prefix : {"", "/api/v1/shopping", "/api/shopping"}) {
        const std::string status = ok(waiting_body(1, 3600, 3));
        EXPECT_EQ(shape(queue.ask("GET", prefix + "/queue/TIMEDEAL/42/status", "ann")), status);
        EXPECT_EQ(shape(queue.ask("GET", prefix + "/queue/token/" + token, "ann")), status);
        const auto by_token = queue.ask("GET", prefix + "/queue/token/" + token + "/status", "ann");
        EXPECT_EQ(shape(by_token), status);
        EXPECT_NE(by_token.body.find(token), std::string::npos) << "the same token";
    }
}

TEST(PortalEntry, WhoEntersTwiceGetsTheSameTokenWithTheConflict) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    const auto again = queue.enter("ann");
    EXPECT_EQ(shape(again),
              R"(409 {"success":false,"data":)" + waiting_body(1, 3600, 1) +
                  R"(,"error":{"code":"S802","message":"Already entered in the queue",)"
                  R"("timestamp":"*"}})");
    EXPECT_NE(again.body.find(token), std::string::npos);
    const auto inside = queue.enter("first");
    EXPECT_EQ(inside.status, 409);
    EXPECT_EQ(TestQueue::text(TestQueue::data(inside), "status"), "ENTERED");
}

TEST(PortalEntry, EnteringTwiceCanBeNoConflict) {
    Options options;
    options.idempotent_enter = true;
    TestQueue queue(options);
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    EXPECT_EQ(queue.token("ann"), token);
    EXPECT_EQ(shape(queue.enter("ann")), ok(waiting_body(1, 3600, 1)));
}

TEST(PortalEntry, LeavingEndsTheEntryAndAnotherBegins) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    EXPECT_EQ(shape(queue.ask("DELETE", "/queue/TIMEDEAL/42/leave", "ann")), success);
    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/42/leave", "ann")), no_entry);
    EXPECT_EQ(shape(queue.status("ann")), no_entry);
    EXPECT_EQ(shape(queue.ask("GET", "/queue/token/" + token, "ann")), ok(left));
    EXPECT_EQ(shape(queue.ask("DELETE", "/queue/token/" + token, "ann")), no_entry);

    const std::string another = queue.token("ann");
    EXPECT_NE(another, token);
    EXPECT_EQ(shape(queue.status("ann")), ok(waiting_body(1, 3600, 1))) << "one live entry";
    EXPECT_EQ(shape(queue.ask("GET", "/queue/token/" + token, "ann")), ok(left));
    EXPECT_EQ(shape(queue.ask("DELETE", "/queue/token/" + another, "ann")), success);
    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/42/leave", "nobody")), no_entry);
    queue.enter("bob");
    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/42/leave", "bob")), success);
}

TEST(PortalEntry, TokensOfOthersAreRefused) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    const std::string mismatch = error(403, "S807", "Queue token does not belong to current user");
    EXPECT_EQ(shape(queue.ask("GET", "/queue/token/" + token, "eve")), mismatch);
    EXPECT_EQ(shape(queue.ask("GET", "/queue/token/" + token + "/status", "eve")), mismatch);
    EXPECT_EQ(shape(queue.ask("GET", validate_path(token), "eve")), mismatch);
    EXPECT_EQ(shape(queue.ask("DELETE", "/queue/token/" + token, "eve")), mismatch);
    EXPECT_EQ(shape(queue.ask("GET", "/queue/TIMEDEAL/42/subscribe/" + token, "eve")), mismatch);
    EXPECT_EQ(shape(queue.status("ann")), ok(waiting_body(1, 3600, 1))) << "and did no harm";
    for (const std::string& forged : {std::string("x"), std::string(36, 'a'), std::string(48, 'a'),
                                      std::string("11111111-2222-4333-8444-555555555555")}) {
        EXPECT_EQ(shape(queue.ask("GET", "/queue/token/" + forged, "ann")), no_entry);
        EXPECT_EQ(shape(queue.ask("DELETE", "/queue/token/" + forged, "ann")), no_entry);
        EXPECT_EQ(shape(queue.ask("GET", "/queue/TIMEDEAL/42/subscribe/" + forged, "ann")),
                  no_entry);
    }
}

TEST(PortalEntry, AShopAsksWhoMayBuy) {
    TestQueue queue;
    queue.activate_slowly();
    const auto validate = [&](std::string_view user) { return shape(queue.validate(user)); };
    const std::string token = queue.token("ann");
    EXPECT_EQ(validate("nobody"), required);
    EXPECT_EQ(validate("ann"), too_early);
    EXPECT_EQ(shape(queue.ask("GET", validate_path(token), "ann")), too_early);
    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/42/complete", "ann")), too_early);
    EXPECT_EQ(validate("first"), ok(entered));

    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/42/complete", "first")), success);
    EXPECT_EQ(queue.inside(), 0) << "the slot is free";
    EXPECT_EQ(validate("first"), required);
    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/42/complete", "first")), required);
}

TEST(PortalEntry, AnEntryIsGoodForItsOwnQueueOnly) {
    TestQueue queue;
    queue.activate_slowly();
    const auto activate = [&](std::string_view path) {
        return queue.server.ask("POST", path, TestQueue::as_seller(), TestQueue::pace(10, 5, 1));
    };
    EXPECT_EQ(activate("/api/v1/seller/queue/COUPON/7/activate").status, 200);
    const std::string coupon = TestQueue::text(
        TestQueue::data(queue.ask("POST", "/queue/COUPON/7/enter", "ann")), "entryToken");
    while (queue.ask("GET", "/queue/COUPON/7/status", "ann").body.find("ENTERED") ==
               std::string::npos &&
           !testing::Test::HasFailure())
        ;
    EXPECT_EQ(shape(queue.ask("GET", validate_path(coupon, "COUPON", "7"), "ann")), ok(entered));
    EXPECT_EQ(shape(queue.ask("GET", validate_path(coupon), "ann")), required);
    // Which purchase it is for must be said.
    const std::string path = "/queue/token/" + coupon + "/validate";
    EXPECT_EQ(shape(queue.ask("GET", path, "ann")),
              R"(400 {"success":false,"error":{"code":"C002","message":"Invalid Input Value",)"
              R"("timestamp":"*","path":")" +
                  path +
                  R"(","details":[)"
                  R"({"field":"eventType","message":"must not be blank","rejectedValue":null},)"
                  R"({"field":"eventId","message":"must not be null","rejectedValue":null}]}})");
    EXPECT_EQ(shape(queue.ask("GET", validate_path(coupon, "COUPON", "x"), "ann")),
              error(400, "C002", "Parameter 'eventId' should be of type 'Long'"));
    // Without an active queue everybody may buy, by token, too.
    queue.server.ask("POST", "/api/v1/seller/queue/COUPON/7/deactivate", TestQueue::as_seller());
    EXPECT_EQ(shape(queue.ask("GET", validate_path(coupon, "COUPON", "7"), "ann")), success);
}

// A stranger with the token cannot act for its user by the native routes, and only known users take
// a place in a queue.
TEST(PortalEntry, TheOtherRoutesDoNotKnowQueues) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    const std::string room = "/v1/rooms/TIMEDEAL:42/";
    EXPECT_EQ(
        TestServer::code(queue.server.ask("DELETE", room + "ticket", TestServer::bearer(token))),
        "ticket_invalid");
    EXPECT_EQ(queue.server.ask("POST", room + "tickets").status, 403);
    EXPECT_EQ(queue.server.ask("GET", "/wait/TIMEDEAL:42?plain=1").status, 404);
    EXPECT_EQ(shape(queue.status("ann")), ok(waiting_body(1, 3600, 1)));
    // Nor does anybody make one.
    EXPECT_EQ(queue.server.ask("POST", "/v1/rooms/TIMEDEAL:43/tickets").status, 404);
    EXPECT_EQ(queue.server.ask("POST", "/v1/rooms/TIMEDEAL:x/tickets").status, 201);
}

TEST(PortalEntry, SilenceEndsAnEntry) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    queue.server.change_rules(
        "TIMEDEAL:42", [](Settings& rules) { rules.idle = rules.sweep_interval = Millis{1}; });
    while (TestQueue::data(queue.seller("status")).at("waitingCount").as_int64() > 0 &&
           !testing::Test::HasFailure())
        ;
    EXPECT_EQ(shape(queue.ask("GET", "/queue/token/" + token, "ann")), ok(expired));
}

TEST(PortalEntry, AStoreThatIsAwayIsSaidAsTheGatewayDid) {
    TestOptions all = TestQueue::with({});
    all.store_is_away = std::make_shared<std::atomic<bool>>(false);
    std::atomic<bool>& away = *all.store_is_away;
    TestQueue queue(std::move(all));
    queue.activate_slowly();
    queue.enter("ann");
    away = true;
    for (const auto& answer :
         {queue.enter("bob"), queue.ask("DELETE", "/queue/TIMEDEAL/42/leave", "ann"),
          queue.ask("POST", "/queue/TIMEDEAL/42/complete", "first"), queue.seller("process"),
          queue.seller("deactivate")}) {
        EXPECT_EQ(shape(answer), unavailable);
        EXPECT_EQ(answer.header("retry-after"), "5");
    }
    EXPECT_EQ(shape(queue.status("ann")), ok(waiting_body(1, 3600, 1))) << "what is known is told";
}

TEST(PortalEntry, SlotsOfThoseInsideExpire) {
    TestQueue queue;
    queue.activate(1, 1, 1);
    const std::string token = queue.token("ann");
    queue.wait_for("ann", "ENTERED");
    queue.server.change_rules("TIMEDEAL:42",
                              [](Settings& rules) { rules.lease = rules.lease_max = Millis{1}; });
    for (std::string said; said.find("EXPIRED") == said.npos && !testing::Test::HasFailure();)
        said = queue.ask("GET", "/queue/token/" + token, "ann").body;
    EXPECT_EQ(shape(queue.ask("GET", "/queue/token/" + token, "ann")), ok(expired));
    const std::string over = error(401, "S804", "Queue token has expired");
    EXPECT_EQ(shape(queue.ask("GET", validate_path(token), "ann")), over);
    EXPECT_EQ(shape(queue.ask("DELETE", "/queue/token/" + token, "ann")), over);
    EXPECT_EQ(shape(queue.status("ann")), no_entry);
    EXPECT_EQ(queue.inside(), 0);
    EXPECT_NE(queue.token("ann"), token) << "and may come again";
}

TEST(PortalEntry, ClientMistakesHaveTheirOwnTexts) {
    TestQueue queue;
    const std::string bad_id = error(400, "C002", "Parameter 'eventId' should be of type 'Long'");
    for (const char* id : {"x", "4.5", "9223372036854775808", "%00", "4%20"}) {
        EXPECT_EQ(shape(queue.ask("POST", fmt::format("/queue/TIMEDEAL/{}/enter", id), "ann")),
                  bad_id);
        EXPECT_EQ(shape(queue.ask("GET", fmt::format("/queue/TIMEDEAL/{}/status", id), "ann")),
                  bad_id);
    }
    const auto wrong = queue.ask("PUT", "/queue/TIMEDEAL/42/enter", "ann");
    EXPECT_EQ(shape(wrong), error(405, "C002", "Request method is not supported"));
    EXPECT_EQ(wrong.header("allow"), "POST");
    EXPECT_EQ(queue.ask("POST", "/queue/token/x", "ann").header("allow"), "GET, DELETE");
    for (const char* path : {"/queue/TIMEDEAL/42/other", "/admin/queue/nothing",
                             "/api/v1/shopping/queue/nothing", "/api/v1/seller/nothing"})
        EXPECT_EQ(shape(queue.ask("GET", path, "ann")), error(404, "C003", "Not Found")) << path;
}

// Batch 2, capacity 3, five users: 2, then 1, then nobody until a slot is given back.
TEST(PortalEntry, BatchesNeverGoAboveTheCapacity) {
    TestQueue queue;
    queue.activate(3, 2, 3'600);
    for (const char* user : {"a", "b", "c", "d", "e"}) EXPECT_EQ(queue.enter(user).status, 200);
    queue.wait_for("b", "ENTERED");
    EXPECT_EQ(queue.inside(), 2);
    queue.seller("process");
    EXPECT_EQ(queue.inside(), 3);
    queue.seller("process");
    EXPECT_EQ(queue.inside(), 3);
    EXPECT_EQ(shape(queue.status("d")), ok(waiting_body(1, 3600, 2)));
    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/42/leave", "a")), success);
    queue.seller("process");
    EXPECT_EQ(queue.inside(), 3);
    EXPECT_EQ(shape(queue.status("d")), ok(entered));
    EXPECT_EQ(shape(queue.status("e")), ok(waiting_body(1, 3600, 1)));
}

TEST(PortalEntry, TheFifteenthWaitsNinetySeconds) {
    TestQueue queue;
    queue.activate(1'000, 5, 3'600);
    for (int i = 1; i <= 20; ++i) EXPECT_EQ(queue.enter(fmt::format("u{}", i)).status, 200);
    queue.wait_for("u5", "ENTERED");
    queue.operate("pause"); // However long it took, nobody else goes in.
    queue.server.change_rules("TIMEDEAL:42",
                              [](Settings& rules) { rules.admit_interval = seconds(30); });
    EXPECT_EQ(shape(queue.status("u20")), ok(waiting_body(15, 90, 15)));
}

TEST(PortalEntry, AHundredAtOnceAndNeverTooMany) {
    constexpr int users = 100, threads = 4, capacity = 7;
    TestQueue queue;
    queue.activate(capacity, 3, 1);
    std::atomic<bool> over{false};
    std::atomic<int> entered_count{0};
    std::thread operator_thread([&] {
        while (!over) {
            queue.seller("process");
            EXPECT_LE(queue.inside(), capacity);
        }
    });
    std::vector<std::thread> crowd;
    for (int t = 0; t < threads; ++t)
        crowd.emplace_back([&, t] {
            for (int i = t; i < users; i += threads)
                if (queue.enter(fmt::format("u{}", i)).status == 200) ++entered_count;
        });
    for (std::thread& one : crowd) one.join();
    over = true;
    operator_thread.join();
    for (int i = 0; i < capacity; ++i) queue.seller("process"); // However late the operator was.
    EXPECT_EQ(entered_count, users);
    EXPECT_EQ(queue.inside(), capacity);
    EXPECT_EQ(TestQueue::data(queue.seller("status")).at("waitingCount").as_int64(),
              users - capacity);
}

} // namespace
} // namespace anteroom::portal
