#include "app/config_names.h"

#include <gtest/gtest.h>

namespace anteroom::app {
namespace {

TEST(ConfigNames, DistanceCountsChangedAddedMissingAndExchangedLetters) {
    EXPECT_EQ(edit_distance("listen", "listen", 3), 0u);
    EXPECT_EQ(edit_distance("lisen", "listen", 3), 1u);
    EXPECT_EQ(edit_distance("listten", "listen", 3), 1u);
    EXPECT_EQ(edit_distance("lisden", "listen", 3), 1u);
    EXPECT_EQ(edit_distance("litsen", "listen", 3), 1u);
    EXPECT_EQ(edit_distance("", "abc", 3), 3u);
    EXPECT_EQ(edit_distance("abc", "xyz", 9), 3u);
    EXPECT_EQ(edit_distance("abc", "xyz", 1), 2u) << "one more than asked for is enough";
    EXPECT_EQ(edit_distance("a", "abcdef", 2), 3u);
}

TEST(ConfigNames, TheNearestKeyIsOfTheSameSectionFirst) {
    EXPECT_EQ(nearest_key("server", "lisen"), "server.listen");
    EXPECT_EQ(nearest_key("sever", "listen"), "server.listen");
    EXPECT_EQ(nearest_key("sever", "lisen"), "server.listen");
    EXPECT_EQ(nearest_key("portal", "idel"), "portal.idle");
    EXPECT_EQ(nearest_key("history", "ulr"), "history.url");
    EXPECT_EQ(nearest_key("defaults", "capasity"), "defaults.capacity");
}

TEST(ConfigNames, AKeyOfAnotherSectionIsFound) {
    EXPECT_EQ(nearest_key("server", "admin_token"), "auth.admin_token");
    EXPECT_EQ(nearest_key("server", "capacity"), "defaults.capacity");
    EXPECT_EQ(nearest_key("", "listen"), "server.listen");
}

TEST(ConfigNames, NothingIsNearSomethingElse) {
    EXPECT_EQ(nearest_key("server", "colour"), "");
    EXPECT_EQ(nearest_key("server", "x"), "");
    EXPECT_EQ(nearest_key("server", ""), "");
    EXPECT_EQ(nearest_section("kitchen"), "");
    EXPECT_EQ(nearest_section(""), "");
    EXPECT_EQ(nearest_variable("ANTEROOM_SERVER_COLOUR"), "");
    EXPECT_EQ(nearest_variable("ANTEROOM_"), "");
    EXPECT_EQ(nearest_variable("SERVER_LISTEN"), "");
}

TEST(ConfigNames, SectionsAndVariablesAreFound) {
    EXPECT_EQ(nearest_section("sever"), "server");
    EXPECT_EQ(nearest_section("default"), "defaults");
    EXPECT_EQ(nearest_variable("ANTEROOM_SERVER_LISEN"), "ANTEROOM_SERVER_LISTEN");
    EXPECT_EQ(nearest_variable("ANTEROOM_ADMIN_TOKEN"), "ANTEROOM_AUTH_ADMIN_TOKEN");
}

} // namespace
} // namespace anteroom::app
