// Who may enter, and how fast, with the clock of the server.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <list>
#include <optional>
#include <set>

#include "dialects/tacos/test_event.h"

namespace anteroom::tacos {
namespace {

using net::testing::WireResponse;
using Steady = std::chrono::steady_clock;

// Nobody is too slow to come, whatever the machine.
constexpr Millis ages = hours(1);

TEST(TacosRules, ReadyMeansThatEnterWorks) {
    TestEvent event(options_of({.min_wait = Millis{50}, .enter_window = ages}));
    for (int i = 0; i < 3; ++i) {
        const std::string token = event.token();
        event.await_ready(token);
        EXPECT_EQ(event.enter(token).status, 200u);
    }
}

TEST(TacosRules, NobodyEntersBeforeTheMinimumWait) {
    constexpr Millis least{300};
    TestEvent event(options_of({.min_wait = least, .enter_window = ages}));
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
    TestEvent event(options_of({.min_wait = Millis{0}, .rate_milli = 0, .enter_window = ages}));
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
    TestEvent event(options_of({.min_wait = Millis{0}, .enter_window = ages}));
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

// A hundred who are ready, and the pace of fifty a second.
struct ReadyCrowd : TestEvent {
    static constexpr std::size_t people = 100;
    explicit ReadyCrowd(std::int64_t rate_milli)
        : TestEvent(options_of({.min_wait = Millis{0},
                                .rate_milli = 1'000'000,
                                .enter_window = ages,
                                .grant = ages})) {
        for (std::size_t i = 0; i < people; ++i) tokens.push_back(token());
        const auto hosted = room();
        EXPECT_TRUE(net::testing::eventually([&] { return hosted->view().called() == people; }));
        server.change_rules(event_id, [&](Settings& rules) {
            rules.rate_milli = rate_milli;
            rules.wait_min = ages; // Nobody else's turn comes.
        });
    }
    void ask_to_enter(net::testing::Dial& dial, std::size_t who, std::string_view headers = {}) {
        dial.write(TestServer::text("POST", "/api/v1/queue/enter", headers,
                                    fmt::format(R"({{"waiting_token":"{}"}})", tokens[who])));
    }
    std::deque<net::testing::Dial> all_ask_to_enter() {
        std::deque<net::testing::Dial> dials;
        for (std::size_t i = 0; i < people; ++i) ask_to_enter(dials.emplace_back(server.port()), i);
        return dials;
    }
    // When each came in, by the server's clock: the grant runs from then on.
    std::multiset<Instant> entered() {
        std::multiset<Instant> moments;
        for (Number number = 1; number <= people; ++number) {
            const Standing standing = room()->view().standing(number);
            if (standing.state == VisitorState::active) moments.insert(standing.until - ages);
        }
        return moments;
    }
    std::vector<std::string> tokens;
};

TEST(TacosRules, AHundredWhoAreReadyAllEnterAndNoSecondSeesMoreThanTheRate) {
    ReadyCrowd crowd(50'000);
    for (net::testing::Dial& dial : crowd.all_ask_to_enter()) {
        const auto answer = dial.read_response();
        EXPECT_EQ(answer.status, 200u) << answer.body;
    }
    const std::multiset<Instant> entered = crowd.entered();
    ASSERT_EQ(entered.size(), ReadyCrowd::people);
    for (const Instant from : entered)
        EXPECT_LE(std::distance(entered.lower_bound(from), entered.lower_bound(from + seconds(1))),
                  50);
    EXPECT_EQ(crowd.shared().figures.waits({crowd.room()->index()})[0].count, ReadyCrowd::people);
}

TEST(TacosRules, WhoWouldBeHeldForTooLongIsLetIn) {
    ReadyCrowd crowd(1); // One in a quarter of an hour.
    for (net::testing::Dial& dial : crowd.all_ask_to_enter())
        EXPECT_EQ(dial.read_response().status, 200u);
}

// Somebody is in, and the next one is held, with a key: so the test knows that the server has
// heard.
struct HeldOne : ReadyCrowd {
    explicit HeldOne(Millis span) : ReadyCrowd(1'000'000 / span.count) {
        EXPECT_EQ(enter(tokens[0]).status, 200u);
        held.connect(server.port());
        ask_to_enter(held, 1, header);
        EXPECT_TRUE(net::testing::eventually([&] { return book().size() == 1; }));
    }
    IdempotencyBook& book() { return *shared().book; }
    static constexpr std::string_view key = "0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a01";
    const std::string header = key_header(key);
    net::testing::Dial held;
};

TEST(TacosRules, OnlyWhoIsReadyIsHeld) {
    HeldOne event(seconds(1));
    const std::string late = event.token();
    EXPECT_EQ(event.enter(event.tokens[0]).status, 200u) << "in already";
    EXPECT_EQ(event.enter(late).status, 403u);
    EXPECT_EQ(event.enter("73bf3da3-04bb-47e2-9455-03bf5455ab81").status, 404u);
    EXPECT_EQ(event.held.read_response().status, 200u);
    const std::multiset<Instant> entered = event.entered();
    EXPECT_GE(*entered.rbegin() - *entered.begin(), seconds(1));
}

TEST(TacosRules, WhoGoesAwayWhileBeingHeldIsInAllTheSame) {
    HeldOne event(seconds(1));
    event.held.reset();
    EXPECT_TRUE(net::testing::eventually([&] { return event.entered().size() == 2; }));
}

// Nobody is held for longer than five seconds, and a machine may sleep for as long: `scene` says
// whether it came in time. Some scene does.
template <class Scene>
void while_somebody_is_held(const Scene& scene) {
    for (int attempt = 0; attempt < 10; ++attempt) {
        HeldOne event(seconds(4));
        if (scene(event)) return;
    }
    FAIL() << "always too late";
}

TEST(TacosRules, WhoLeavesWhileBeingHeldIsNotLetIn) {
    while_somebody_is_held([](HeldOne& event) {
        event.leave(event.tokens[1]);
        const auto answer = event.held.read_response();
        if (answer.status == 200) return false;
        EXPECT_ERROR(answer, 404, "TOKEN_NOT_FOUND", "Waiting token not found or expired");
        EXPECT_EQ(event.entered().size(), 1u);
        return true;
    });
}

// However often one visitor asks, it is one moment of the bucket: nobody fills it for others.
TEST(TacosRules, CallsOfOneVisitorWaitForEachOther) {
    while_somebody_is_held([](HeldOne& event) {
        std::deque<net::testing::Dial> others;
        for (int i = 0; i < 10; ++i)
            event.ask_to_enter(others.emplace_back(event.server.port()), 1);
        std::vector<WireResponse> refused;
        std::set<std::string> grants;
        for (net::testing::Dial& dial : others) {
            const WireResponse answer = dial.read_response();
            if (answer.status == 409)
                refused.push_back(answer);
            else
                grants.insert(answer.body);
        }
        if (refused.size() != 2) return false; // Eight may wait.
        for (const WireResponse& answer : refused)
            EXPECT_ERROR(answer, 409, "DUPLICATE_REQUEST",
                         "This request has already been processed");
        grants.insert(event.held.read_response().body);
        EXPECT_EQ(grants.size(), 1u) << "all hear of the same grant";
        EXPECT_EQ(event.entered().size(), 2u);
        return true;
    });
}

TEST(TacosRules, TheServerEndsWhileSomebodyIsHeld) {
    std::optional<net::testing::Dial> same;
    while_somebody_is_held([&](HeldOne& event) {
        event.ask_to_enter(same.emplace(event.server.port()), 1,
                           event.header); // Waits for the answer of who is held.
        const auto waits = [&] { return event.book().waiting(*parse_uuid(HeldOne::key)) == 1; };
        EXPECT_TRUE(
            net::testing::eventually([&] { return waits() || event.entered().size() == 2; }));
        return waits();
    });
}

TEST(TacosRules, NobodyGoesInPastEnter) {
    ReadyCrowd crowd(50'000);
    const std::string room = fmt::format("/v1/rooms/{}/", event_id);
    EXPECT_EQ(crowd.server.ask("POST", room + "tickets").status, 403u) << "no place by another way";
    const std::string shown = TestServer::bearer(crowd.tokens[0]);
    EXPECT_EQ(crowd.server.ask("POST", room + "ticket/claim", shown).status, 401u);
    EXPECT_EQ(crowd.entered().size(), 0u);
    EXPECT_EQ(crowd.enter(crowd.tokens[0]).status, 200u);
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

// First in line again when they ask; the third turn in vain is the last.
TEST(TacosRules, WhoMayEnterAndDoesNotLosesTheTurn) {
    TestEvent event(
        options_of({.rank = 1, .min_wait = Millis{0}, .rate_milli = 0, .enter_window = ages}));
    const std::string absent = event.token(), next = event.token();
    event.await_ready(absent);
    event.server.change_rules(event_id, [](Settings& rules) { rules.claim_window = Millis{1}; });
    // The turn goes to the next, who does not come either, and back.
    const auto room = event.room();
    ASSERT_TRUE(net::testing::eventually([&] { return room->view().standing(2).missed > 0; }));
    ASSERT_TRUE(net::testing::eventually(
        [&] { return event.status(absent).status == 404 && event.status(next).status == 404; }));
    for (const std::string& token : {absent, next})
        EXPECT_ERROR(event.status(token), 404, "TOKEN_EXPIRED",
                     "Waiting token expired due to inactivity");
}

TEST(TacosRules, AGrantEndsWithItsLife) {
    TestEvent event(options_of(
        {.min_wait = Millis{0}, .rate_milli = 0, .enter_window = ages, .grant = Millis{20}}));
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

// The last of them never becomes ready: only so many may be.
TEST(TacosRules, TheWaitIsToldFromTheMeasuredPace) {
    TestEvent event;
    std::string last;
    for (int i = 0; i < 301; ++i) last = event.token();
    const auto told = [&] { return TestServer::json(event.status(last)); };
    EXPECT_EQ(told().at("eta_sec").as_int64(), 600) << "two seconds each, ten minutes at most";
    event.server.change_rules(event_id, [](Settings& rules) {
        rules.wait_min = Millis{0};
        rules.rate_milli = 100'000;
        rules.called_max = 300;
    });
    ASSERT_TRUE(net::testing::eventually([&] { return told().at("eta_sec").as_int64() < 600; }));
    EXPECT_FALSE(told().at("ready_for_entry").as_bool());
    EXPECT_EQ(told().at("position").as_int64(), 301);
}

} // namespace
} // namespace anteroom::tacos
