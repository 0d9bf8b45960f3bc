// Who may ask system P's dialect, and how it says no.
#include <ctime>

#include "dialects/portal/test_queue.h"
#include "token/test_keys.h"

namespace anteroom::portal {
namespace {

constexpr std::string_view secret = "jwt-test-secret-0123456789abcdef";
const std::string nobody = gateway_error(401, "GW-A001", "Authentication required");
const std::string forbidden = error(403, "C004", "Forbidden");

TEST(PortalCaller, UsersMustBeKnown) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    const std::pair<const char*, std::string> calls[] = {
        {"POST", "/queue/TIMEDEAL/42/enter"},
        {"GET", "/queue/TIMEDEAL/42/status"},
        {"DELETE", "/queue/TIMEDEAL/42/leave"},
        {"POST", "/queue/TIMEDEAL/42/leave"},
        {"GET", "/queue/TIMEDEAL/42/validate"},
        {"POST", "/queue/TIMEDEAL/42/complete"},
        {"GET", "/queue/token/" + token},
        {"GET", "/queue/token/" + token + "/status"},
        {"DELETE", "/queue/token/" + token},
        {"GET", "/queue/token/" + token + "/validate"},
        {"POST", "/admin/queue/activate"},
        {"POST", "/admin/queue/TIMEDEAL/42/deactivate"},
        {"POST", "/admin/queue/TIMEDEAL/42/process"},
        {"GET", "/api/v1/seller/queue/TIMEDEAL/42/status"},
    };
    for (const auto& [method, path] : calls) {
        const auto answer = queue.server.ask(method, path);
        EXPECT_EQ(shape(answer), nobody) << path;
        EXPECT_EQ(answer.header("www-authenticate"), "Bearer");
    }
    EXPECT_EQ(shape(queue.status("ann")), ok(waiting_body(1, 3600, 1))) << "nothing was done";
}

TEST(PortalCaller, RolesDecide) {
    TestQueue queue;
    queue.activate_slowly();
    const auto enter = [&](std::string_view roles) {
        return shape(queue.server.ask("POST", "/queue/TIMEDEAL/42/enter",
                                      fmt::format("X-User-Id: guest\r\n{}", roles)));
    };
    EXPECT_EQ(enter("X-User-Roles: ROLE_GUEST\r\n"), forbidden);
    EXPECT_EQ(enter("X-User-Roles: ROLE_USER\r\nX-User-Effective-Roles: ROLE_GUEST\r\n"), forbidden)
        << "effective roles come first";
    EXPECT_EQ(enter("X-User-Roles: ROLE_USERS\r\n"), forbidden);
    EXPECT_EQ(enter("X-User-Roles: ROLE_GUEST, ROLE_USER\r\n"), ok(waiting_body(1, 3600, 1)));
    EXPECT_EQ(enter("").substr(0, 3), "409") << "known without a list";

    const auto process = [&](std::string_view role) {
        return queue.server
            .ask("POST", "/admin/queue/TIMEDEAL/42/process",
                 fmt::format("X-User-Id: boss\r\nX-User-Roles: {}\r\n", role))
            .status;
    };
    for (const char* role :
         {"ROLE_ADMIN", "ROLE_SHOPPING_SELLER", "ROLE_SHOPPING_ADMIN", "ROLE_SUPER_ADMIN"})
        EXPECT_EQ(process(role), 200u) << role;
    EXPECT_EQ(process("ROLE_USER"), 403u);
    EXPECT_EQ(
        queue.server.ask("POST", "/admin/queue/TIMEDEAL/42/process", TestServer::as_admin()).status,
        200u);
}

TEST(PortalCaller, HeadersCountFromTrustedAddressesOnly) {
    TestOptions options = TestQueue::with({});
    options.trust_loopback = false;
    TestQueue queue(options);
    EXPECT_EQ(shape(queue.enter("ann")), nobody);
    EXPECT_EQ(shape(queue.seller("activate", TestQueue::pace(1, 1, 1))), nobody);
}

// As P's own login signs: HS256 with the secret as it stands, and no `type`.
std::string login_token(std::string_view user, std::string_view roles, int life = 600,
                        std::string_view key = secret) {
    const std::int64_t now = std::time(nullptr);
    const std::string claims = fmt::format(
        R"({{"roles":{},"memberships":{{"shopping":"BASIC"}},"email":"a@b.c","nickname":"n",)"
        R"("username":"u","sub":"{}","iat":{},"exp":{}}})",
        roles, user, now - 900, now + life);
    return token::forge(R"({"alg":"HS256"})", claims, key);
}
std::string login(std::string_view user, std::string_view roles, int life = 600,
                  std::string_view key = secret) {
    return TestServer::bearer(login_token(user, roles, life, key));
}
TestOptions known_by_logins(std::string_view key = secret) {
    TestOptions options = TestQueue::with({});
    options.trust_loopback = false;
    options.jwt_secret = key;
    return options;
}
const std::string activate_path = "/api/v1/seller/queue/TIMEDEAL/42/activate";
const std::string enter_path = "/queue/TIMEDEAL/42/enter";
constexpr std::string_view seller_roles = R"(["ROLE_USER","ROLE_SHOPPING_SELLER"])";

TEST(PortalCaller, ALoginsOwnTokensNameUserAndRoles) {
    TestQueue queue(known_by_logins());
    const auto ask = [&](std::string_view path, std::string_view headers,
                         std::string_view body = {}) {
        return queue.server.ask("POST", path, headers, body);
    };
    const std::string user = login("ann", R"(["ROLE_USER"])");
    EXPECT_EQ(shape(ask(activate_path, user, TestQueue::pace(1, 1, 1))), forbidden);
    EXPECT_EQ(ask(activate_path, login("sam", seller_roles), TestQueue::pace(9, 1, 3'600)).status,
              200u);
    EXPECT_EQ(ask(enter_path, user).status, 200u);
    EXPECT_EQ(ask(enter_path, user).status, 409u) << "the same user";
    EXPECT_EQ(shape(ask(enter_path, login("eve", R"(["ROLE_GUEST"])"))), forbidden);
    EXPECT_EQ(shape(ask(enter_path, login("ann", R"("ROLE_USER")", -600))),
              gateway_error(401, "GW-A004", "Token expired"));
    EXPECT_EQ(shape(ask(enter_path, login("ann", "[]", 600, token::outer_secret))),
              gateway_error(401, "GW-A005", "Invalid token"));
    EXPECT_EQ(shape(ask(enter_path, TestQueue::as_user("ann"))), nobody);
}

// It has neither a type nor roles, and lives for days.
TEST(PortalCaller, ARefreshTokenOpensNothing) {
    TestQueue queue(known_by_logins());
    const std::string claims = fmt::format(R"({{"sub":"ann","iat":{},"exp":{}}})",
                                           std::time(nullptr), std::time(nullptr) + 600);
    const std::string refresh =
        TestServer::bearer(token::forge(R"({"alg":"HS256"})", claims, secret));
    EXPECT_EQ(shape(queue.server.ask("POST", enter_path, refresh)),
              gateway_error(401, "GW-A005", "Invalid token"));
}

// `openssl rand -hex 32` is Base64 as well; P signs with the text.
TEST(PortalCaller, ASecretOfHexDigitsIsAText) {
    constexpr std::string_view digits =
        "00112233445566778899aabbccddeeff0123456789abcdeffedcba9876543210";
    TestQueue queue(known_by_logins(digits));
    EXPECT_EQ(
        shape(queue.server.ask("POST", enter_path, login("ann", R"(["ROLE_USER"])", 600, digits))),
        no_queue)
        << "somebody, but there is no queue";
}

// A page of another site can make a browser send the cookie: one does not operate by that.
TEST(PortalCaller, NobodyOperatesByACookieFromAnotherSite) {
    TestQueue queue(known_by_logins());
    EXPECT_EQ(
        queue.server
            .ask("POST", activate_path, login("sam", seller_roles), TestQueue::pace(9, 1, 3'600))
            .status,
        200u);
    const std::string cookie =
        fmt::format("Cookie: access_token={}\r\n", login_token("sam", seller_roles));
    const auto process = [&](std::string_view origin) {
        return queue.server.ask("POST", "/api/v1/seller/queue/TIMEDEAL/42/process",
                                std::string(origin) + cookie);
    };
    EXPECT_EQ(process("").status, 200u);
    EXPECT_EQ(process("Origin: http://test\r\n").status, 200u);
    EXPECT_EQ(shape(process("Origin: https://evil.example\r\n")), forbidden);
    EXPECT_EQ(shape(process("Origin: null\r\n")), forbidden);
}

// One address, two users: each is counted alone.
TEST(PortalCaller, CallsAreCountedByTheUserOfTheLogin) {
    TestOptions options = known_by_logins();
    options.call_limits[static_cast<std::size_t>(gate::Category::general)] = 1;
    TestQueue queue(std::move(options));
    const auto ask = [&](std::string_view user) {
        return queue.server
            .ask("GET", "/api/shopping/queue/TIMEDEAL/42/status", login(user, R"(["ROLE_USER"])"))
            .status;
    };
    EXPECT_EQ(ask("ann"), 404u);
    EXPECT_EQ(ask("bob"), 404u);
    EXPECT_EQ(ask("ann"), 429u);
}

TEST(PortalCaller, WhoCallsTooOftenIsToldAsTheGatewayDid) {
    TestOptions options = TestQueue::with({});
    options.call_limits[static_cast<std::size_t>(gate::Category::queue)] = 2;
    options.call_limits[static_cast<std::size_t>(gate::Category::general)] = 2;
    TestQueue queue(options);
    const auto ask = [&] {
        return queue.ask("GET", "/api/shopping/queue/TIMEDEAL/42/status", "ann");
    };
    EXPECT_EQ(shape(ask()), no_queue);
    EXPECT_EQ(shape(ask()), no_queue);
    const auto last = ask();
    EXPECT_EQ(shape(last), gateway_error(429, "GW-R001", "Too many requests"));
    EXPECT_NE(last.header("retry-after"), "");
}

TEST(PortalCaller, WithoutTheDialectThereAreNoSuchPaths) {
    TestOptions options;
    TestQueue queue(options);
    EXPECT_EQ(queue.enter("ann").status, 404u);
}

} // namespace
} // namespace anteroom::portal
