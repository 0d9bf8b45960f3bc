// Who a user of system H is, whose calls are counted, and which paths there are.
#include "dialects/hhplus/test_hall.h"
#include "token/base64.h"
#include "token/hmac.h"

namespace anteroom::hhplus {
namespace {

TEST(HhplusCaller, NobodyWithoutAUserIdIsLetIn) {
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

TEST(HhplusCaller, AUserIdOfAStrangerMeansNothing) {
    TestOptions options = quiet_hall();
    options.trust_loopback = false;
    TestHall hall(std::move(options));
    EXPECT_EQ(hall.issue(TestHall::as(1)).body, refused);
}

// A proxy is trusted; what its clients say of themselves is not.
TEST(HhplusCaller, AUserIdThatAProxyPassedOnMeansNothing) {
    TestHall hall;
    const std::string outside = "X-Forwarded-For: 203.0.113.9\r\n";
    EXPECT_EQ(hall.issue(TestHall::as(1) + outside).body, refused);
    EXPECT_EQ(hall.issue(TestHall::as(1) + outside + "X-User-Id: 1\r\n").status, 200);
}

TEST(HhplusCaller, ALoginSaysWhoTheUserIs) {
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

TEST(HhplusCaller, AUserIdMustBeWhoIsLoggedIn) {
    TestHall hall;
    EXPECT_EQ(hall.issue(TestHall::as(1) + "X-User-Id: 1\r\n").status, 200);
    EXPECT_EQ(hall.issue(TestHall::as(1) + "X-User-Id: 2\r\n").body, refused);
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

TEST(HhplusLimit, StrangersWhoAreBelievedAreCounted) {
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

TEST(HhplusLimit, ABackendsCallsAreCountedByUser) {
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

TEST(HhplusLimit, WhoIsNobodyIsCountedByAddress) {
    CountedHall hall;
    EXPECT_EQ(hall.issue("").body, refused);
    EXPECT_EQ(hall.issue("userId: x\r\n").body, refused);
    CountedHall::expect_too_many(hall.issue(""));
    // Nobody else's words.
    EXPECT_EQ(hall.server.ask("GET", "/api/v1/others").body,
              R"({"error":"Rate limit exceeded","retryAfter":60})");
}

TEST(HhplusLimit, ATokenOfTwoHalvesIsCountedForNeither) {
    CountedHall hall;
    const std::string ann = hall.token(1), eve = hall.token(2);
    const std::string mixed = TestHall::with(ann.substr(0, 37) + eve.substr(37));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(hall.rank(mixed).status, 401); // By address.
    CountedHall::expect_too_many(hall.rank(mixed));
    EXPECT_EQ(hall.rank(1, ann).status, 200) << "ann's calls are her own";
}

TEST(HhplusLimit, TokensThatAnybodyMayDrawAreCountedByAddress) {
    TestOptions options = CountedHall::options();
    options.trust_loopback = false;
    options.hhplus->trusts_user_id = true;
    CountedHall hall(std::move(options));
    const std::string ann = hall.token(1), eve = hall.token(2);
    CountedHall::expect_too_many(hall.rank(1, ann));
    CountedHall::expect_too_many(hall.rank(2, eve));
}

TEST(HhplusPaths, OtherMethodsAndPaths) {
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
TEST(HhplusPaths, PathsThatAreNotThereAreMissedInItsOwnWords) {
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

TEST(HhplusPaths, IsNotSpokenUnlessEnabled) {
    TestServer server;
    EXPECT_EQ(server.ask("POST", "/api/v1/queues/token", TestHall::as(1)).status, 404);
}

} // namespace
} // namespace anteroom::hhplus
