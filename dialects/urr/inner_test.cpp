// Tier 2 on the wire: every row of its table, with exact bodies, and the tiers linked.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "desk/assets.h"
#include "dialects/urr/test_event.h"

namespace anteroom::urr {
namespace {

constexpr const char* unknown_event = R"(eventInfo:{"title":"Unknown","artist":"Unknown"})";

TEST(UrrInner, OneSlotAndThreeUsers) {
    TestEvent event;
    event.set_threshold(1);
    const auto first = event.inner("check", "A");
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(shape(first), fmt::format(R"(currentUsers:0 entryToken:"*" {} nextPoll:3 )"
                                        R"(queued:false status:"active" threshold:1)",
                                        unknown_event));
    EXPECT_EQ(shape(event.inner("check", "A")),
              fmt::format(R"(currentUsers:1 entryToken:"*" {} nextPoll:3 queued:false )"
                          R"(status:"active" threshold:1)",
                          unknown_event));
    EXPECT_EQ(shape(event.inner("check", "B")),
              fmt::format(R"(currentUsers:1 estimatedWait:5 {} nextPoll:1 peopleAhead:0 )"
                          R"(peopleBehind:0 position:1 queued:true status:"queued" threshold:1)",
                          unknown_event));
    EXPECT_EQ(event.inner("status", "B").body,
              R"({"status":"queued","queued":true,"currentUsers":1,"position":1,"peopleAhead":0,)"
              R"("peopleBehind":0,"estimatedWait":5,"nextPoll":1,"queueSize":1})");
    EXPECT_EQ(event.inner("heartbeat", "A").body, R"({"status":"active","queued":false})");
    EXPECT_EQ(event.inner("heartbeat", "B").body, R"({"status":"queued","queued":true})");
    EXPECT_EQ(event.inner("heartbeat", "C").body, R"({"status":"not_in_queue","queued":false})");
    EXPECT_EQ(event.inner("status", "C").body,
              R"({"status":"not_in_queue","queued":false,"currentUsers":1,"nextPoll":3,)"
              R"("message":"Not in queue"})");

    EXPECT_EQ(event.inner("leave", "A").body, R"({"message":"Left queue"})");
    EXPECT_EQ(event.inner("leave", "A").body, R"({"message":"Left queue"})");
    event.wait_for("B", "active");
    EXPECT_EQ(shape(event.inner("status", "B")),
              R"(currentUsers:1 entryToken:"*" message:"Entry allowed" nextPoll:3 queued:false )"
              R"(status:"active")");
}

TEST(UrrInner, AnEventThatNobodyKnowsHasNobodyInIt) {
    TestEvent event;
    EXPECT_EQ(event.inner("status", "u").body,
              R"({"status":"not_in_queue","queued":false,"currentUsers":0,"nextPoll":3,)"
              R"("message":"Not in queue"})");
    EXPECT_EQ(event.inner("heartbeat", "u").body, R"({"status":"not_in_queue","queued":false})");
    EXPECT_EQ(event.inner("leave", "u").body, R"({"message":"Left queue"})");
    EXPECT_EQ(event.server.service.rooms().count(), 0u);
}

TEST(UrrInner, WhoIsNotLoggedInIsNobody) {
    TestEvent event;
    for (const char* version : {"", "/v1"})
        for (const char* verb : {"check", "status", "heartbeat", "leave"}) {
            const std::string path = fmt::format("/api{}/queue/{}/{}", version, verb, event_id);
            const std::string method = std::string_view(verb) == "status" ? "GET" : "POST";
            const auto answer = event.server.ask(method, path);
            EXPECT_EQ(answer.status, 401) << path;
            EXPECT_EQ(answer.body, R"({"error":"Authentication required"})");
            EXPECT_EQ(event.server.ask(method, path, TestEvent::as_user("u")).status, 200) << path;
        }
}

TEST(UrrInner, MistakesOfAClientAreItsOwn) {
    TestEvent event;
    const std::string user = TestEvent::as_user("u");
    const auto bad = event.server.ask("POST", "/api/queue/check/not-a-uuid", user);
    EXPECT_EQ(bad.status, 400);
    EXPECT_EQ(bad.body, R"({"error":"Invalid event id"})");
    const auto verb = event.server.ask("GET", fmt::format("/api/queue/check/{}", event_id), user);
    EXPECT_EQ(verb.status, 405);
    EXPECT_EQ(verb.body, R"({"error":"Method not allowed"})");
    for (const char* path : {"/api/queue/nothing", "/api/v1/queue/nothing"}) {
        const auto missed = event.server.ask("GET", path, user);
        EXPECT_EQ(missed.status, 404);
        EXPECT_EQ(missed.body, R"({"error":"Not found"})");
    }
    // Ids are the same in capitals.
    EXPECT_EQ(
        event.server.ask("POST", "/api/queue/check/AAAAAAAA-2222-3333-4444-555555555555", user)
            .status,
        200);
    EXPECT_TRUE(event.server.service.rooms().find("aaaaaaaa-2222-3333-4444-555555555555"));
}

TEST(UrrInner, OperatorsReadClearAndLimit) {
    TestEvent event;
    const std::string boss = TestEvent::as_boss();
    const auto admin = [&](std::string_view method, std::string_view path,
                           std::string_view body = {}) {
        return event.server.ask(method, fmt::format("/api/queue/admin/{}", path), boss, body);
    };
    EXPECT_EQ(admin("GET", event_id).body,
              R"({"eventId":"11111111-2222-3333-4444-555555555555","queueSize":0,)"
              R"("currentUsers":0,"threshold":1000,"available":1000})");
    const std::string threshold = fmt::format("threshold/{}", event_id);
    EXPECT_EQ(admin("POST", threshold + "?threshold=1").body,
              R"({"eventId":"11111111-2222-3333-4444-555555555555","threshold":1})");
    EXPECT_EQ(admin("PUT", threshold, R"({"threshold":2})").body,
              R"({"eventId":"11111111-2222-3333-4444-555555555555","threshold":2})");
    for (const char* wrong : {"?threshold=-1", "?threshold=x", "?threshold=", "",
                              "?threshold=4294967296", "?threshold=1.5"})
        EXPECT_EQ(admin("PUT", threshold + wrong).status, 400) << wrong;
    for (const char* wrong : {R"({"threshold":"2"})", R"({})", "7", "{"})
        EXPECT_EQ(admin("PUT", threshold, wrong).status, 400) << wrong;
    for (const char* user : {"a", "b", "c"}) event.inner("check", user);
    EXPECT_EQ(admin("GET", event_id).body,
              R"({"eventId":"11111111-2222-3333-4444-555555555555","queueSize":1,)"
              R"("currentUsers":2,"threshold":2,"available":0})");
    EXPECT_EQ(admin("POST", fmt::format("clear/{}", event_id)).body,
              R"({"message":"Queue cleared"})");
    EXPECT_EQ(TestServer::text_of(TestServer::json(event.inner("status", "a")), "status"),
              "not_in_queue");
    EXPECT_EQ(TestServer::json(admin("GET", event_id)).at("threshold"), 2);
    admin("POST", fmt::format("clear/{}?resetThreshold=true", event_id));
    EXPECT_EQ(TestServer::json(admin("GET", event_id)).at("threshold"), 1000);
    EXPECT_EQ(admin("POST", fmt::format("clear/{}", other_event)).status, 200);

    const std::string user = TestEvent::as_user("u");
    EXPECT_EQ(event.server.ask("GET", fmt::format("/api/queue/admin/{}", event_id), user).body,
              R"({"error":"Admin role required"})");
    EXPECT_EQ(event.server.ask("GET", fmt::format("/api/queue/admin/{}", event_id)).status, 401);
    EXPECT_GE(event.server.service.audit().after(0, 100).size(), 4u);
}

TEST(UrrInner, AThousandAtOnceNeverExceedTheThreshold) {
    TestEvent event;
    event.set_threshold(30);
    std::atomic<int> active{0}, queued{0};
    std::vector<std::thread> clients;
    for (int client = 0; client < 10; ++client)
        clients.emplace_back([&, client] {
            net::testing::Dial dial(event.server.port());
            for (int i = 0; i < 100; ++i) {
                const auto answer = dial.ask(
                    TestServer::text("POST", fmt::format("/api/queue/check/{}", event_id),
                                     TestEvent::as_user(fmt::format("user-{}-{}", client, i))));
                const bool in = answer.body.find(R"("status":"active")") != std::string::npos;
                (in ? active : queued).fetch_add(1);
            }
        });
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(active, 30);
    EXPECT_EQ(queued, 970);
    EXPECT_EQ(event.server.service.rooms().find(event_id)->view().inside(), 30u);
}

TEST(UrrInner, AReloadKeepsThePlace) {
    TestEvent event;
    event.set_threshold(0);
    for (const char* user : {"a", "b", "c"}) event.inner("check", user);
    event.inner("leave", "b"); // What the page says when it is unloaded…
    EXPECT_EQ(TestServer::json(event.inner("check", "b")).at("position"), 2); // …and comes back.
    event.inner("leave", "b");
    EXPECT_EQ(TestServer::json(event.inner("status", "b")).at("position"), 2);
}

TEST(UrrInner, WhoIsSilentIsSweptOut) {
    TestOptions options;
    options.defaults.rules.idle = Millis{1};
    options.defaults.rules.sweep_interval = Millis{1};
    options.defaults.rules.leave_grace = Millis{0};
    TestEvent event(options);
    event.set_threshold(0);
    event.inner("check", "b");
    const HostedRoom& room = *event.server.service.rooms().find(event_id);
    while (room.view().waiting() > 0) std::this_thread::yield();
    EXPECT_EQ(event.inner("heartbeat", "b").body, R"({"status":"not_in_queue","queued":false})");
}

TEST(UrrInner, PollsAreFurtherApartBehind) {
    TestEvent event;
    event.set_threshold(0);
    event.inner("check", "first");
    const std::shared_ptr<HostedRoom> room = event.server.service.rooms().share(event_id);
    std::uint64_t joined = 1;
    for (const auto& [position, poll] : std::vector<std::pair<std::uint64_t, int>>{{1'000, 1},
                                                                                   {1'001, 5},
                                                                                   {5'000, 5},
                                                                                   {5'001, 10},
                                                                                   {10'000, 10},
                                                                                   {10'001, 30},
                                                                                   {100'000, 30},
                                                                                   {100'001, 60}}) {
        for (; joined + 1 < position; ++joined)
            event.server.service.submit(*room, Join{.visitor = crowd_key(joined)}, nullptr,
                                        [](const Outcome&) {});
        const auto answer = TestServer::json(event.inner("check", fmt::format("u{}", position)));
        ++joined;
        EXPECT_EQ(answer.at("position"), position);
        EXPECT_EQ(answer.at("nextPoll"), poll) << position;
    }
}

TEST(UrrInner, TheEntryPassIsForThisUserAndEvent) {
    TestEvent event;
    const auto answer = event.inner("check", "user-1");
    const std::string pass = TestServer::text_of(TestServer::json(answer), "entryToken");
    EXPECT_NE(answer.head.find("urr-entry-token=" + pass + "; Path=/; Max-Age="),
              std::string::npos);
    EXPECT_NE(answer.head.find("HttpOnly; SameSite=Strict\r\n"), std::string::npos);
    token::PassVerifier verifier(event.server.keys);
    const token::UnixSeconds now{std::time(nullptr)};
    const auto verdict = verifier.verify(
        pass, now, {.room = event_id, .visitor = "user-1", .tier = token::Tier::entry});
    const auto& read = std::get<token::VerifiedPass>(verdict);
    EXPECT_GE(read.expires_at.count, now.count + 300);
    EXPECT_LE(read.expires_at.count, now.count + 601);
    // The other tier's door does not open for it.
    EXPECT_TRUE(std::holds_alternative<token::Refusal>(
        verifier.verify(pass, now, {.room = event_id, .tier = token::Tier::outer})));
}

TEST(UrrInner, ATargetOfTheRoomIsTold) {
    TestEvent event;
    event.server.ask("PUT", fmt::format("/v1/admin/rooms/{}", event_id), TestServer::as_admin(),
                     R"({"target":"/events/x/book"})");
    EXPECT_EQ(TestServer::json(event.inner("check", "u")).at("redirectTo"), "/events/x/book");
}

// Whether a standing may be told.

constexpr const char* try_again =
    R"({"error":"Queue service temporarily unavailable. Please retry."})";

void expect_try_again(const TestEvent::Response& answer) {
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.header("retry-after"), "5");
    EXPECT_EQ(answer.body, try_again);
}

TestOptions with_flaky_store(bool is_away) {
    TestOptions options;
    options.store_is_away = std::make_shared<std::atomic<bool>>(is_away);
    return options;
}

TEST(UrrStanding, ARoomThatMayExistIsNotSaidToBeEmpty) {
    TestOptions options = with_flaky_store(true);
    std::atomic<bool>& is_away = *options.store_is_away;
    TestEvent event(std::move(options));
    const std::string admin_read = fmt::format("/api/queue/admin/{}", event_id);
    const std::string outer_status = fmt::format("/vwr/status/{}", event_id);
    for (const char* verb : {"status", "heartbeat", "leave"})
        expect_try_again(event.inner(verb, "u"));
    expect_try_again(event.assign("a"));
    expect_try_again(event.outer_check("e2a1b3c4-0000-4000-8000-000000000000"));
    expect_try_again(event.server.ask("GET", outer_status));
    expect_try_again(event.server.ask("GET", admin_read, TestEvent::as_boss()));
    for (const char* verb : {"status", "advance"}) expect_try_again(event.outer_admin(verb));
    is_away = false;
    for (const char* verb : {"status", "heartbeat", "leave"})
        EXPECT_EQ(event.inner(verb, "u").status, 200) << verb;
    EXPECT_EQ(event.server.ask("GET", outer_status).status, 404);
}

TEST(UrrStanding, TheLastOneIsToldWhileTheStoreIsAway) {
    TestOptions options = with_flaky_store(false);
    std::atomic<bool>& is_away = *options.store_is_away;
    TestEvent event(std::move(options));
    event.set_threshold(1);
    event.inner("check", "inside");
    event.inner("check", "waits");
    event.inner("check", "left");
    event.inner("leave", "left");
    is_away = true;
    EXPECT_EQ(event.inner("heartbeat", "inside").body, R"({"status":"active","queued":false})");
    EXPECT_EQ(event.inner("heartbeat", "waits").body, R"({"status":"queued","queued":true})");
    EXPECT_EQ(TestServer::json(event.inner("status", "waits")).at("position"), 1);
    // Only the writer can take back who left: what was true before is told by both.
    EXPECT_EQ(event.inner("heartbeat", "left").status, 200);
    EXPECT_EQ(event.inner("status", "left").status, 200);
    expect_try_again(event.inner("leave", "waits"));
    expect_try_again(event.inner("check", "new"));
}

TEST(UrrStanding, AUserWhomAnOldCopyLacksIsLookedForByTheWriter) {
    TestOptions options = with_flaky_store(false);
    std::atomic<bool>& is_away = *options.store_is_away;
    TestEvent event(std::move(options));
    event.set_threshold(0);
    event.inner("check", "u");
    const std::shared_ptr<HostedRoom> room = event.server.service.rooms().share(event_id);
    room->set_fresh(event.server.service.clock().now() - seconds(10));
    EXPECT_EQ(event.inner("heartbeat", "u").body, R"({"status":"queued","queued":true})");
    EXPECT_EQ(event.inner("heartbeat", "nobody").body,
              R"({"status":"not_in_queue","queued":false})");
    EXPECT_EQ(TestServer::json(event.inner("status", "nobody")).at("status"), "not_in_queue");
    expect_try_again(event.inner("leave", "nobody")); // Nothing is waited for before a command.
    is_away = true;
    expect_try_again(event.inner("heartbeat", "nobody"));
    expect_try_again(event.inner("status", "nobody"));
    EXPECT_EQ(event.inner("heartbeat", "u").status, 200);
}

TEST(UrrStanding, ACopyThatIsTooOldTellsNothing) {
    TestEvent event;
    event.outer_admin("activate");
    const std::string id = event.request_id("a");
    const std::shared_ptr<HostedRoom> room = event.server.service.rooms().share(event_id);
    const Instant now = event.server.service.clock().now();
    room->set_fresh(now - seconds(10));
    EXPECT_EQ(event.outer_check(id).status, 200);
    expect_try_again(event.outer_check("e2a1b3c4-0000-4000-8000-000000000000"));
    room->set_fresh(now - minutes(2));
    expect_try_again(event.outer_check(id));
    expect_try_again(event.server.ask("GET", fmt::format("/vwr/status/{}", event_id)));
    for (const char* verb : {"status", "heartbeat", "leave"})
        expect_try_again(event.inner(verb, "u"));
}

// The tiers linked.

TEST(UrrLinked, TierTwoCannotBeEnteredWithoutTierOne) {
    TestEvent event;
    event.outer_admin("activate");
    const auto refused = event.inner("check", "u");
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.body, R"({"error":"Waiting room pass required",)"
                            R"("redirectTo":"/vwr/11111111-2222-3333-4444-555555555555"})");
    for (const char* trick : {"?vwrPosition=1", "?vwrPosition=0", "?vwrPosition=x"})
        EXPECT_EQ(event.server
                      .ask("POST", fmt::format("/api/queue/check/{}{}", event_id, trick),
                           TestEvent::as_user("u"))
                      .status,
                  403);
    event.outer_admin("deactivate");
    EXPECT_EQ(event.inner("check", "u").status, 200);
}

TEST(UrrLinked, OrderComesFromTheOuterNumber) {
    TestEvent event;
    event.set_threshold(0);
    event.outer_admin("activate");
    event.request_id("early");
    event.request_id("late");
    event.outer_admin("advance");
    const std::string early = event.outer_pass("early"), late = event.outer_pass("late");
    EXPECT_EQ(
        TestServer::json(event.inner("check", "L", TestEvent::with_outer(late))).at("position"), 1);
    EXPECT_EQ(TestServer::json(event.inner("check", "E", "x-vwr-token: " + early + "\r\n"))
                  .at("position"),
              1);
    EXPECT_EQ(TestServer::json(event.inner("status", "L")).at("position"), 2);
}

TEST(UrrLinked, APassBelongsToTheFirstWhoUsesIt) {
    TestEvent event;
    event.set_threshold(0);
    event.outer_admin("activate");
    event.request_id("anon");
    event.outer_admin("advance");
    const std::string pass = event.outer_pass("anon");
    EXPECT_EQ(event.inner("check", "first", TestEvent::with_outer(pass)).status, 200);
    const auto second = event.inner("check", "second", TestEvent::with_outer(pass));
    EXPECT_EQ(second.status, 403);
    EXPECT_EQ(TestServer::json(second).at("error"), "Waiting room pass belongs to another user");
    EXPECT_EQ(event.inner("check", "first", TestEvent::with_outer(pass)).status, 200);
    // When tier 1 is switched off the copy is worth nothing, and no hindrance either.
    event.outer_admin("deactivate");
    EXPECT_EQ(TestServer::json(event.inner("check", "second", TestEvent::with_outer(pass)))
                  .at("position"),
              2);
}

TEST(UrrLinked, PassesOfTheOtherTierAnotherEventOrAnEarlierActivationAreNone) {
    TestEvent event;
    const std::string entry =
        TestServer::text_of(TestServer::json(event.inner("check", "u0")), "entryToken");
    event.outer_admin("activate");
    event.request_id("anon");
    event.outer_admin("advance");
    const std::string outer = event.outer_pass("anon");
    EXPECT_EQ(event.inner("check", "u1", TestEvent::with_outer(entry)).status, 403);
    // An outer pass opens no gate.
    EXPECT_EQ(event.server
                  .ask("GET", fmt::format("/v1/verify?room={}", event_id),
                       fmt::format("x-queue-entry-token: {}\r\n", outer))
                  .status,
              403);
    event.server.ask("POST", fmt::format("/api/admin/vwr/activate/{}", other_event),
                     TestEvent::as_boss());
    EXPECT_EQ(event.server
                  .ask("POST", fmt::format("/api/queue/check/{}", other_event),
                       TestEvent::as_user("u2") + TestEvent::with_outer(outer))
                  .status,
              403);
    std::string forged = outer;
    forged[forged.size() - 5] = forged[forged.size() - 5] == 'a' ? 'b' : 'a';
    EXPECT_EQ(event.inner("check", "u3", TestEvent::with_outer(forged)).status, 403);
    event.outer_admin("activate");
    EXPECT_EQ(event.inner("check", "u4", TestEvent::with_outer(outer)).status, 403);
}

TEST(UrrLinked, AnExpiredPassIsRefused) {
    TestEvent event;
    event.outer_admin("activate");
    const std::string id = event.request_id("anon");
    event.outer_admin("advance");
    const token::PassIssuer issuer(event.server.keys);
    const std::string old = *issuer.issue(
        token::OuterPass{.room = event_id, .visitor = "anon", .position = 1, .request_id = id},
        token::UnixSeconds{std::time(nullptr) - 601}, minutes(10));
    EXPECT_EQ(event.inner("check", "u", TestEvent::with_outer(old)).status, 403);
    const std::string bare = *issuer.issue(token::OuterPass{.room = event_id, .visitor = "anon"},
                                           token::UnixSeconds{std::time(nullptr)}, minutes(10));
    EXPECT_EQ(event.inner("check", "u", TestEvent::with_outer(bare)).status, 403);
}

TEST(UrrLinked, ThePassIsRenewedWhileTheUserWaits) {
    TestEvent event;
    event.set_threshold(0);
    event.outer_admin("activate");
    event.request_id("anon");
    event.outer_admin("advance");
    const auto answer = event.inner("check", "u", TestEvent::with_outer(event.outer_pass("anon")));
    const std::string renewed = TestServer::text_of(TestServer::json(answer), "vwrToken");
    EXPECT_NE(answer.head.find("urr-vwr-token=" + renewed), std::string::npos);
    // Shown again, it is the one in force.
    EXPECT_FALSE(TestServer::json(event.inner("status", "u", TestEvent::with_outer(renewed)))
                     .contains("vwrToken"));
    // Lost, it is given again.
    EXPECT_EQ(TestServer::text_of(TestServer::json(event.inner("status", "u")), "vwrToken"),
              renewed);
}

TEST(UrrLinked, AGatewayOfOursMaySetThePosition) {
    for (const bool trusts : {false, true}) {
        TestEvent event({.urr = {.trusts_vwr_position = trusts}});
        event.set_threshold(0);
        event.outer_admin("activate");
        event.request_id("a");
        event.outer_admin("advance");
        EXPECT_EQ(event.server
                      .ask("POST", fmt::format("/api/queue/check/{}?vwrPosition=1", event_id),
                           TestEvent::as_user("u"))
                      .status,
                  trusts ? 200 : 403);
    }
}

TEST(Urr, WhereOnlyOperatorsMakeRoomsUsersDoNot) {
    TestEvent event({.create_on_first_use = false});
    const auto refused = event.inner("check", "u");
    EXPECT_EQ(refused.status, 404);
    EXPECT_EQ(refused.body, R"({"error":"Event not found"})");
    event.set_threshold(1);
    EXPECT_EQ(event.inner("check", "u").status, 200);
}

TEST(Urr, HealthIsToldInItsOwnWords) {
    TestEvent event;
    EXPECT_EQ(event.server.ask("GET", "/health").body,
              R"({"service":"queue-service","status":"ok","dependencies":{"redis":"ok"}})");
}

TEST(Urr, PagesAreCacheableAndTheSameForEverybody) {
    TestEvent event;
    for (const char* page : {"/vwr/", "/queue/"}) {
        const auto answer = event.server.ask("GET", page + std::string(event_id));
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.header("cache-control"), "public, max-age=300");
        EXPECT_NE(answer.header("content-type").find("text/html"), std::string::npos);
        EXPECT_EQ(answer.body, event.server.ask("GET", page + std::string(other_event)).body);
        const auto again =
            event.server.ask("GET", page + std::string(event_id),
                             fmt::format("If-None-Match: {}\r\n", answer.header("etag")));
        EXPECT_EQ(again.status, 304);
    }
    EXPECT_EQ(event.server.ask("GET", "/vwr/any-event-name").status, 200);
    EXPECT_EQ(event.server.ask("GET", "/queue/not-a-uuid").status, 404);
}

// A page in a hidden tab keeps asking by it.
TEST(Urr, TheQueuesPageHasItsTimerBesideIt) {
    TestEvent event;
    const auto answer =
        event.server.ask("GET", fmt::format("/queue/{}/timer.js", std::string(event_id)));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("content-type"), "text/javascript; charset=utf-8");
    EXPECT_EQ(answer.body, assets::timer.plain);
    EXPECT_EQ(event.server.ask("GET", "/queue/not-a-uuid/timer.js").status, 404);
    const auto page = event.server.ask("GET", "/queue/" + std::string(event_id));
    EXPECT_NE(page.header("content-security-policy").find("worker-src 'self'"), std::string::npos);
}

} // namespace
} // namespace anteroom::urr
