// Who may enter, and how fast, with the clock of the server.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <list>
#include <set>

#include "api/tacos/test_event.h"

namespace anteroom::api::tacos {
namespace {

using Steady = std::chrono::steady_clock;

TEST(TacosRules, ReadyMeansThatEnterWorks) {
    TestEvent event(options_of({.min_wait = Millis{50}}));
    for (int i = 0; i < 3; ++i) {
        const std::string token = event.token();
        event.await_ready(token);
        EXPECT_EQ(event.enter(token).status, 200u);
    }
}

TEST(TacosRules, NobodyEntersBeforeTheMinimumWait) {
    constexpr Millis least{300};
    TestEvent event(options_of({.min_wait = least}));
    const Steady::time_point before = Steady::now();
    const std::string token = event.token();
    for (;;) {
        const auto answer = event.enter(token);
        const auto waited =
            std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - before);
        if (answer.status == 200) {
            EXPECT_GE(waited.count() + 1, least.count); // The server counts whole milliseconds.
            break;
        }
        ASSERT_EQ(answer.status, 403u) << answer.body;
    }
}

TEST(TacosRules, OnlyTheFirstHundredMayEnter) {
    TestEvent event(options_of({.min_wait = Millis{0}, .rate_milli = 0}));
    std::vector<std::string> tokens;
    for (int i = 0; i < 102; ++i) tokens.push_back(event.token());
    const auto room = event.room();
    ASSERT_TRUE(net::testing::eventually([&] { return room->view().called() == 100; }));
    const boost::json::object said = TestServer::json(event.status(tokens[100]));
    EXPECT_EQ(said.at("position").as_int64(), 101);
    EXPECT_FALSE(said.at("ready_for_entry").as_bool());
    EXPECT_ERROR(event.enter(tokens[100]), 403, "NOT_READY", "Your turn has not arrived yet");
    EXPECT_EQ(event.position(tokens[99]), 100);
    EXPECT_EQ(event.enter(tokens[0]).status, 200u);
    EXPECT_EQ(event.position(tokens[100]), 100);
    event.await_ready(tokens[100]);
    EXPECT_EQ(event.enter(tokens[100]).status, 200u);
    EXPECT_EQ(event.position(tokens[101]), 100);
}

// Every round asks for everybody at once, on connections of their own.
TEST(TacosRules, AHundredEntersAtOnceNeverExceedTheBucket) {
    constexpr std::int64_t per_second = 50;
    constexpr std::size_t people = 120;
    TestEvent event(options_of({.min_wait = Millis{0}}));
    const Steady::time_point before = Steady::now();
    std::list<std::pair<std::string, net::testing::Dial>> waiting;
    for (std::size_t i = 0; i < people; ++i)
        waiting.emplace_back(event.token(), net::testing::Dial(event.server.port()));
    std::int64_t granted = 0;
    std::set<std::string> grants;
    while (!waiting.empty() && !testing::Test::HasFailure()) {
        for (auto& [token, dial] : waiting)
            dial.write(TestServer::text("POST", "/api/v1/queue/enter", "",
                                        fmt::format(R"({{"waiting_token":"{}"}})", token)));
        std::erase_if(waiting, [&](auto& one) {
            const auto answer = one.second.read_response();
            if (answer.status == 403) return false;
            EXPECT_EQ(answer.status, 200u) << answer.body;
            grants.insert(TestServer::text_of(TestServer::json(answer), "reservation_token"));
            ++granted;
            return true;
        });
        const auto elapsed = std::chrono::duration<double>(Steady::now() - before).count();
        // No window of a second sees more than the rate, so `elapsed` sees no more than this.
        EXPECT_LE(granted, per_second * (static_cast<std::int64_t>(elapsed) + 1));
    }
    EXPECT_EQ(grants.size(), people);
}

// Those who are ready and have not come yet are what the bucket holds: `rank` of them.
TEST(TacosRules, ThoseWhoAreReadyMayEnterAtOnceAndTheNextFollowByTheRate) {
    constexpr std::size_t people = 120;
    TestEvent event(options_of({.min_wait = Millis{0}, .rate_milli = 1'000'000}));
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < people; ++i) tokens.push_back(event.token());
    const auto room = event.room();
    ASSERT_TRUE(net::testing::eventually([&] { return room->view().called() == 100; }));
    event.server.change_rules(event_id, [](Settings& rules) { rules.rate_milli = 1; });
    std::deque<net::testing::Dial> dials;
    for (const std::string& token : tokens) {
        dials.emplace_back(event.server.port());
        dials.back().write(TestServer::text("POST", "/api/v1/queue/enter", "",
                                            fmt::format(R"({{"waiting_token":"{}"}})", token)));
    }
    std::size_t granted = 0;
    for (net::testing::Dial& dial : dials)
        if (dial.read_response().status == 200u) ++granted;
    EXPECT_GE(granted, 100u) << "who was told so is let in";
    EXPECT_LE(granted, 101u);
}

TEST(TacosRules, AStormOfOneUserIsOnePlace) {
    TestEvent event;
    std::deque<net::testing::Dial> dials;
    const std::string body = fmt::format(R"({{"event_id":"{}","user_id":"u1"}})", event_id);
    for (int i = 0; i < 100; ++i) {
        dials.emplace_back(event.server.port());
        dials.back().write(TestServer::text("POST", "/api/v1/queue/join", "", body));
    }
    std::set<std::string> answers;
    for (net::testing::Dial& dial : dials) {
        const auto answer = dial.read_response();
        EXPECT_EQ(answer.status, 202u);
        answers.insert(answer.body);
    }
    EXPECT_EQ(answers.size(), 1u);
    EXPECT_EQ(event.room()->view().waiting(), 1u);
}

TEST(TacosRules, WhoMayEnterAndDoesNotLosesTheTurn) {
    TestEvent event(options_of({.rank = 1, .min_wait = Millis{0}, .rate_milli = 0}));
    const std::string absent = event.token(), next = event.token();
    event.await_ready(absent);
    event.server.change_rules(event_id, [](Settings& rules) { rules.claim_window = Millis{1}; });
    // The turn goes to the next, who does not come either.
    ASSERT_TRUE(net::testing::eventually([&] { return event.status(next).status == 404; }));
    for (const std::string& token : {absent, next})
        EXPECT_ERROR(event.status(token), 404, "TOKEN_EXPIRED",
                     "Waiting token expired due to inactivity");
}

TEST(TacosRules, AGrantEndsWithItsLife) {
    TestEvent event(options_of({.min_wait = Millis{0}, .rate_milli = 0, .grant = Millis{20}}));
    const std::string token = event.token();
    event.await_ready(token);
    const std::string grant = event.grant(token);
    const auto room = event.room();
    ASSERT_TRUE(net::testing::eventually([&] { return room->view().active() == 0; }));
    EXPECT_ERROR(event.verify(fmt::format(R"({{"event_id":"{}","reservation_token":"{}"}})",
                                          event_id, grant)),
                 403, "INVALID_RESERVATION_TOKEN", "Reservation token is invalid or expired");
    EXPECT_ERROR(event.enter(token), 404, "TOKEN_NOT_FOUND", "Waiting token not found or expired");
}

TEST(TacosRules, TheWaitIsToldFromTheMeasuredPaceAndWithinBounds) {
    TestEvent event;
    std::string last;
    for (int i = 0; i < 301; ++i) last = event.token();
    const auto wait = [&] { return TestServer::json(event.status(last)).at("eta_sec").as_int64(); };
    EXPECT_EQ(wait(), 600) << "two seconds each, ten minutes at most";
    event.server.change_rules(event_id, [](Settings& rules) {
        rules.wait_min = Millis{0};
        rules.rate_milli = 20'000;
        rules.called_max = 0;
    });
    const auto room = event.room();
    ASSERT_TRUE(net::testing::eventually([&] { return room->view().rate_per_second() > 0; }));
    EXPECT_GE(wait(), 1);
    EXPECT_LT(wait(), 600);
}

} // namespace
} // namespace anteroom::api::tacos
