// Tokens of system H on the wire: how they are given, wait, become active and end.
#include <atomic>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <thread>

#include "dialects/hhplus/test_hall.h"

namespace anteroom::hhplus {
namespace {

TEST(HhplusQueue, GivesATokenOfTheKnownShape) {
    TestHall hall;
    const auto answer = hall.issue(TestHall::as(1));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("content-type"), "application/json");
    EXPECT_EQ(answer.header("cache-control"), "no-store");
    const std::regex body(
        R"re(\{"result":"SUCCESS","data":\{"token":"[0-9a-f-]{36}\|[0-9a-f-]{36}"\},"error":null\})re");
    EXPECT_TRUE(std::regex_match(answer.body, body)) << answer.body;
}

TEST(HhplusQueue, TheFirstRankIsZeroAndAfterATickActive) {
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

TEST(HhplusQueue, ActivatesABatchByItself) {
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

TEST(HhplusQueue, AUserHasOneLiveToken) {
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

TEST(HhplusQueue, ManyAtOnceGetOneTokenEach) {
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
TEST(HhplusQueue, ActivationLosesNobody) {
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

TEST(HhplusQueue, ATokenIsItsOwnersOnly) {
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

TEST(HhplusQueue, AMalformedTokenIsTheClientsMistake) {
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

TEST(HhplusQueue, AnActiveVisitStaysTenMinutesHoweverOftenSeen) {
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

// Whoever asks for it first, the room has the rules of system H.
TEST(HhplusQueue, NobodyElseMakesTheRules) {
    TestHall hall;
    EXPECT_EQ(hall.server.ask("POST", "/v1/rooms/hhplus/tickets").status, 403);
    EXPECT_EQ(hall.room().view().settings().admit_batch, 4'000);
    EXPECT_FALSE(hall.room().view().settings().admit_on_join);
}

TEST(HhplusQueue, NoMoreAreActiveThanTheCap) {
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

TEST(HhplusQueue, AnActiveVisitEndsByItself) {
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

TEST(HhplusQueue, AStoreThatIsAwayIsNobodysFault) {
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

TEST(HhplusQueue, WaitingEndsWithSilence) {
    TestHall hall;
    const std::string ann = hall.token(1);
    hall.server.change_rules(
        "hhplus", [](Settings& rules) { rules.idle = rules.sweep_interval = Millis{1}; });
    while (hall.room().view().waiting() > 0) std::this_thread::yield();
    EXPECT_EQ(hall.rank(1, ann).body, refused);
}

TEST(HhplusQueue, AFullOrClosedQueueSaysSo) {
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

// The ticket behind the bar is one of ours: event streams and the native routes know it.
TEST(HhplusQueue, TheNativeRoutesKnowThePlace) {
    TestHall hall;
    const std::string ann = hall.token(1);
    const auto look =
        hall.server.ask("GET", "/v1/rooms/hhplus/ticket", TestServer::bearer(ann.substr(37)));
    EXPECT_EQ(look.status, 200) << look.body;
    EXPECT_NE(look.body.find(R"("state":"waiting")"), look.body.npos);
}

TEST(HhplusQueue, TheHalfBehindTheBarOpensAnEventStream) {
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

} // namespace
} // namespace anteroom::hhplus
