// Operators' routes: who may, and what they do.
#include <gtest/gtest.h>

#include "desk/assets.h"
#include "tests/server/test_server.h"

namespace anteroom::api {
namespace {

using net::testing::eventually;

std::string path_of(const NativeRoute& rule) {
    std::string path(rule.pattern);
    for (const auto& [name, value] : {std::pair{"{room}", "r"}, std::pair{"{action}", "pause"}})
        if (const std::size_t at = path.find(name); at != path.npos)
            path.replace(at, std::string(name).size(), value);
    return path;
}

TEST(Admin, EveryRouteRefusesEveryoneButAdmins) {
    TestServer outside({.trust_loopback = false});
    TestServer inside;
    for (TestServer* server : {&outside, &inside})
        server->ask("PUT", "/v1/admin/rooms/r", TestServer::as_admin(), R"({"capacity":0})");
    int checked = 0;
    for (const NativeRoute& rule : native_routes()) {
        if (rule.role != Role::admin) continue;
        const std::string path = path_of(rule);
        const auto status = [&](TestServer& server, const std::string& headers) {
            return server
                .ask(name(rule.method), path, headers, rule.method == net::Method::put ? "{}" : "")
                .status;
        };
        // From anywhere: nobody, a guess, a prefix and an extension of the token, a spoofed
        // identity.
        EXPECT_EQ(status(outside, ""), 401u) << path;
        EXPECT_EQ(status(outside, TestServer::bearer("guess")), 401u) << path;
        EXPECT_EQ(status(outside, TestServer::bearer("a-test-token-for-admin")), 401u) << path;
        EXPECT_EQ(status(outside, TestServer::bearer(std::string(TestServer::admin_token) + "s")),
                  401u)
            << path;
        EXPECT_EQ(status(outside, "X-User-Id: eve\r\nX-User-Role: admin\r\n"), 401u) << path;
        // Through a trusted proxy: a user is known, and still no admin; a doubled header is nobody.
        EXPECT_EQ(status(inside, "X-User-Id: eve\r\nX-User-Role: user\r\n"), 403u) << path;
        EXPECT_EQ(status(inside, "X-User-Id: eve\r\nX-User-Id: bob\r\nX-User-Role: admin\r\n"),
                  401u)
            << path;
        EXPECT_EQ(status(inside, ""), 401u) << path;
        ++checked;
    }
    EXPECT_GE(checked, 7);
    for (const NativeRoute& rule : native_routes()) {
        if (rule.role != Role::admin || rule.method != net::Method::get) continue;
        EXPECT_EQ(outside.ask("GET", path_of(rule), TestServer::as_admin()).status, 200u)
            << rule.pattern;
        EXPECT_EQ(
            inside.ask("GET", path_of(rule), "X-User-Id: ann\r\nX-User-Role: Admin\r\n").status,
            200u);
    }
}

TEST(Admin, MetricsAreForInsiders) {
    TestServer outside({.trust_loopback = false});
    EXPECT_EQ(outside.ask("GET", "/metrics").status, 401u);
    EXPECT_EQ(outside.ask("GET", "/metrics", TestServer::as_admin()).status, 200u);
    TestServer inside;
    EXPECT_EQ(inside.ask("GET", "/metrics").status, 200u);
    EXPECT_EQ(inside.ask("GET", "/metrics", "X-Forwarded-For: 203.0.113.7\r\n").status, 401u);
}

TEST(Admin, CreatesChangesReadsAndRemovesARoom) {
    TestServer server;
    const auto put = [&](std::string_view body) {
        return server.ask("PUT", "/v1/admin/rooms/r", TestServer::as_admin(), body);
    };
    EXPECT_EQ(
        put(R"({"capacity":7,"lease":"5m","lanes":["members","walk-ups"],"rate_per_second":2.5})")
            .status,
        201u);
    EXPECT_EQ(put(R"({"message":"hello"})").status, 200u);
    const auto room =
        TestServer::json(server.ask("GET", "/v1/admin/rooms/r", TestServer::as_admin()));
    const auto& settings = room.at("settings").as_object();
    EXPECT_EQ(settings.at("capacity"), 7);
    EXPECT_EQ(TestServer::text_of(settings, "lease"), "5m");
    EXPECT_EQ(TestServer::text_of(settings, "message"), "hello");
    EXPECT_EQ(settings.at("rate_per_second"), 2.5);
    EXPECT_EQ(settings.at("lanes").as_array().size(), 2u);
    EXPECT_EQ(TestServer::json(server.ask("GET", "/v1/rooms/r")).at("capacity"), 7);
    EXPECT_EQ(server.ask("DELETE", "/v1/admin/rooms/r", TestServer::as_admin()).status, 204u);
    EXPECT_EQ(server.ask("GET", "/v1/rooms/r").status, 404u);
    EXPECT_EQ(server.ask("DELETE", "/v1/admin/rooms/r", TestServer::as_admin()).status, 404u);
}

TEST(Admin, ImpossibleSettingsAreRefusedInWordsAndChangeNothing) {
    TestServer server;
    server.ask("PUT", "/v1/admin/rooms/r", TestServer::as_admin(), R"({"capacity":7})");
    for (const char* body :
         {R"({"capacity":-1})", R"({"capacity":"many"})", R"({"capacity":1.5})",
          R"({"admit_interval":"0s"})", R"({"lease":"10"})", R"({"lease":600})",
          R"({"lanes":["a","a"]})", R"({"lanes":[1]})", R"({"target":"javascript:alert"})",
          R"({"target":"//evil.example"})", R"({"lease_start":"soon"})",
          R"({"rate_per_second":-3})", R"({"default_lane":"nowhere"})", "[]", "{"}) {
        const auto answer = server.ask("PUT", "/v1/admin/rooms/r", TestServer::as_admin(), body);
        EXPECT_EQ(answer.status, 400u) << body;
        EXPECT_FALSE(TestServer::text_of(TestServer::json(answer), "detail").empty());
    }
    const auto room =
        TestServer::json(server.ask("GET", "/v1/admin/rooms/r", TestServer::as_admin()));
    EXPECT_EQ(room.at("settings").as_object().at("capacity"), 7);
}

TEST(Admin, OperatesARoom) {
    TestServer server;
    const auto operate = [&](const std::string& action, std::string_view body = {}) {
        return server.ask("POST", "/v1/admin/rooms/r/" + action, TestServer::as_admin(), body);
    };
    server.ask("PUT", "/v1/admin/rooms/r", TestServer::as_admin(),
               R"({"capacity":2,"admit_on_join":false,"wait_min":"1h"})");
    const std::string ann = TestServer::text_of(server.join("r", "ann"), "ticket");
    for (const auto& [action, state] :
         {std::pair{"pause", "paused"}, std::pair{"resume", "open"}, std::pair{"drain", "draining"},
          std::pair{"close", "closed"}, std::pair{"open", "open"}})
        EXPECT_EQ(TestServer::text_of(TestServer::json(operate(action)), "state"), state);
    EXPECT_EQ(operate("resume").status, 400u);
    EXPECT_EQ(operate("explode").status, 404u);
    EXPECT_EQ(operate("call").status, 400u);
    EXPECT_EQ(operate("call", R"({"count":0})").status, 400u);
    EXPECT_EQ(TestServer::json(operate("call", R"({"count":1})")).at("called"), 1);
    operate("pause");
    EXPECT_EQ(TestServer::code(operate("call", R"({"count":1})")), "room_paused");
    operate("passthrough");
    EXPECT_TRUE(
        eventually([&] { return server.service.rooms().find("r")->view().waiting() == 0; }));
    EXPECT_EQ(TestServer::json(operate("clear")).at("active"), 0);
    EXPECT_EQ(TestServer::json(operate("activate")).at("outer").as_object().at("generation"), 1);
    const auto visitors = TestServer::json(
        server.ask("GET", "/v1/admin/rooms/r/visitors?state=expired", TestServer::as_admin()));
    EXPECT_EQ(visitors.at("visitors").as_array().size(), 1u);
    const auto audit =
        TestServer::json(server.ask("GET", "/v1/admin/audit?limit=1000", TestServer::as_admin()));
    EXPECT_GE(audit.at("entries").as_array().size(), 12u);
    EXPECT_EQ(TestServer::text_of(audit.at("entries").as_array()[0].as_object(), "action"),
              "create");
}

TEST(Admin, VisitorsArePaged) {
    TestServer server;
    server.ask("PUT", "/v1/admin/rooms/r", TestServer::as_admin(), R"({"capacity":0})");
    for (int i = 0; i < 7; ++i) server.join("r", fmt::format("v{}", i));
    std::uint64_t after = 0;
    std::size_t seen = 0;
    for (int page = 0; page < 10; ++page) {
        const auto answer = TestServer::json(
            server.ask("GET", fmt::format("/v1/admin/rooms/r/visitors?limit=3&after={}", after),
                       TestServer::as_admin()));
        seen += answer.at("visitors").as_array().size();
        if (answer.at("next_after").is_null()) break;
        after = static_cast<std::uint64_t>(answer.at("next_after").as_int64());
    }
    EXPECT_EQ(seen, 7u);
}

TEST(Admin, ARoomIsForADialectThatThereIs) {
    TestServer server;
    const auto put = [&](std::string_view dialect) {
        return server.ask("PUT", "/v1/admin/rooms/r", TestServer::as_admin(),
                          fmt::format(R"({{"dialect":"{}"}})", dialect));
    };
    EXPECT_EQ(put("portal").status, 201) << "also when it is not spoken";
    const auto refused = put("klingon");
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(TestServer::text_of(TestServer::json(refused), "detail"),
              "dialect must be urr, tacos, portal, hhplus or empty");
    EXPECT_EQ(put("").status, 200);
}

TEST(OpenApi, DescribesExactlyTheRoutesThereAre) {
    TestServer server;
    const boost::json::object document = TestServer::json(server.ask("GET", "/v1/openapi.json"));
    const boost::json::object& paths = document.at("paths").as_object();
    std::size_t operations = 0;
    for (const auto& path : paths) operations += path.value().as_object().size();
    for (const NativeRoute& rule : native_routes()) {
        const auto* path =
            paths.if_contains(boost::json::string_view(rule.pattern.data(), rule.pattern.size()));
        ASSERT_TRUE(path) << rule.pattern;
        std::string method(name(rule.method));
        for (char& c : method) c = static_cast<char>(std::tolower(c));
        EXPECT_TRUE(path->as_object().contains(method)) << method << " " << rule.pattern;
    }
    EXPECT_EQ(operations, native_routes().size());
    // Every problem code that the server can send is in the document.
    const auto& codes = document.at("components")
                            .at("schemas")
                            .at("Problem")
                            .at("properties")
                            .at("code")
                            .at("enum")
                            .as_array();
    EXPECT_EQ(codes.size(), static_cast<std::size_t>(Code::internal) + 1);
    for (const auto& code : codes) {
        bool found = false;
        for (int i = 0; i <= static_cast<int>(Code::internal); ++i)
            found = found || problem_of(static_cast<Code>(i)).code ==
                                 std::string_view(code.as_string().c_str());
        EXPECT_TRUE(found) << code;
    }
}

} // namespace
} // namespace anteroom::api
