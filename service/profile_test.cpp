#include "service/profile.h"

#include <gtest/gtest.h>

#include "service/profile_text.h"
#include "service/room_fields.h"

namespace anteroom {
namespace {

TEST(RoomId, IsShortAndPlain) {
    for (const char* id :
         {"r", "spring-concert_2026", "11111111-2222-3333-4444-555555555555", "a:b~c.d"})
        EXPECT_TRUE(is_room_id(id)) << id;
    for (const char* id : {"", "a b", "a/b", "..\xff", "caf\xc3\xa9", "a?b", "a%20b"})
        EXPECT_FALSE(is_room_id(id)) << id;
    EXPECT_TRUE(is_room_id(std::string(128, 'a')));
    EXPECT_FALSE(is_room_id(std::string(129, 'a')));
}

TEST(Profile, SendsVisitorsOnlyWhereABrowserMayGo) {
    const auto accepted = [](const char* target) { return !fault_of(Profile{.target = target}); };
    for (const char* target :
         {"", "/", "/seats?x=1", "https://shop.example/a", "http://127.0.0.1:3000/"})
        EXPECT_TRUE(accepted(target)) << target;
    for (const char* target : {"javascript:alert(1)", "//evil.example", "seats", "data:text/html,x",
                               "/a b", "/a\"b", "https://a\nb", "/\\evil.example"})
        EXPECT_FALSE(accepted(target)) << target;
}

TEST(Profile, WhoNamesNoLaneStandsInTheLastOrTheDefault) {
    Profile profile{.lanes = {"outer", "members", "walk-ups"}};
    EXPECT_EQ(lane_number(profile, ""), 2);
    EXPECT_EQ(lane_number(profile, "members"), 1);
    EXPECT_EQ(lane_number(profile, "vip"), std::nullopt);
    profile.default_lane = "members";
    EXPECT_EQ(lane_number(profile, ""), 1);
    EXPECT_EQ(lane_number(Profile{}, ""), 0);
    EXPECT_EQ(lane_number(Profile{}, "any"), std::nullopt);
}

TEST(RoomFields, EverySettingCanBeReadAndSetBack) {
    RoomSettings settings;
    settings.rules.rate_milli = 2'500;
    settings.profile.lanes = {"a", "b"};
    settings.rules.lanes = 2;
    RoomSettings copy;
    for (const RoomField& field : room_fields())
        EXPECT_EQ(set_field(copy, field.name, field_value(settings, field)), std::nullopt)
            << field.name;
    EXPECT_EQ(copy.rules, settings.rules);
    EXPECT_EQ(copy.profile, settings.profile);
}

TEST(RoomFields, WrongTypesAndUnknownNamesAreSaidInWords) {
    RoomSettings settings;
    EXPECT_EQ(set_field(settings, "capacity", std::string("many")),
              "capacity must be a whole number");
    EXPECT_EQ(set_field(settings, "admit_on_join", std::int64_t{1}),
              "admit_on_join must be true or false");
    EXPECT_EQ(set_field(settings, "colour", true), "there is no setting colour");
    EXPECT_NE(set_field(settings, "lease", std::int64_t{600}), std::nullopt);
    EXPECT_NE(set_field(settings, "rate_per_second", -1.0), std::nullopt);
    EXPECT_NE(set_field(settings, "rate_per_second", 0.0001), std::nullopt);
    settings.rules.capacity = -1;
    EXPECT_EQ(fault_in_words(settings), "capacity must be from 0 to 4294967295");
}

TEST(Profile, IsTheSameAsText) {
    const Profile plain{
        .message = "soon", .target = "/in", .lanes = {"a", "b"}, .default_lane = "a"};
    EXPECT_EQ(profile_of(profile_text(plain)), plain);
    // As versions wrote it that knew no dialects: sums of old rows are over this.
    EXPECT_EQ(profile_text(plain),
              R"({"message":"soon","target":"/in","lanes":["a","b"],"default_lane":"a"})");
    Profile queue;
    queue.dialect = "portal";
    EXPECT_EQ(profile_of(profile_text(queue)), queue);
    EXPECT_FALSE(profile_of(R"({"dialect":7})"));
    EXPECT_FALSE(fault_of(queue));
    queue.dialect = "no name";
    EXPECT_EQ(fault_of(queue), "dialect must be the name of a dialect or empty");
}

} // namespace
} // namespace anteroom
