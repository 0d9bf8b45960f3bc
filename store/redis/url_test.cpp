#include "store/redis/url.h"

#include <gtest/gtest.h>

namespace anteroom::redis {
namespace {

TEST(RedisUrl, ReadsItsParts) {
    const Url url = *parse_url("rediss://ann:p%40ss%2fw@cache.example.org:6380/2");
    EXPECT_TRUE(url.tls);
    EXPECT_FALSE(url.cluster);
    EXPECT_EQ(url.user, "ann");
    EXPECT_EQ(url.password, "p@ss/w");
    ASSERT_EQ(url.hosts.size(), 1u);
    EXPECT_EQ(url.hosts[0].host, "cache.example.org");
    EXPECT_EQ(url.hosts[0].port, 6380);
    EXPECT_EQ(url.database, 2);
    EXPECT_EQ(without_secrets(url), "rediss://cache.example.org:6380/2");
}

TEST(RedisUrl, HasDefaults) {
    const Url url = *parse_url("redis://h");
    EXPECT_FALSE(url.tls);
    EXPECT_EQ(url.hosts, std::vector<Address>({{.host = "h", .port = 6379}}));
    EXPECT_TRUE(url.user.empty());
    EXPECT_TRUE(url.password.empty());
    EXPECT_EQ(url.database, 0);
    EXPECT_EQ(parse_url("redis://h/")->database, 0);
    EXPECT_EQ(parse_url("redis://:secret@h")->password, "secret");
    EXPECT_EQ(parse_url("redis://:secret@h")->user, "");
    EXPECT_EQ(parse_url("redis://:a@b/c@h:1/3")->password, "a@b/c");
    EXPECT_EQ(parse_url("redis://:a:b@h")->password, "a:b");
}

TEST(RedisUrl, ReadsTheSeedsOfACluster) {
    const Url url = *parse_url("rediss+cluster://ann:x@h1:7000,h2,[::1]:7002");
    EXPECT_TRUE(url.tls);
    EXPECT_TRUE(url.cluster);
    const std::vector<Address> hosts{
        {.host = "h1", .port = 7000}, {.host = "h2", .port = 6379}, {.host = "::1", .port = 7002}};
    EXPECT_EQ(url.hosts, hosts);
    EXPECT_EQ(without_secrets(url), "rediss+cluster://h1:7000,h2:6379,[::1]:7002");
    EXPECT_TRUE(parse_url("redis+cluster://h1/"));
}

TEST(RedisUrl, AMistakeIsOneLineWithoutThePassword) {
    for (const char* text : {"",
                             "redis",
                             "redis://",
                             "http://ann:secret@h",
                             "secret",
                             "redis://@h",
                             "redis://ann:@h",
                             "redis://ann:secret@",
                             "redis://ann:secret@/1",
                             "redis://ann:secret@h:0",
                             "redis://ann:secret@h:70000",
                             "redis://ann:secret@h:x",
                             "redis://ann:secret@h:",
                             "redis://ann:secret%zz@h",
                             "redis://ann:secret%00@h",
                             "redis://ann:secret@[::1",
                             "redis://ann:secret@[::1]6379",
                             "redis://ann:secret@[h]",
                             "redis://ann:secret@::1",
                             "redis://ann:secret@h h",
                             "redis://ann:secret@h/x",
                             "redis://ann:secret@h/-1",
                             "redis://ann:secret@h/1/2",
                             "redis://ann:secret@h/99999999999",
                             "redis://ann:secret@h1,h2",
                             "redis+cluster://ann:secret@h1,,h2",
                             "redis+cluster://ann:secret@h1,",
                             "redis+cluster://ann:secret@h1/1",
                             "redis://ann:secret@h?db=1"}) {
        const Result<Url> url = parse_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.fault().reason.find("secret"), std::string::npos) << url.fault().reason;
        EXPECT_EQ(url.fault().reason.find('\n'), std::string::npos);
        EXPECT_EQ(url.fault().reason.rfind("must be redis://", 0), 0u);
    }
}

TEST(RedisUrl, TheUsersPasswordMayStandElsewhere) {
    const Result<Url> url = parse_url("redis://ann@h");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->user, "ann");
    EXPECT_EQ(url->password, "");
}

TEST(RedisUrl, SecretsAreTakenOutOfTexts) {
    const Url url = *parse_url("redis://ann:sesame@h");
    EXPECT_EQ(without_secrets("NOPERM User ann has no permissions, annoying", url),
              "NOPERM User ******** has no permissions, annoying");
    EXPECT_EQ(without_secrets("opensesameopen", url), "open********open");
    EXPECT_EQ(without_secrets("ann, ann", url), "********, ********");
    EXPECT_EQ(without_secrets("ERR no", *parse_url("redis://h")), "ERR no");
}

} // namespace
} // namespace anteroom::redis
