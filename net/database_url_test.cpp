#include "net/database_url.h"

#include <gtest/gtest.h>

namespace anteroom::net {
namespace {

TEST(DatabaseUrl, ReadsEveryPart) {
    const DatabaseUrl url = *parse_database_url(
        "mysql://ann:p%40ss@db.example.org:6543/my%20shop?socket=/run/db", UserEnd::last_at);
    EXPECT_EQ(url.scheme, "mysql");
    EXPECT_EQ(url.user, "ann");
    EXPECT_EQ(url.password, "p@ss");
    ASSERT_EQ(url.hosts.size(), 1u);
    EXPECT_EQ(url.hosts[0].name, "db.example.org");
    EXPECT_EQ(url.hosts[0].port, 6543);
    EXPECT_EQ(url.name, "my shop");
    EXPECT_EQ(*url.options->find("socket"), "/run/db");
}

TEST(DatabaseUrl, EveryPartButTheSchemeMayBeMissing) {
    const DatabaseUrl url = *parse_database_url("redis://", UserEnd::last_at);
    EXPECT_EQ(url.scheme, "redis");
    EXPECT_FALSE(url.user || url.password || url.options);
    EXPECT_TRUE(url.hosts.empty() && url.name.empty());
    EXPECT_FALSE(parse_database_url("redis:/h", UserEnd::last_at));
    const DatabaseUrl user = *parse_database_url("redis://ann@h/", UserEnd::last_at);
    EXPECT_EQ(user.user, "ann");
    EXPECT_FALSE(user.password);
    EXPECT_FALSE(user.hosts[0].port);
    const DatabaseUrl empty = *parse_database_url("redis://:@h?", UserEnd::last_at);
    EXPECT_EQ(empty.user, "");
    EXPECT_EQ(empty.password, "");
    EXPECT_EQ(empty.options->size(), 0u);
}

TEST(DatabaseUrl, ReadsSeveralHosts) {
    const DatabaseUrl url = *parse_database_url("r://h1:7000,h2,[::1]:7002/", UserEnd::last_at);
    ASSERT_EQ(url.hosts.size(), 3u);
    EXPECT_EQ(url.hosts[0].port, 7000);
    EXPECT_EQ(url.hosts[1].name, "h2");
    EXPECT_EQ(url.hosts[2].name, "::1");
    EXPECT_EQ(url.hosts[2].port, 7002);
    for (const char* text : {"r://h1,,h2", "r://h1,", "r://,h1", "r://h:0", "r://h:70000", "r://h:",
                             "r://h:x", "r://[::1", "r://[::1]1", "r://[h]", "r://::1", "r://h h"})
        EXPECT_FALSE(parse_database_url(text, UserEnd::last_at)) << text;
}

TEST(DatabaseUrl, TheUserEndsAtTheLastAt) {
    EXPECT_EQ(parse_database_url("r://:a@b/c@h:1/3", UserEnd::last_at)->password, "a@b/c");
    EXPECT_EQ(parse_database_url("r://:a?b@h", UserEnd::last_at)->password, "a?b");
    const DatabaseUrl named = *parse_database_url("r://u:a@b@h/d@e", UserEnd::last_at_before_slash);
    EXPECT_EQ(named.password, "a@b");
    EXPECT_EQ(named.name, "d@e");
    EXPECT_FALSE(parse_database_url("r://u:a/b@h/d", UserEnd::last_at_before_slash));
}

TEST(DatabaseUrl, AFaultRepeatsNothingOfTheText) {
    for (const char* text :
         {"secret", "r://u:secret%zz@h", "r://u:secret%00@h", "r://secret:x", "r://h/secret%ff",
          "r://h/d?secret=%zz", "r://h/d?secret=1&secret=2"}) {
        const Result<DatabaseUrl> url = parse_database_url(text, UserEnd::last_at);
        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.fault().reason.find("secret"), std::string::npos) << url.fault().reason;
    }
}

} // namespace
} // namespace anteroom::net
