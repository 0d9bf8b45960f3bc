// Who may ask system P's dialect, and how it says no.
#include "api/portal/test_queue.h"

namespace anteroom::api::portal {
namespace {

const std::string nobody = gateway_error(401, "GW-A001", "Authentication required");
const std::string forbidden = error(403, "C004", "Forbidden");

TEST(PortalCaller, UsersMustBeKnown) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    const std::pair<const char*, std::string> calls[] = {
        {"POST", "/queue/TIMEDEAL/42/enter"},    {"GET", "/queue/TIMEDEAL/42/status"},
        {"DELETE", "/queue/TIMEDEAL/42/leave"},  {"POST", "/queue/TIMEDEAL/42/leave"},
        {"GET", "/queue/TIMEDEAL/42/validate"},  {"POST", "/queue/TIMEDEAL/42/complete"},
        {"GET", "/queue/token/" + token},        {"GET", "/queue/token/" + token + "/status"},
        {"DELETE", "/queue/token/" + token},     {"GET", "/queue/token/" + token + "/validate"},
        {"POST", "/admin/queue/activate"},       {"POST", "/admin/queue/TIMEDEAL/42/deactivate"},
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
    EXPECT_EQ(queue.server
                  .ask("POST", "/admin/queue/TIMEDEAL/42/process", TestServer::as_admin())
                  .status,
              200u);
}

TEST(PortalCaller, HeadersCountFromTrustedAddressesOnly) {
    TestOptions options = TestQueue::with({});
    options.trust_loopback = false;
    TestQueue queue(options);
    EXPECT_EQ(shape(queue.enter("ann")), nobody);
    EXPECT_EQ(shape(queue.seller("activate", TestQueue::pace(1, 1, 1))), nobody);
}

TEST(PortalCaller, WithoutTheDialectThereAreNoSuchPaths) {
    TestOptions options;
    TestQueue queue(options);
    EXPECT_EQ(queue.enter("ann").status, 404u);
}

} // namespace
} // namespace anteroom::api::portal
