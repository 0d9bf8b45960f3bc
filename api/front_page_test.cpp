// "/" on a server without an origin, and who is told what there.
#include "api/front_page.h"

#include <gtest/gtest.h>

#include "tests/server/test_server.h"
#include "tests/server/test_site.h"

namespace anteroom::api {
namespace {

using Response = net::testing::WireResponse;

bool says(const Response& answer, std::string_view text) {
    return answer.body.find(text) != answer.body.npos;
}

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++found;
    return found;
}

TEST(FrontPage, SaysWhatThisIsAndNamesNoRoomToStrangers) {
    TestServer server({.trust_loopback = false});
    server.shared.admin_token_path = "data/admin-token";
    ASSERT_EQ(server.ask("POST", "/v1/rooms/secret-event/tickets").status, 201u);
    const Response answer = server.ask("GET", "/");
    EXPECT_EQ(answer.status, 200u);
    EXPECT_EQ(answer.header("content-type"), "text/html; charset=utf-8");
    EXPECT_EQ(answer.header("cache-control"), "no-store");
    EXPECT_NE(answer.header("content-security-policy").find("default-src 'none'"),
              std::string::npos);
    EXPECT_TRUE(says(answer, "virtual waiting room"));
    EXPECT_TRUE(says(answer, "/wait/ROOM"));
    EXPECT_TRUE(says(answer, R"(href="/v1/openapi.json")"));
    EXPECT_FALSE(says(answer, "secret-event"));
    EXPECT_FALSE(says(answer, "admin-token"));
    EXPECT_FALSE(says(answer, "/metrics"));
    EXPECT_FALSE(says(answer, "{{"));
    EXPECT_FALSE(says(answer, "<!--"));
    EXPECT_TRUE(says(server.ask("GET", "/", TestServer::as_admin()), R"(href="/metrics")"));
    EXPECT_TRUE(says(TestServer().ask("GET", "/"), R"(href="/metrics")")); // A trusted address.
}

TEST(FrontPage, IsReadOnly) {
    TestServer server;
    const Response head = server.ask("HEAD", "/");
    EXPECT_EQ(head.status, 200u);
    EXPECT_EQ(head.body, "");
    EXPECT_EQ(server.ask("POST", "/").status, 405u);
    EXPECT_EQ(server.ask("DELETE", "/").status, 405u);
    const Response icon = server.ask("GET", "/favicon.ico");
    EXPECT_EQ(icon.status, 204u);
    EXPECT_NE(icon.header("cache-control").find("max-age="), std::string::npos);
}

TEST(FrontPage, InTheDemoShowsRoomsAndWhereTheTokenIs) {
    TestServer server;
    server.shared.has_demo = true;
    server.shared.admin_token_path = "./data/admin-token";
    server.ask("PUT", "/v1/admin/rooms/hall", TestServer::as_admin(), R"({"capacity":0})");
    server.join("hall", "ann");
    server.join("hall", "ben");
    server.join("hall", "eve");
    server.ask("POST", "/v1/admin/rooms/hall/pause", TestServer::as_admin());
    const Response answer = server.ask("GET", "/", {}, {}, "10.0.0.1:8080");
    EXPECT_TRUE(says(answer, R"(<a href="/wait/hall">hall</a>)"));
    EXPECT_TRUE(says(answer, "3 waiting, 0 inside"));
    EXPECT_TRUE(says(answer, R"(data-state="paused")"));
    EXPECT_TRUE(says(answer, "$(cat ./data/admin-token)"));
    EXPECT_TRUE(says(answer, "http://10.0.0.1:8080/v1/admin/rooms"));
    EXPECT_FALSE(says(answer, TestServer::admin_token));
    EXPECT_FALSE(says(answer, "{{"));
    EXPECT_FALSE(says(answer, "<!--"));

    server.shared.admin_token_path = "";
    const Response configured = server.ask("GET", "/");
    EXPECT_TRUE(says(configured, "auth.admin_token"));
    EXPECT_FALSE(says(configured, TestServer::admin_token));
}

TEST(FrontPage, ShowsTheFirstRoomsAndCountsTheOthers) {
    TestServer server;
    server.shared.has_demo = true;
    for (std::size_t i = 0; i < front_rooms_max; ++i) server.join("r" + std::to_string(i), "ann");
    Response answer = server.ask("GET", "/");
    EXPECT_EQ(count(answer.body, R"(href="/wait/)"), front_rooms_max);
    EXPECT_FALSE(says(answer, " more."));
    server.join("s1", "ann");
    server.join("s2", "ann");
    answer = server.ask("GET", "/");
    EXPECT_EQ(count(answer.body, R"(href="/wait/)"), front_rooms_max);
    EXPECT_TRUE(says(answer, "And 2 more."));
}

TEST(FrontPage, ARoomOfAnotherSystemHasNoPageOfOurs) {
    const std::string text = render_front_page(
        {.rooms = {{.id = "hhplus", .state = "open", .has_page = false},
                   {.id = "spring", .state = "open", .outer_page = "/vwr/spring"}},
         .rooms_total = 2});
    EXPECT_EQ(text.find(R"(href="/wait/hhplus")"), text.npos);
    EXPECT_NE(text.find("<span>hhplus</span>"), text.npos);
    EXPECT_NE(text.find(R"(href="/vwr/spring")"), text.npos);
    EXPECT_EQ(text.find(R"(href="/vwr/hhplus")"), text.npos);
}

// Whatever others chose stays text, in the page and in the shell.
TEST(FrontPage, EscapesWhatItShows) {
    const std::string text =
        render_front_page({.rooms = {{.id = "<!--rooms-->\n<b>", .state = "\"><script>"}},
                           .rooms_total = 1,
                           .shows_admin = true,
                           .admin_token_path = "my 'own' <data>/$(id)",
                           .address = "http://a;id"});
    for (const char* raw : {"<b>", "<script>", "<data>", "<!--"})
        EXPECT_EQ(text.find(raw), text.npos) << raw;
    EXPECT_NE(text.find("$(cat &#39;my &#39;\\&#39;&#39;own&#39;\\&#39;&#39; "
                        "&lt;data&gt;/$(id)&#39;)"),
              text.npos);
    EXPECT_NE(text.find("&#39;http://a;id/v1/admin/rooms&#39;"), text.npos);
}

TEST(FrontPage, WithAnOriginThePathIsTheOrigins) {
    urr::Site site;
    TestServer server({.origins = {site.url()}});
    for (const char* path : {"/", "/favicon.ico"})
        for (const char* method : {"GET", "POST"}) {
            const Response answer = server.ask(method, path);
            EXPECT_EQ(answer.status, 200u) << method << path << answer.body;
            EXPECT_FALSE(says(answer, "virtual waiting room"));
        }
    EXPECT_EQ(site.requests, 4);
    EXPECT_EQ(server.ask("GET", "/healthz").body, R"({"status":"ok"})");
}

} // namespace
} // namespace anteroom::api
