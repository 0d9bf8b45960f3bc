// Who may ask system P's dialect, and how it says no.
#include <ctime>

#include "api/portal/test_queue.h"
#include "token/test_keys.h"

namespace anteroom::api::portal {
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

TEST(PortalCaller, ALoginsOwnTokensNameUserAndRoles) {
    TestOptions options = TestQueue::with({});
    options.trust_loopback = false;
    options.jwt_secret = secret;
    TestQueue queue(options);
    const auto login = [&](std::string_view user, std::string_view roles, int life = 600,
                           std::string_view key = secret) {
        const std::string claims =
            fmt::format(R"({{"sub":"{}","type":"access","roles":{},"exp":{}}})", user, roles,
                        std::time(nullptr) + life);
        return TestServer::bearer(token::forge(R"({"alg":"HS256","typ":"JWT"})", claims, key));
    };
    const auto ask = [&](std::string_view method, std::string_view path, std::string_view headers,
                         std::string_view body = {}) {
        return queue.server.ask(method, path, headers, body);
    };
    const std::string activate = "/api/v1/seller/queue/TIMEDEAL/42/activate";
    const std::string enter = "/queue/TIMEDEAL/42/enter";
    const std::string user = login("ann", R"(["ROLE_USER"])");
    const std::string seller = login("sam", R"(["ROLE_USER","ROLE_SHOPPING_SELLER"])");
    EXPECT_EQ(shape(ask("POST", activate, user, TestQueue::pace(1, 1, 1))), forbidden);
    EXPECT_EQ(ask("POST", activate, seller, TestQueue::pace(9, 1, 3'600)).status, 200u);
    EXPECT_EQ(ask("POST", enter, user).status, 200u);
    EXPECT_EQ(ask("POST", enter, user).status, 409u) << "the same user";
    EXPECT_EQ(shape(ask("POST", enter, login("eve", R"(["ROLE_GUEST"])"))), forbidden);
    EXPECT_EQ(shape(ask("POST", enter, login("ann", R"("ROLE_USER")", -600))),
              gateway_error(401, "GW-A004", "Token expired"));
    EXPECT_EQ(shape(ask("POST", enter, login("ann", "[]", 600, token::outer_secret))),
              gateway_error(401, "GW-A005", "Invalid token"));
    EXPECT_EQ(shape(ask("POST", enter, TestQueue::as_user("ann"))), nobody);
    // A page of another site can make a browser send the cookie: one does not operate by that.
    const std::string process = "/api/v1/seller/queue/TIMEDEAL/42/process";
    const std::string cookie = "Cookie: access_token=" + seller.substr(seller.find("Bearer ") + 7);
    EXPECT_EQ(ask("POST", process, cookie).status, 200u);
    EXPECT_EQ(ask("POST", process, "Origin: http://test\r\n" + cookie).status, 200u);
    EXPECT_EQ(shape(ask("POST", process, "Origin: https://evil.example\r\n" + cookie)), forbidden);
    EXPECT_EQ(shape(ask("POST", process, "Origin: null\r\n" + cookie)), forbidden);
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
} // namespace anteroom::api::portal
