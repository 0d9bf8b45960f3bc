#include "dialects/portal/paths.h"

#include <gtest/gtest.h>

#include "dialects/portal/entry_status.h"

namespace anteroom::portal {
namespace {

TEST(PortalPaths, UsersHaveThreeForms) {
    for (const std::string prefix : {"", "/api/v1/shopping", "/api/shopping"}) {
        const std::string path = prefix + "/queue/TIMEDEAL/42/enter";
        const std::optional<Path> found = read_path(path);
        ASSERT_TRUE(found) << path;
        EXPECT_EQ(found->route, Route::enter);
        EXPECT_EQ(found->form, Form::user);
        EXPECT_EQ(found->type, "TIMEDEAL");
        EXPECT_EQ(found->id, "42");
        EXPECT_EQ(read_path(prefix + "/queue/X/1/subscribe/abc")->token, "abc");
    }
}

TEST(PortalPaths, TokenComesBeforeTheTypeOfAnEvent) {
    EXPECT_EQ(read_path("/queue/token/abc")->route, Route::token_status);
    EXPECT_EQ(read_path("/queue/token/abc/status")->route, Route::token_status);
    EXPECT_EQ(read_path("/queue/token/abc/validate")->route, Route::token_validate);
    EXPECT_EQ(read_path("/queue/token2/7/status")->route, Route::status);
}

TEST(PortalPaths, OperatorsHaveThreeForms) {
    EXPECT_EQ(read_path("/api/v1/seller/queue/X/1/status")->form, Form::seller);
    EXPECT_EQ(read_path("/api/v1/seller/queue/X/1/status")->route, Route::admin_status);
    EXPECT_EQ(read_path("/admin/queue/X/1/process")->route, Route::process);
    EXPECT_EQ(read_path("/api/v1/shopping/admin/queue/X/1/activate")->form, Form::admin);
    EXPECT_TRUE(read_path("/admin/queue/deactivate")->type.empty());
}

TEST(PortalPaths, WhatOthersHaveIsNotOurs) {
    for (const char* path :
         {"/", "/queue", "/queue/11111111-2222-3333-4444-555555555555", "/queue/X/1",
          "/queue/X/1/other", "/queue//1/enter", "/queue/X/1/enter/", "/queue/X/1/enter/2/3/4",
          "/api/queue/status/11111111-2222-3333-4444-555555555555", "/api/v1/queue/status",
          "/api/v1/queues/token", "/api/v1/admin/stats", "/admin/queue", "/admin/queue/other",
          "/api/v1/seller/queue/activate", "/api/v1/seller/admin/queue/activate",
          "/v1/rooms/queue/X"})
        EXPECT_FALSE(read_path(path)) << path;
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
