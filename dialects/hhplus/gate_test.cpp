// The gated routes of system H behind the gate, with the rules of examples/hhplus-rules.toml.
#include <fstream>
#include <sstream>
#include <thread>

#include "dialects/hhplus/test_hall.h"
#include "tests/server/test_site.h"

namespace anteroom::hhplus {
namespace {

std::string file(const std::string& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

TestOptions hall_before(const std::vector<std::string>& origins) {
    TestOptions options = quiet_hall();
    options.origins = origins;
    return options;
}

struct GatedHall : TestHall {
    explicit GatedHall(const std::vector<std::string>& origins = {})
        : TestHall(hall_before(origins)) {
        const std::string path = ANTEROOM_EXAMPLES "/hhplus-rules.toml";
        Result<gate::Rules> rules = gate::read_rules(file(path), path);
        if (!rules) ADD_FAILURE() << rules.fault().reason;
        if (rules) server.gate.rules.store(std::make_shared<gate::Rules>(*std::move(rules)));
    }
    // As another proxy asks.
    Response verify(std::string_view method, std::string_view path, std::string_view headers) {
        return server.ask("GET", "/v1/verify",
                          fmt::format("X-Original-URI: {}\r\nX-Original-Method: {}\r\n{}", path,
                                      method, headers));
    }
};

struct Call {
    const char* method;
    const char* path;
};
constexpr Call gated[] = {
    {"GET", "/api/v1/concerts?page=1&size=10"},
    {"GET", "/api/v1/concerts/1/schedules"},
    {"GET", "/api/v1/concerts/schedules/1/seats"},
    {"POST", "/api/v1/reservations/concert"},
    {"POST", "/api/v1/reservations/concert/payment"},
    {"GET", "/api/v1/reservations/concert/popular"},
};

TEST(HhplusGate, OnlyWhoIsActiveGetsThrough) {
    GatedHall hall;
    const std::string ann = hall.token(1), bob = hall.token(2);
    hall.activate(1);
    const std::string half = "11111111-2222-4333-8444-555555555555";
    for (const Call& call : gated) {
        const auto passed = hall.verify(call.method, call.path, TestHall::with(ann));
        EXPECT_EQ(passed.status, 204) << call.path << passed.body;
        EXPECT_EQ(passed.header("x-user-id"), "1"); // The origin is told who it is.
        EXPECT_EQ(passed.header("x-user-role"), "user");
        EXPECT_EQ(passed.header("x-anteroom-room"), "hhplus");
        EXPECT_EQ(passed.header("x-anteroom-number"), "1");
        for (const std::string& headers :
             {std::string(), TestHall::with(bob), TestHall::with("x"), TestHall::with(ann + "x"),
              TestHall::with(half + "|" + half), TestHall::with(bob.substr(0, 37) + ann.substr(37)),
              TestHall::with(ann) + TestHall::with(ann), "Cookie: token=" + ann + "\r\n"}) {
            const auto stopped = hall.verify(call.method, call.path, headers);
            EXPECT_EQ(stopped.status, 401) << call.path << " " << headers;
            EXPECT_EQ(stopped.body, refused);
        }
    }
    EXPECT_EQ(hall.tell("paid", ann).body, success);
    EXPECT_EQ(hall.verify("GET", "/api/v1/concerts", TestHall::with(ann)).body, refused);
}

// The same rules where the gate itself passes on.
TEST(HhplusGate, TheOriginBehindTheProxySeesWhoIsActive) {
    urr::Site site;
    GatedHall hall({site.url()});
    const std::string ann = hall.token(1), bob = hall.token(2);
    hall.activate(1);
    int passed = 0;
    for (const Call& call : gated) {
        const auto ask = [&](std::string_view headers) {
            return hall.server.ask(call.method, call.path, headers);
        };
        EXPECT_EQ(ask(TestHall::with(ann)).body, "the site") << call.path;
        EXPECT_TRUE(site.saw("X-User-Id: 1\n"));
        EXPECT_TRUE(site.saw("X-Anteroom-Number: 1\n"));
        ++passed;
        for (const std::string& headers : {std::string(), TestHall::with(bob)}) {
            EXPECT_EQ(ask(headers).status, 401);
            EXPECT_EQ(ask(headers).body, refused);
        }
    }
    EXPECT_EQ(site.requests, passed);
    EXPECT_EQ(hall.rank(1, ann).body, active) << "our own routes are not passed on";
}

// Whatever happens to others meanwhile.
TEST(HhplusGate, WhoIsActiveIsNeverSentAway) {
    GatedHall hall;
    const std::string ann = hall.token(1);
    hall.activate(1);
    std::atomic<bool> over{false};
    std::thread crowd([&] {
        for (int user = 2; !over; ++user) {
            hall.issue(TestHall::as(user));
            hall.activate(1);
        }
    });
    for (int i = 0; i < 500; ++i) {
        if (i % 50 == 0) {
            EXPECT_EQ(hall.tell("reserved", ann).body, success);
        }
        EXPECT_EQ(hall.verify("GET", "/api/v1/concerts", TestHall::with(ann)).status, 204);
    }
    over = true;
    crowd.join();
}

TEST(HhplusGate, ATicketOfAnotherRoomIsNoToken) {
    GatedHall hall;
    const std::string ann = hall.token(1);
    hall.activate(1);
    const std::string native = TestServer::text_of(hall.server.join("other", "ann"), "ticket");
    EXPECT_EQ(hall.verify("GET", "/api/v1/concerts", TestHall::with(native)).status, 401);
    // Nor is half of one.
    EXPECT_EQ(hall.verify("GET", "/api/v1/concerts", TestHall::with(ann.substr(37))).status, 401);
}

TEST(HhplusGate, WhoIsLoggedInShowsAnOwnToken) {
    GatedHall hall;
    const std::string ann = hall.token(1);
    hall.activate(1);
    const auto verify = [&](int user) {
        return hall.verify("GET", "/api/v1/concerts",
                           TestHall::with(ann) + fmt::format("X-User-Id: {}\r\n", user));
    };
    EXPECT_EQ(verify(1).status, 204);
    EXPECT_EQ(verify(2).status, 401);
}

TEST(HhplusGate, OtherPathsAndPreflightsPass) {
    GatedHall hall;
    EXPECT_EQ(hall.verify("GET", "/api/v1/user-wallets", "userId: 1\r\n").status, 204);
    EXPECT_EQ(hall.verify("OPTIONS", "/api/v1/concerts",
                          "Origin: https://a.example\r\nAccess-Control-Request-Method: GET\r\n")
                  .status,
              204);
    EXPECT_EQ(hall.verify("OPTIONS", "/api/v1/concerts", "").status, 401);
}

} // namespace
} // namespace anteroom::hhplus
