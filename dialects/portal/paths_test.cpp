// Which paths system P has, and how the ids in them are read.
#include <gtest/gtest.h>

#include <vector>

#include "dialects/portal/dialect.h"
#include "dialects/portal/entry_status.h"
#include "dialects/portal/queue_id.h"
#include "dialects/portal/test_queue.h"

namespace anteroom::portal {
namespace {

using net::Method;

// The registered routes; nothing is answered by them here.
struct Routes {
    Routes() { adapter->add_routes(router); }

    // The parameters of the path, in its order; nothing: there is no such route.
    std::optional<std::vector<std::string>> find(Method method, std::string_view path) const {
        const RouteMatch match = router.match(method, path);
        if (!match.route) return std::nullopt;
        EXPECT_EQ(match.owner, adapter.get());
        std::vector<std::string> found;
        for (const std::string_view parameter : match.parameters)
            if (!parameter.empty()) found.emplace_back(parameter);
        return found;
    }
    std::string allowed(std::string_view path) const {
        return list_of(router.match(Method::patch, path).methods);
    }

    TestQueue queue;
    Desk desk{queue.server.shared, queue.server.loop(),
              *Office::open(queue.server.keys, {.jwt_secret = {}, .access_rules = {}})};
    std::shared_ptr<Dialect> dialect = open({});
    std::unique_ptr<DialectRoutes> adapter =
        dialect->open_routes(desk, queue.server.service.hub(0));
    Router router;
};

using Names = std::vector<std::string>;

struct Verb {
    const char* name;
    const char* methods;
};
constexpr Verb user_verbs[] = {{"enter", "POST"},
                               {"status", "GET"},
                               {"leave", "POST, DELETE"},
                               {"validate", "GET"},
                               {"complete", "POST"}};
constexpr Verb operator_verbs[] = {
    {"activate", "POST"}, {"deactivate", "POST"}, {"process", "POST"}, {"status", "GET"}};

TEST(PortalPaths, UsersHaveThreeForms) {
    const Routes routes;
    for (const std::string prefix : {"", "/api/v1/shopping", "/api/shopping"}) {
        const std::string path = prefix + "/queue/TIMEDEAL/42/enter";
        EXPECT_EQ(routes.find(Method::post, path), (Names{"TIMEDEAL", "42"})) << path;
        EXPECT_EQ(routes.find(Method::get, prefix + "/queue/X/1/subscribe/abc"),
                  (Names{"X", "1", "abc"}));
        EXPECT_EQ(routes.allowed(prefix + "/queue/X/1/subscribe/abc"), "GET");
        for (const Verb& verb : user_verbs)
            EXPECT_EQ(routes.allowed(prefix + "/queue/X/1/" + verb.name), verb.methods)
                << prefix << verb.name;
    }
}

TEST(PortalPaths, TokenComesBeforeTheTypeOfAnEvent) {
    const Routes routes;
    for (const std::string prefix : {"", "/api/v1/shopping", "/api/shopping"}) {
        for (const char* path : {"/queue/token/abc", "/queue/token/abc/status"}) {
            EXPECT_EQ(routes.find(Method::get, prefix + path), (Names{"abc"})) << path;
            EXPECT_EQ(routes.find(Method::del, prefix + path), (Names{"abc"})) << path;
            EXPECT_EQ(routes.allowed(prefix + path), "GET, DELETE") << path;
        }
        EXPECT_EQ(routes.find(Method::get, prefix + "/queue/token/abc/validate"), (Names{"abc"}));
        EXPECT_EQ(routes.allowed(prefix + "/queue/token/abc/validate"), "GET");
    }
    EXPECT_EQ(routes.find(Method::get, "/queue/token2/7/status"), (Names{"token2", "7"}));
}

TEST(PortalPaths, OperatorsHaveThreeForms) {
    const Routes routes;
    EXPECT_EQ(routes.find(Method::get, "/api/v1/seller/queue/X/1/status"), (Names{"X", "1"}));
    EXPECT_EQ(routes.find(Method::post, "/admin/queue/X/1/process"), (Names{"X", "1"}));
    EXPECT_EQ(routes.find(Method::post, "/api/v1/shopping/admin/queue/X/1/activate"),
              (Names{"X", "1"}));
    EXPECT_EQ(routes.find(Method::post, "/admin/queue/deactivate"), Names{});
    for (const std::string base :
         {"/api/v1/seller/queue/X/1/", "/admin/queue/X/1/", "/api/v1/shopping/admin/queue/X/1/",
          "/api/shopping/admin/queue/X/1/", "/admin/queue/", "/api/v1/shopping/admin/queue/",
          "/api/shopping/admin/queue/"})
        for (const Verb& verb : operator_verbs)
            EXPECT_EQ(routes.allowed(base + verb.name), verb.methods) << base << verb.name;
}

TEST(PortalPaths, WhatOthersHaveIsNotOurs) {
    const Routes routes;
    for (const char* path :
         {"/", "/queue", "/queue/11111111-2222-3333-4444-555555555555", "/queue/X/1",
          "/queue/X/1/other", "/queue//1/enter", "/queue/X/1/enter/", "/queue/X/1/enter/2/3/4",
          "/queue/token/abc/enter", "/queue/token/abc/subscribe/def",
          "/api/queue/status/11111111-2222-3333-4444-555555555555", "/api/v1/queue/status",
          "/api/v1/queues/token", "/api/v1/admin/stats", "/admin/queue", "/admin/queue/other",
          "/api/v1/seller/queue/activate", "/api/v1/seller/admin/queue/activate",
          "/v1/rooms/queue/X"})
        for (const Method method : {Method::get, Method::post, Method::del})
            EXPECT_EQ(routes.router.match(method, path).owner, nullptr) << path;
}

TEST(PortalPaths, AnEventIsANumberOf64BitsAndARoom) {
    EXPECT_EQ(read_event_id("42"), 42);
    EXPECT_EQ(read_event_id("+042"), 42);
    EXPECT_EQ(read_event_id("-9223372036854775808"), INT64_MIN);
    for (const char* text : {"", "x", "4x", "4.0", "+-4", "9223372036854775808", " 4"})
        EXPECT_FALSE(read_event_id(text)) << text;
    EXPECT_EQ(room_id_of("TIMEDEAL", -4), "TIMEDEAL:-4");
    EXPECT_TRUE(room_id_of(std::string(50, 'A'), 1));
    for (const std::string& type : {std::string(51, 'A'), std::string(), std::string("A:B"),
                                    std::string("A B"), std::string("타임딜")})
        EXPECT_FALSE(room_id_of(type, 1)) << type;
}

TEST(PortalStatus, TheEstimateRoundsUp) {
    EXPECT_EQ(estimated_seconds(15, 5, seconds(30)), 90) << "the document's example";
    EXPECT_EQ(estimated_seconds(1, 5, seconds(30)), 30);
    EXPECT_EQ(estimated_seconds(16, 5, seconds(30)), 120);
    EXPECT_EQ(estimated_seconds(125, 1, seconds(3)), 375);
    EXPECT_EQ(estimated_seconds(UINT64_MAX / 2, 1, seconds(3'600)), INT64_MAX) << "no overflow";
}

TEST(PortalStatus, TimesAreIso) {
    EXPECT_EQ(iso_time(Instant{0}), "1970-01-01T00:00:00.000");
    EXPECT_EQ(iso_time(Instant{1'770'388'200'123}), "2026-02-06T14:30:00.123");
}

} // namespace
} // namespace anteroom::portal
