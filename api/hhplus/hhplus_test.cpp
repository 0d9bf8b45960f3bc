#include "api/hhplus/hhplus.h"

#include <regex>
#include <set>
#include <thread>

#include "api/hhplus/test_hall.h"
#include "token/base64.h"
#include "token/hmac.h"

namespace anteroom::api::hhplus {
namespace {

TEST(Hhplus, GivesATokenOfTheKnownShape) {
    TestHall hall;
    const auto answer = hall.issue(TestHall::as(1));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("content-type"), "application/json");
    EXPECT_EQ(answer.header("cache-control"), "no-store");
    const std::regex body(
        R"re(\{"result":"SUCCESS","data":\{"token":"[0-9a-f-]{36}\|[0-9a-f-]{36}"\},"error":null\})re");
    EXPECT_TRUE(std::regex_match(answer.body, body)) << answer.body;
}

TEST(Hhplus, NobodyWithoutAUserIdIsLetIn) {
    TestHall hall;
    for (const char* headers :
         {"", "userId:\r\n", "userId: one\r\n", "userId: 0\r\n", "userId: -1\r\n",
          "userId: 9223372036854775808\r\n", "userId: 1\r\nuserId: 2\r\n", "token: x\r\n"}) {
        const auto issued = hall.issue(headers);
        EXPECT_EQ(issued.status, 401) << headers;
        EXPECT_EQ(issued.body, refused);
        EXPECT_EQ(hall.rank(headers).status, 401) << headers;
    }
    EXPECT_FALSE(hall.server.service.rooms().share("hhplus")); // Nothing was made for them.
}

TEST(Hhplus, TheFirstRankIsZeroAndAfterATickActive) {
    TestHall hall;
    const std::string ann = hall.token(1), bob = hall.token(2), eve = hall.token(3);
    EXPECT_EQ(hall.rank(1, ann).body, waiting(0));
    EXPECT_EQ(hall.rank(2, bob).body, waiting(1));
    const auto last = hall.rank(3, eve);
    EXPECT_EQ(last.body, waiting(2));
    EXPECT_EQ(last.header("retry-after"), "2"); // How soon to ask again.
    hall.activate(2);
    EXPECT_EQ(hall.rank(1, ann).body, active);
    EXPECT_EQ(hall.rank(2, bob).body, active);
    EXPECT_EQ(hall.rank(2, bob).header("retry-after"), "");
    EXPECT_EQ(hall.rank(3, eve).body, waiting(0));
}

TEST(Hhplus, ActivatesABatchByItself) {
    TestOptions options;
    options.hhplus.emplace();
    options.hhplus->settings.rules.admit_batch = 2;
    options.hhplus->settings.rules.admit_interval = hours(1);
    options.hhplus->settings.rules.wait_min = Millis{0};
    TestHall hall(std::move(options));
    std::vector<std::string> tokens;
    for (int user = 1; user <= 4; ++user) tokens.push_back(hall.token(user));
    while (hall.room().view().inside() < 2 && !testing::Test::HasFailure())
        EXPECT_EQ(hall.rank(4, tokens[3]).status, 200);
    EXPECT_EQ(hall.rank(1, tokens[0]).body, active);
    EXPECT_EQ(hall.rank(2, tokens[1]).body, active);
    EXPECT_EQ(hall.rank(3, tokens[2]).body, waiting(0));
    EXPECT_EQ(hall.rank(4, tokens[3]).body, waiting(1));
}

TEST(Hhplus, AUserHasOneLiveToken) {
    TestHall hall;
    const std::string first = hall.token(1);
    hall.token(2);
    EXPECT_EQ(hall.token(1), first);
    EXPECT_EQ(hall.room().view().issued(), 2u);
    hall.activate(1);
    EXPECT_EQ(hall.token(1), first); // Also while active.
    EXPECT_EQ(hall.tell("paid", first).body, success);
    const std::string second = hall.token(1);
    EXPECT_NE(second, first);
    EXPECT_EQ(second.substr(0, 37), first.substr(0, 37)); // The same user.
    EXPECT_EQ(hall.rank(1, first).status, 401);
    EXPECT_EQ(hall.rank(1, second).body, waiting(1));
}

TEST(Hhplus, ManyAtOnceGetOneTokenEach) {
    TestHall hall;
    constexpr int users = 5, threads = 4, rounds = 10;
    std::mutex mutex;
    std::map<int, std::set<std::string>> tokens;
    std::vector<std::thread> crowd;
    for (int i = 0; i < threads; ++i)
        crowd.emplace_back([&] {
            for (int round = 0; round < rounds; ++round)
                for (int user = 1; user <= users; ++user) {
                    const std::string token = hall.token(user);
                    const std::scoped_lock lock(mutex);
                    tokens[user].insert(token);
                }
        });
    for (std::thread& one : crowd) one.join();
    ASSERT_EQ(tokens.size(), std::size_t{users});
    for (const auto& [user, all] : tokens) EXPECT_EQ(all.size(), 1u) << user;
    EXPECT_EQ(hall.room().view().issued(), std::uint64_t{users});
}

// Tickets are called while others come: nobody is lost, nobody is called twice.
TEST(Hhplus, ActivationLosesNobody) {
    TestHall hall;
    constexpr int users = 60;
    std::atomic<bool> over{false};
    hall.token(1);
    std::thread caller([&] {
        while (!over) hall.activate(3);
    });
    std::vector<std::string> tokens(users + 1);
    for (int user = 1; user <= users; ++user)
        tokens[static_cast<std::size_t>(user)] = hall.token(user);
    over = true;
    caller.join();
    hall.activate(users);
    for (int user = 1; user <= users; ++user)
        EXPECT_EQ(hall.rank(user, tokens[static_cast<std::size_t>(user)]).body, active) << user;
    EXPECT_EQ(hall.room().view().inside(), std::uint64_t{users});
}

TEST(Hhplus, ATokenIsItsOwnersOnly) {
    TestHall hall;
    const std::string ann = hall.token(1), bob = hall.token(2);
    EXPECT_EQ(hall.rank(2, ann).status, 401);
    EXPECT_EQ(hall.rank(2, ann).body, refused);
    // The halves of two.
    const std::string mixed = ann.substr(0, 37) + bob.substr(37);
    EXPECT_EQ(hall.rank(1, mixed).status, 401);
    EXPECT_EQ(hall.rank(2, mixed).status, 401);
    EXPECT_EQ(hall.tell("paid", mixed).status, 401);
    // Nobody's.
    const std::string half = "11111111-2222-4333-8444-555555555555";
    EXPECT_EQ(hall.rank(1, half + "|" + half).body, refused);
    EXPECT_EQ(hall.rank(1, ann.substr(0, 37) + half).body, refused);
}

TEST(Hhplus, AMalformedTokenIsTheClientsMistake) {
    TestHall hall;
    const std::string ann = hall.token(1);
    for (const std::string& headers :
         {std::string(), TestHall::with(""), TestHall::with("x"), TestHall::with(ann + "x"),
          TestHall::with(ann.substr(0, 36)), TestHall::with(ann) + TestHall::with(ann)}) {
        const auto answer = hall.rank(TestHall::as(1) + headers);
        EXPECT_EQ(answer.status, 400) << headers;
        EXPECT_EQ(answer.body, malformed);
    }
}

TEST(Hhplus, AnActiveVisitStaysTenMinutesHoweverOftenSeen) {
    TestHall hall;
    const std::string ann = hall.token(1);
    hall.activate(1);
    const Instant until = hall.room().view().standing(1).until;
    EXPECT_GT(hall.stays(1), minutes(9));
    EXPECT_LE(hall.stays(1), minutes(10));
    EXPECT_EQ(hall.rank(1, ann).body, active);
    EXPECT_EQ(hall.rank(1, ann).body, active);
    EXPECT_EQ(hall.room().view().standing(1).until, until);
}

TEST(Hhplus, AReservationLeavesFiveMinutesAndAPaymentNone) {
    TestHall hall;
    const std::string ann = hall.token(1);
    EXPECT_EQ(hall.tell("reserved", ann).body, refused); // Not yet.
    EXPECT_EQ(hall.tell("paid", ann).body, refused);
    hall.activate(1);
    EXPECT_EQ(hall.tell("reserved", ann).body, success);
    EXPECT_GT(hall.stays(1), minutes(4));
    EXPECT_LE(hall.stays(1), minutes(5));
    EXPECT_EQ(hall.rank(1, ann).body, active);
    EXPECT_LE(hall.stays(1), minutes(5));
    EXPECT_EQ(hall.tell("paid", ann).body, success);
    EXPECT_EQ(hall.rank(1, ann).body, refused);
    EXPECT_EQ(hall.tell("paid", ann).body, success); // Again is as good as once.
    EXPECT_EQ(hall.tell("reserved", ann).body, refused);
    EXPECT_EQ(hall.room().view().inside(), 0u);
}

TEST(Hhplus, TheBatchFollowsWhatTheOriginStands) {
    TestHall hall;
    const auto tell = [&](std::string_view body) {
        return hall.server.ask("POST", "/api/v1/queues/batch", "", body);
    };
    const auto said = [](int batch) {
        return fmt::format(R"({{"result":"SUCCESS","data":{{"batch":{}}},"error":null}})", batch);
    };
    EXPECT_EQ(tell(R"({"qps":10000})").body, said(4'000)); // Before anybody came.
    EXPECT_EQ(tell(R"({"qps":5000})").body, said(2'000));
    EXPECT_EQ(hall.room().view().settings().admit_batch, 2'000);
    EXPECT_EQ(tell(R"({"qps":0.5})").body, said(1)) << "somebody always goes in";
    // The interval in force, and nothing else is changed.
    hall.server.ask("PUT", "/v1/admin/rooms/hhplus", TestServer::as_admin(),
                    R"({"admit_interval":"20s","capacity":77})");
    EXPECT_EQ(tell(R"({"qps":10000,"more":[]})").body, said(8'000));
    EXPECT_EQ(hall.room().view().settings().capacity, 77);
    for (const char* body : {"", "{}", "[]", "8000", R"({"qps":"8000"})", R"({"qps":0})",
                             R"({"qps":-1})", R"({"qps":1e10})", R"({"qps":null})"}) {
        EXPECT_EQ(tell(body).status, 400) << body;
        EXPECT_EQ(tell(body).body, malformed);
    }
    EXPECT_EQ(hall.room().view().settings().admit_batch, 8'000);
}

TEST(Hhplus, OnlyTheOriginMayTell) {
    TestOptions options = quiet_hall();
    options.trust_loopback = false;
    options.hhplus->trusts_user_id = true;
    TestHall hall(std::move(options));
    const std::string ann = hall.token(1);
    hall.activate(1);
    EXPECT_EQ(hall.tell("paid", ann).body, refused);
    EXPECT_EQ(hall.server.ask("POST", "/api/v1/queues/batch", "", R"({"qps":1})").body, refused);
    const auto by_admin = hall.server.ask("POST", "/api/v1/queues/token/paid",
                                          TestServer::as_admin() + TestHall::with(ann));
    EXPECT_EQ(by_admin.body, success);
    EXPECT_EQ(hall.server.ask("POST", "/api/v1/queues/token/paid", TestServer::as_admin()).status,
              400);
}

TEST(Hhplus, AUserIdOfAStrangerMeansNothing) {
    TestOptions options = quiet_hall();
    options.trust_loopback = false;
    TestHall hall(std::move(options));
    EXPECT_EQ(hall.issue(TestHall::as(1)).body, refused);
}

// A proxy is trusted; what its clients say of themselves is not.
TEST(Hhplus, AUserIdThatAProxyPassedOnMeansNothing) {
    TestHall hall;
    const std::string outside = "X-Forwarded-For: 203.0.113.9\r\n";
    EXPECT_EQ(hall.issue(TestHall::as(1) + outside).body, refused);
    EXPECT_EQ(hall.issue(TestHall::as(1) + outside + "X-User-Id: 1\r\n").status, 200);
}

TEST(Hhplus, ALoginSaysWhoTheUserIs) {
    constexpr std::string_view secret = "jwt-test-secret-0123456789abcdef";
    TestOptions options = quiet_hall();
    options.trust_loopback = false;
    options.jwt_secret = secret;
    TestHall hall(std::move(options));
    const auto encode = [](std::string_view text) {
        return token::base64url(token::bytes_of(text));
    };
    const std::string signed_part = encode(R"({"alg":"HS256","typ":"JWT"})") + "." +
                                    encode(R"({"sub":"7","type":"access","exp":4000000000})");
    const std::string login = TestServer::bearer(
        signed_part + "." +
        token::base64url(token::Hmac(token::bytes_of(secret)).sign(signed_part)));
    EXPECT_EQ(hall.issue(login + TestHall::as(7)).status, 200);
    EXPECT_EQ(hall.issue(login + TestHall::as(8)).body, refused);
    EXPECT_EQ(hall.issue(TestHall::as(7)).body, refused);
}

// Whoever asks for it first, the room has the rules of system H.
TEST(Hhplus, NobodyElseMakesTheRules) {
    TestHall hall;
    EXPECT_EQ(hall.server.ask("POST", "/v1/rooms/hhplus/tickets").status, 403);
    EXPECT_EQ(hall.room().view().settings().admit_batch, 4'000);
    EXPECT_FALSE(hall.room().view().settings().admit_on_join);
}

TEST(Hhplus, NoMoreAreActiveThanTheCap) {
    TestOptions options = quiet_hall();
    options.hhplus->settings.rules.capacity = 2;
    TestHall hall(std::move(options));
    std::vector<std::string> tokens;
    for (int user = 1; user <= 3; ++user) tokens.push_back(hall.token(user));
    hall.activate(3);
    EXPECT_EQ(hall.rank(2, tokens[1]).body, active);
    EXPECT_EQ(hall.rank(3, tokens[2]).body, waiting(0));
    EXPECT_EQ(hall.tell("paid", tokens[0]).body, success);
    hall.activate(3);
    EXPECT_EQ(hall.rank(3, tokens[2]).body, active);
}

TEST(Hhplus, AnActiveVisitEndsByItself) {
    TestHall hall;
    const std::string ann = hall.token(1);
    hall.activate(1);
    EXPECT_EQ(hall.rank(1, ann).body, active);
    hall.server.change_rules("hhplus",
                             [](Settings& rules) { rules.lease = rules.lease_max = Millis{1}; });
    while (hall.room().view().inside() > 0) std::this_thread::yield();
    EXPECT_EQ(hall.rank(1, ann).body, refused);
    EXPECT_NE(hall.token(1), ann);
}

TEST(Hhplus, AStoreThatIsAwayIsNobodysFault) {
    TestOptions options = quiet_hall();
    options.store_is_away = std::make_shared<std::atomic<bool>>(false);
    std::atomic<bool>& away = *options.store_is_away;
    TestHall hall(std::move(options));
    const std::string ann = hall.token(1);
    hall.activate(1);
    away = true;
    constexpr std::string_view later =
        R"({"result":"ERROR","data":null,"error":"잠시 후 다시 시도해 주세요."})";
    for (const auto& answer :
         {hall.issue(TestHall::as(2)), hall.tell("reserved", ann), hall.tell("paid", ann),
          hall.server.ask("POST", "/api/v1/queues/batch", "", R"({"qps":1})")}) {
        EXPECT_EQ(answer.status, 503);
        EXPECT_EQ(answer.body, later);
        EXPECT_EQ(answer.header("retry-after"), "5");
    }
    EXPECT_EQ(hall.rank(1, ann).body, active) << "what is known is told";
}

TEST(Hhplus, AUserIdMustBeWhoIsLoggedIn) {
    TestHall hall;
    EXPECT_EQ(hall.issue(TestHall::as(1) + "X-User-Id: 1\r\n").status, 200);
    EXPECT_EQ(hall.issue(TestHall::as(1) + "X-User-Id: 2\r\n").body, refused);
}

TEST(Hhplus, StrangersWhoAreBelievedAreCounted) {
    TestOptions options = quiet_hall();
    options.trust_loopback = false;
    options.hhplus->trusts_user_id = true;
    options.joins_per_second = 0.001; // After the first three.
    TestHall hall(std::move(options));
    for (int user = 1; user <= 3; ++user) hall.token(user);
    const auto answer = hall.issue(TestHall::as(4));
    EXPECT_EQ(answer.status, 429);
    EXPECT_EQ(answer.body, R"({"result":"ERROR","data":null,"error":"요청이 너무 많습니다."})");
    EXPECT_NE(answer.header("retry-after"), "");
}

TEST(Hhplus, WaitingEndsWithSilence) {
    TestHall hall;
    const std::string ann = hall.token(1);
    hall.server.change_rules(
        "hhplus", [](Settings& rules) { rules.idle = rules.sweep_interval = Millis{1}; });
    while (hall.room().view().waiting() > 0) std::this_thread::yield();
    EXPECT_EQ(hall.rank(1, ann).body, refused);
}

TEST(Hhplus, AFullOrClosedQueueSaysSo) {
    TestOptions options = quiet_hall();
    options.hhplus->settings.rules.waiting_max = 1;
    TestHall hall(std::move(options));
    hall.token(1);
    const auto full = hall.issue(TestHall::as(2));
    EXPECT_EQ(full.status, 503);
    EXPECT_EQ(full.body, R"({"result":"ERROR","data":null,"error":"대기열이 가득 찼습니다."})");
    EXPECT_EQ(full.header("retry-after"), "5");
    hall.server.ask("POST", "/v1/admin/rooms/hhplus/close", TestServer::as_admin());
    EXPECT_EQ(hall.issue(TestHall::as(3)).body,
              R"({"result":"ERROR","data":null,"error":"대기열이 닫혀 있습니다."})");
}

TEST(Hhplus, OtherMethodsAndPaths) {
    TestHall hall;
    const auto wrong = hall.server.ask("GET", "/api/v1/queues/token", TestHall::as(1));
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.header("allow"), "POST");
    EXPECT_EQ(wrong.body,
              R"({"result":"ERROR","data":null,"error":"지원하지 않는 메서드입니다."})");
    const auto other = hall.server.ask("DELETE", "/api/v1/queues/token/rank");
    EXPECT_EQ(other.status, 405);
    EXPECT_EQ(other.header("allow"), "GET");
    EXPECT_EQ(other.body, wrong.body);
    EXPECT_EQ(hall.server.ask("OPTIONS", "/api/v1/queues/token").status, 204);
}

// Also where another system has what is left below /api/v1.
TEST(Hhplus, PathsThatAreNotThereAreMissedInItsOwnWords) {
    for (const bool with_tacos : {false, true}) {
        TestOptions options = quiet_hall();
        if (with_tacos) options.tacos.emplace();
        TestHall hall(std::move(options));
        for (const char* path : {"/api/v1/queues/token/rank/x", "/api/v1/queues/anything",
                                 "/api/v1/queues/", "/api/v1/queues/token/"})
            for (const char* method : {"GET", "POST", "DELETE"}) {
                const auto missed = hall.server.ask(method, path, TestHall::as(1));
                EXPECT_EQ(missed.status, 404) << path;
                EXPECT_EQ(missed.body,
                          R"({"result":"ERROR","data":null,"error":"존재하지 않는 경로입니다."})");
            }
        EXPECT_EQ(hall.server.ask("GET", "/api/v1/others").body.find(R"("result")"),
                  std::string::npos);
    }
}

// The ticket behind the bar is one of ours: event streams and the native routes know it.
TEST(Hhplus, TheNativeRoutesKnowThePlace) {
    TestHall hall;
    const std::string ann = hall.token(1);
    const auto look =
        hall.server.ask("GET", "/v1/rooms/hhplus/ticket", TestServer::bearer(ann.substr(37)));
    EXPECT_EQ(look.status, 200) << look.body;
    EXPECT_NE(look.body.find(R"("state":"waiting")"), look.body.npos);
}

TEST(Hhplus, TheHalfBehindTheBarOpensAnEventStream) {
    TestHall hall;
    const std::string ann = hall.token(1);
    net::testing::Dial stream(hall.server.port());
    stream.write(TestServer::text("GET", "/v1/rooms/hhplus/events?ticket=" + ann.substr(37)));
    EXPECT_EQ(stream.read_response(true).header("content-type"), "text/event-stream");
    const std::string first = stream.read_until("\n\n");
    EXPECT_NE(first.find("event: standing\nid: 1\n"
                         R"(data: {"room":"hhplus","state":"waiting","number":1,"ahead":0,)"),
              std::string::npos)
        << first;
    hall.activate(1);
    EXPECT_NE(stream.read_until("event: called"), "");
    const std::string called = stream.read_until("\n\n");
    EXPECT_NE(called.find(R"(data: {"room":"hhplus","state":"called","number":1,)"),
              std::string::npos)
        << called;
}

// Calls of many through one backend, behind a gate that counts.
struct CountedHall : TestHall {
    static TestOptions options() {
        TestOptions all = quiet_hall();
        all.call_limits[static_cast<std::size_t>(gate::Category::general)] = 2;
        return all;
    }
    explicit CountedHall(TestOptions all = options()) : TestHall(std::move(all)) {}
    static void expect_too_many(const Response& answer) {
        EXPECT_EQ(answer.status, 429);
        EXPECT_EQ(answer.body, R"({"result":"ERROR","data":null,"error":"요청이 너무 많습니다."})");
        EXPECT_EQ(answer.header("content-type"), "application/json");
        EXPECT_GT(std::stoi(answer.header("retry-after")), 0);
    }
};

TEST(Hhplus, ABackendsCallsAreCountedByUser) {
    CountedHall hall;
    std::vector<std::string> tokens;
    for (int user = 1; user <= 4; ++user) tokens.push_back(hall.token(user));
    for (int user = 1; user <= 4; ++user)
        EXPECT_EQ(hall.rank(user, tokens[static_cast<std::size_t>(user) - 1]).status, 200);
    CountedHall::expect_too_many(hall.rank(1, tokens[0]));
    CountedHall::expect_too_many(hall.issue(TestHall::as(2)));
    // What the origin tells of a visit is the visitor's call, too.
    CountedHall::expect_too_many(hall.tell("paid", tokens[2]));
    EXPECT_EQ(hall.issue(TestHall::as(5)).status, 200);
}

TEST(Hhplus, WhoIsNobodyIsCountedByAddress) {
    CountedHall hall;
    EXPECT_EQ(hall.issue("").body, refused);
    EXPECT_EQ(hall.issue("userId: x\r\n").body, refused);
    CountedHall::expect_too_many(hall.issue(""));
    // Nobody else's words.
    EXPECT_EQ(hall.server.ask("GET", "/api/v1/others").body,
              R"({"error":"Rate limit exceeded","retryAfter":60})");
}

TEST(Hhplus, ATokenOfTwoHalvesIsCountedForNeither) {
    CountedHall hall;
    const std::string ann = hall.token(1), eve = hall.token(2);
    const std::string mixed = TestHall::with(ann.substr(0, 37) + eve.substr(37));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(hall.rank(mixed).status, 401); // By address.
    CountedHall::expect_too_many(hall.rank(mixed));
    EXPECT_EQ(hall.rank(1, ann).status, 200) << "ann's calls are her own";
}

TEST(Hhplus, TokensThatAnybodyMayDrawAreCountedByAddress) {
    TestOptions options = CountedHall::options();
    options.trust_loopback = false;
    options.hhplus->trusts_user_id = true;
    CountedHall hall(std::move(options));
    const std::string ann = hall.token(1), eve = hall.token(2);
    CountedHall::expect_too_many(hall.rank(1, ann));
    CountedHall::expect_too_many(hall.rank(2, eve));
}

// What is written are all settings: an old copy would undo what was changed elsewhere.
TEST(Hhplus, ABatchIsNotSetFromAnOldCopy) {
    TestHall hall;
    hall.token(1);
    const auto tell = [&] {
        return hall.server.ask("POST", "/api/v1/queues/batch", "", R"({"qps":5000})");
    };
    const std::shared_ptr<HostedRoom> room = hall.server.service.rooms().share("hhplus");
    room->set_fresh(Instant{0});
    const auto late = tell();
    EXPECT_EQ(late.status, 503);
    EXPECT_EQ(late.body, R"({"result":"ERROR","data":null,"error":"잠시 후 다시 시도해 주세요."})");
    EXPECT_EQ(late.header("retry-after"), "5");
    EXPECT_EQ(room->view().settings().admit_batch, 4'000);
    room->set_fresh(instant_max);
    EXPECT_EQ(tell().body, R"({"result":"SUCCESS","data":{"batch":2000},"error":null})");
}

TEST(Hhplus, IsNotSpokenUnlessEnabled) {
    TestServer server;
    EXPECT_EQ(server.ask("POST", "/api/v1/queues/token", TestHall::as(1)).status, 404);
}

} // namespace
} // namespace anteroom::api::hhplus
