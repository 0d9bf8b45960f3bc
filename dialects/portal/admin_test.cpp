// What operators of system P see, on the wire: three forms, one state.
#include "dialects/portal/test_queue.h"

namespace anteroom::portal {
namespace {

std::string queue_body(TestQueue& queue, bool active, int waiting, int inside, int capacity,
                       int batch, int interval) {
    return fmt::format(
        R"({{"queueId":{},"eventType":"TIMEDEAL","eventId":42,"isActive":{},"waitingCount":{},)"
        R"("enteredCount":{},"maxCapacity":{},"entryBatchSize":{},"entryIntervalSeconds":{}}})",
        queue.server.service.rooms().share("TIMEDEAL:42")->index(), active, waiting, inside,
        capacity, batch, interval);
}

struct Forms {
    explicit Forms(TestQueue& tested) : queue(tested) {}
    // The form of the path, behind each prefix, and the document's, with the queue in the body.
    net::testing::WireResponse ask(std::string_view form, std::string_view verb,
                                   std::string_view body = "{}") {
        const bool in_body = form.ends_with("admin/queue");
        const std::string path = in_body ? fmt::format("{}/{}", form, verb)
                                         : fmt::format("{}/TIMEDEAL/42/{}", form, verb);
        std::string sent(body);
        if (in_body)
            sent.insert(sent.size() - 1, fmt::format(R"({}"eventType":"TIMEDEAL","eventId":42)",
                                                     body == "{}" ? "" : ","));
        return queue.server.ask("POST", path, TestQueue::as_seller(), sent);
    }
    TestQueue& queue;
};

TEST(PortalAdmin, SellersReadTheQueue) {
    TestQueue queue;
    EXPECT_EQ(shape(queue.seller("status")), error(404, "SL501", "Waiting queue not found"));
    EXPECT_EQ(shape(queue.seller("deactivate")), error(404, "SL501", "Waiting queue not found"));
    EXPECT_EQ(shape(queue.seller("process")), error(404, "SL501", "Waiting queue not found"));
    const auto made = queue.seller("activate", TestQueue::pace(1'000, 50, 10));
    EXPECT_EQ(shape(made), ok(queue_body(queue, true, 0, 0, 1000, 50, 10)));
    EXPECT_EQ(shape(queue.seller("status")), ok(queue_body(queue, true, 0, 0, 1000, 50, 10)));
    EXPECT_EQ(shape(queue.seller("activate", TestQueue::pace(1, 1, 1))),
              error(409, "SL502", "Queue is already active"));
    EXPECT_EQ(shape(queue.seller("deactivate")), ok(queue_body(queue, false, 0, 0, 1000, 50, 10)));
    for (const char* verb : {"deactivate", "process"})
        EXPECT_EQ(shape(queue.seller(verb)), error(400, "SL503", "Queue is not active"));
    EXPECT_EQ(shape(queue.seller("activate", TestQueue::pace(7, 3, 5))),
              ok(queue_body(queue, true, 0, 0, 7, 3, 5)))
        << "the new numbers count";
}

TEST(PortalAdmin, AllFormsLeadToTheSameQueue) {
    for (const char* form : {"/admin/queue", "/api/v1/shopping/admin/queue",
                             "/api/shopping/admin/queue", "/admin/queue/"}) {
        TestQueue queue;
        const auto ask = [&](std::string_view verb, std::string_view body = "{}") {
            // With the slash: the queue in the path.
            std::string_view base(form);
            if (!base.ends_with('/')) return Forms(queue).ask(base, verb, body);
            base.remove_suffix(1);
            return queue.server.ask("POST", fmt::format("{}/TIMEDEAL/42/{}", base, verb),
                                    TestQueue::as_seller(), body);
        };
        for (const char* verb : {"deactivate", "process"}) EXPECT_EQ(shape(ask(verb)), no_queue);
        EXPECT_EQ(shape(ask("activate", TestQueue::pace(9, 1, 3'600))), success);
        EXPECT_EQ(shape(queue.seller("status")), ok(queue_body(queue, true, 0, 0, 9, 1, 3600)));
        EXPECT_EQ(shape(ask("activate", TestQueue::pace(10, 2, 3'600))), success);
        EXPECT_EQ(shape(queue.seller("status")), ok(queue_body(queue, true, 0, 0, 10, 2, 3600)))
            << "parameters are updated";
        for (const char* user : {"a", "b", "c", "d"}) queue.enter(user);
        queue.wait_for("b", "ENTERED");
        EXPECT_EQ(shape(ask("process")), success);
        EXPECT_EQ(shape(queue.seller("status")), ok(queue_body(queue, true, 0, 4, 10, 2, 3600)));
        EXPECT_EQ(shape(ask("deactivate")), success);
        EXPECT_EQ(shape(ask("deactivate")), no_queue);
        EXPECT_EQ(shape(ask("process")), no_queue);
        EXPECT_EQ(shape(queue.seller("status")), ok(queue_body(queue, false, 0, 0, 10, 2, 3600)));
    }
}

TEST(PortalAdmin, StatusHasAllForms) {
    TestQueue queue;
    queue.activate(5, 1, 3'600);
    const std::string expected = ok(queue_body(queue, true, 0, 0, 5, 1, 3600));
    for (const char* path :
         {"/admin/queue/TIMEDEAL/42/status", "/admin/queue/status?eventType=TIMEDEAL&eventId=42",
          "/api/v1/shopping/admin/queue/TIMEDEAL/42/status",
          "/api/v1/seller/queue/TIMEDEAL/42/status"})
        EXPECT_EQ(shape(queue.server.ask("GET", path, TestQueue::as_seller())), expected) << path;
    EXPECT_EQ(
        shape(queue.server.ask("GET", "/admin/queue/TIMEDEAL/43/status", TestQueue::as_seller())),
        no_queue);
}

TEST(PortalAdmin, DeactivatingExpiresWhoIsThere) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    queue.seller("deactivate");
    EXPECT_EQ(shape(queue.ask("GET", "/queue/token/" + token, "ann")), ok(expired));
    EXPECT_EQ(shape(queue.status("ann")), no_queue);
    EXPECT_EQ(shape(queue.enter("ann")), no_queue);
    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/42/leave", "ann")), no_entry)
        << "the queue is known, active or not";
    EXPECT_EQ(shape(queue.ask("GET", "/queue/TIMEDEAL/42/validate", "ann")), success);
    queue.activate(10, 1, 3'600);
    EXPECT_EQ(shape(queue.status("ann")), no_entry) << "nobody is stranded in it";
    EXPECT_NE(queue.token("ann"), token);
}

// A room that an operator made for something else is none of the sellers'.
TEST(PortalAdmin, RoomsOfOthersAreNoQueues) {
    TestQueue queue;
    queue.server.ask("PUT", "/v1/admin/rooms/sale:2026", TestServer::as_admin(),
                     R"({"capacity":7})");
    const std::string missing = error(404, "SL501", "Waiting queue not found");
    const auto seller = [&](std::string_view method, std::string_view verb, std::string_view body) {
        return shape(queue.server.ask(method,
                                      fmt::format("/api/v1/seller/queue/sale/2026/{}", verb),
                                      TestQueue::as_seller(), body));
    };
    EXPECT_EQ(seller("POST", "activate", TestQueue::pace(1, 1, 1)), missing);
    EXPECT_EQ(seller("POST", "deactivate", ""), missing);
    EXPECT_EQ(seller("POST", "process", ""), missing);
    EXPECT_EQ(seller("GET", "status", ""), missing);
    EXPECT_EQ(shape(queue.ask("POST", "/queue/sale/2026/enter", "ann")), no_queue);
    EXPECT_EQ(queue.server.service.rooms().share("sale:2026")->view().settings().capacity, 7);
    // Unless the operator hands it over.
    queue.server.ask("PUT", "/v1/admin/rooms/sale:2026", TestServer::as_admin(),
                     R"({"dialect":"portal"})");
    EXPECT_EQ(queue.ask("POST", "/queue/sale/2026/enter", "ann").status, 200);
}

TEST(PortalAdmin, DeactivatingCanDrain) {
    Options options;
    options.drains = true;
    TestQueue queue(options);
    queue.activate(10, 1, 1);
    queue.enter("ann");
    queue.enter("bob");
    EXPECT_EQ(queue.seller("deactivate").status, 200);
    EXPECT_EQ(shape(queue.enter("eve")), no_queue);
    queue.wait_for("bob", "ENTERED");
    EXPECT_EQ(shape(queue.status("eve")), no_queue);
}

TEST(PortalAdmin, ImpossibleNumbersAreNamed) {
    TestQueue queue;
    const std::string path = "/api/v1/seller/queue/TIMEDEAL/42/activate";
    const auto refusal = [&](std::string_view details) {
        return fmt::format(
            R"(400 {{"success":false,"error":{{"code":"C002","message":"Invalid Input Value",)"
            R"("timestamp":"*","path":"{}","details":[{}]}}}})",
            path, details);
    };
    EXPECT_EQ(
        shape(queue.seller("activate", TestQueue::pace(0, -1, 3'601))),
        refusal(
            R"({"field":"maxCapacity","message":"must be greater than or equal to 1","rejectedValue":0},)"
            R"({"field":"entryBatchSize","message":"must be greater than or equal to 1","rejectedValue":-1},)"
            R"({"field":"entryIntervalSeconds","message":"must be less than or equal to 3600","rejectedValue":3601})"));
    EXPECT_EQ(
        shape(queue.seller("activate", R"({"maxCapacity":"many","entryBatchSize":5})")),
        refusal(
            R"({"field":"maxCapacity","message":"must be a whole number","rejectedValue":"many"},)"
            R"({"field":"entryIntervalSeconds","message":"must not be null","rejectedValue":null})"));
    for (const char* body : {"[]", "{", "7", "[[[[[[[[[["})
        EXPECT_EQ(shape(queue.seller("activate", body)), error(400, "C002", "Invalid Input Value"));
    EXPECT_EQ(shape(queue.seller("status")), error(404, "SL501", "Waiting queue not found"))
        << "nothing was made";
    EXPECT_EQ(shape(queue.server.ask("POST", "/admin/queue/deactivate", TestQueue::as_seller())),
              R"(400 {"success":false,"error":{"code":"C002","message":"Invalid Input Value",)"
              R"("timestamp":"*","path":"/admin/queue/deactivate","details":[)"
              R"({"field":"eventType","message":"must not be blank","rejectedValue":null},)"
              R"({"field":"eventId","message":"must not be null","rejectedValue":null}]}})");
    EXPECT_EQ(
        shape(queue.server.ask("POST", "/api/v1/seller/queue/A%3AB/1/activate",
                               TestQueue::as_seller(), TestQueue::pace(1, 1, 1))),
        R"(400 {"success":false,"error":{"code":"C002","message":"Invalid Input Value",)"
        R"("timestamp":"*","path":"/api/v1/seller/queue/A%3AB/1/activate","details":[)"
        R"({"field":"eventType","message":"must be 1 to 50 of A-Z a-z 0-9 . _ ~ -","rejectedValue":"A:B"}]}})");
    EXPECT_EQ(shape(queue.server.ask("POST", "/admin/queue/TIMEDEAL/x/activate",
                                     TestQueue::as_seller(), TestQueue::pace(1, 1, 1))),
              error(400, "C002", "Parameter 'eventId' should be of type 'Long'"));
}

TEST(PortalAdmin, AnActivationWithoutNumbersKeepsThem) {
    TestQueue queue;
    queue.activate(9, 2, 30);
    queue.seller("deactivate");
    EXPECT_EQ(shape(queue.seller("activate", R"({"maxCapacity":11})")),
              ok(queue_body(queue, true, 0, 0, 11, 2, 30)));
}

TEST(PortalAdmin, QueuesDoNotMeet) {
    TestQueue queue;
    queue.activate_slowly();
    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/43/enter", "ann")), no_queue);
    EXPECT_EQ(shape(queue.ask("POST", "/queue/COUPON/42/enter", "ann")), no_queue);
    EXPECT_EQ(shape(queue.ask("POST", "/queue/TIMEDEAL/042/enter", "ann")),
              ok(waiting_body(1, 3600, 1)))
        << "the same number";
}

} // namespace
} // namespace anteroom::portal
