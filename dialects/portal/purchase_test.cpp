// Who may buy when a queue begins, ends, or cannot be seen: the gate before a purchase fails
// closed.
#include "dialects/portal/test_queue.h"

namespace anteroom::portal {
namespace {

// User "first" is inside, "ann" waits, "eve" has not come.
struct Sale : TestQueue {
    explicit Sale(Options options = {}) : TestQueue(std::move(options)) {
        activate_slowly();
        token = TestQueue::token("ann");
    }
    void expect_guarded() {
        EXPECT_EQ(shape(validate("eve")), required);
        EXPECT_EQ(shape(validate("ann")), too_early);
        EXPECT_EQ(shape(ask("GET", validate_path(token), "ann")), too_early);
        EXPECT_EQ(shape(validate("first")), ok(entered));
    }
    void send_everybody_away() {
        EXPECT_EQ(shape(ask("POST", "/queue/TIMEDEAL/42/leave", "ann")), success);
        EXPECT_EQ(shape(ask("POST", "/queue/TIMEDEAL/42/complete", "first")), success);
    }
    std::string token;
};

void expect_unavailable(const net::testing::WireResponse& answer) {
    EXPECT_EQ(shape(answer), unavailable);
    EXPECT_EQ(answer.header("retry-after"), "5");
}

Options draining() {
    Options options;
    options.drains = true;
    return options;
}

// Another process may have activated it.
TEST(PortalPurchase, AQueueThatWasNotHeardOfIsNotTakenForNone) {
    TestOptions options = TestQueue::with({});
    options.store_is_away = std::make_shared<std::atomic<bool>>(true);
    std::atomic<bool>& away = *options.store_is_away;
    TestQueue queue(std::move(options));
    const std::string by_token = validate_path("11111111-2222-4333-8444-555555555555");
    for (const auto& answer :
         {queue.validate("eve"), queue.ask("GET", by_token, "eve"), queue.enter("eve"),
          queue.status("eve"), queue.seller("status"), queue.seller("activate")})
        expect_unavailable(answer);
    away = false;
    EXPECT_EQ(shape(queue.validate("eve")), success);
    EXPECT_EQ(shape(queue.ask("GET", by_token, "eve")), success);
    EXPECT_EQ(shape(queue.enter("eve")), no_queue);
    EXPECT_EQ(shape(queue.status("eve")), no_queue);
}

TEST(PortalPurchase, AnOldCopyDoesNotSayThatTheQueueIsOver) {
    Sale sale;
    sale.seller("deactivate");
    EXPECT_EQ(shape(sale.validate("eve")), success);
    sale.set_fresh(Instant{0});
    for (const auto& answer :
         {sale.validate("eve"), sale.ask("GET", validate_path(sale.token), "ann"),
          sale.enter("eve"), sale.status("eve"), sale.seller("activate"),
          sale.seller("deactivate")})
        expect_unavailable(answer);
    sale.set_fresh(instant_max);
    EXPECT_EQ(shape(sale.validate("eve")), success);
}

// A user whom an old copy lacks may have come since: the writer says it. A purchase is not allowed
// by an old copy, whatever it says.
TEST(PortalPurchase, WhatAnOldCopyLacksTheWriterSays) {
    Sale sale;
    sale.set_fresh(sale.server.service.clock().now() - seconds(20));
    EXPECT_EQ(shape(sale.status("eve")), no_entry);
    EXPECT_EQ(shape(sale.status("ann")), ok(waiting_body(1, 3600, 1)));
    for (const auto& answer :
         {sale.validate("first"), sale.ask("GET", validate_path(sale.token), "ann"),
          sale.ask("POST", "/queue/TIMEDEAL/42/leave", "eve"),
          sale.ask("POST", "/queue/TIMEDEAL/42/complete", "first")})
        expect_unavailable(answer);
}

TEST(PortalPurchase, WithoutTheStoreTheLastStandingIsToldButSellsNothing) {
    TestOptions options = TestQueue::with({});
    options.store_is_away = std::make_shared<std::atomic<bool>>(false);
    options.is_away_unnoticed = true;
    std::atomic<bool>& away = *options.store_is_away;
    TestQueue queue(std::move(options));
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    away = true;
    queue.set_fresh(queue.server.service.clock().now() - seconds(20));
    EXPECT_EQ(shape(queue.status("ann")), ok(waiting_body(1, 3600, 1)));
    EXPECT_EQ(shape(queue.ask("GET", "/queue/token/" + token, "ann")),
              ok(waiting_body(1, 3600, 1)));
    for (const auto& answer : {queue.status("eve"), queue.validate("first"),
                               queue.ask("GET", validate_path(token), "ann")})
        expect_unavailable(answer);
    queue.set_fresh(Instant{0});
    for (const auto& answer :
         {queue.status("ann"), queue.ask("GET", "/queue/token/" + token, "ann")})
        expect_unavailable(answer);
}

TEST(PortalPurchase, WhileAQueueDrainsOnlyWhoEnteredMayBuy) {
    Sale sale(draining());
    EXPECT_EQ(sale.seller("deactivate").status, 200);
    sale.expect_guarded();
    sale.send_everybody_away();
    EXPECT_EQ(shape(sale.validate("eve")), success) << "now there is no queue";
    EXPECT_EQ(shape(sale.ask("GET", validate_path(sale.token), "ann")), success);
}

TEST(PortalPurchase, AnOperatorsDrainIsTheSame) {
    Sale sale;
    sale.operate("drain");
    sale.expect_guarded();
    sale.send_everybody_away();
    EXPECT_EQ(shape(sale.validate("eve")), success);
}

TEST(PortalPurchase, BehindARoomThatAnOperatorClosedNobodyNewMayBuy) {
    Sale sale;
    sale.operate("close");
    sale.expect_guarded();
    sale.send_everybody_away();
    EXPECT_EQ(shape(sale.validate("eve")), required) << "closed is not over";
    // The sellers end it as always, and then it is over.
    EXPECT_EQ(sale.seller("deactivate").status, 200);
    EXPECT_EQ(shape(sale.validate("eve")), success);
    EXPECT_EQ(sale.seller("deactivate").status, 400);
    sale.activate(1, 1, 1);
    EXPECT_EQ(shape(sale.validate("eve")), required);
}

TEST(PortalPurchase, APauseKeepsTheGate) {
    Sale sale;
    sale.operate("pause");
    sale.expect_guarded();
}

} // namespace
} // namespace anteroom::portal
