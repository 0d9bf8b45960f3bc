#include "store/history/sql_url.h"

#include <gtest/gtest.h>

namespace anteroom::history {
namespace {

TEST(SqlUrl, ReadsItsParts) {
    const SqlUrl url = *parse_sql_url("postgresql://ann:p%40ss%2fw@db.example.org:6543/shop");
    EXPECT_EQ(url.kind, SqlKind::postgresql);
    EXPECT_EQ(url.user, "ann");
    EXPECT_EQ(url.password, "p@ss/w");
    EXPECT_EQ(url.host, "db.example.org");
    EXPECT_EQ(url.port, 6543);
    EXPECT_EQ(url.database, "shop");
    EXPECT_EQ(without_password(url), "postgresql://ann@db.example.org:6543/shop");
}

TEST(SqlUrl, HasDefaultsAndOtherNames) {
    EXPECT_EQ(parse_sql_url("postgres://ann@h/d")->port, 5432);
    EXPECT_EQ(parse_sql_url("mysql://ann@h/d")->port, 3306);
    EXPECT_EQ(parse_sql_url("mariadb://ann:x@h/d")->kind, SqlKind::mysql);
    EXPECT_EQ(parse_sql_url("mysql://ann:x@[::1]:99/d")->host, "::1");
    EXPECT_EQ(parse_sql_url("mysql://ann:x@@h/d")->password, "x@");
    EXPECT_EQ(parse_sql_url("postgresql://ann:x@/d?socket=/run/postgresql")->socket,
              "/run/postgresql");
    EXPECT_EQ(parse_sql_url("postgresql://ann:x@h/d?sslmode=verify-full&sslrootcert=/ca.pem")
                  ->sslrootcert,
              "/ca.pem");
}

TEST(SqlUrl, AMistakeIsOneLineWithoutThePassword) {
    for (const char* text : {"",
                             "redis://h",
                             "postgresql",
                             "postgresql://",
                             "postgresql://secret",
                             "postgresql://secret@h",
                             "postgresql://ann:secret@h",
                             "postgresql://ann:secret@h/",
                             "postgresql://ann:secret@/d",
                             "postgresql://:secret@h/d",
                             "postgresql://ann:secret@h:0/d",
                             "postgresql://ann:secret@h:70000/d",
                             "postgresql://ann:secret@h:x/d",
                             "postgresql://ann:secret%zz@h/d",
                             "postgresql://ann:secret%00@h/d",
                             "mysql://ann:secret@[::1/d",
                             "mysql://ann:secret@h/d?sslmode=require",
                             "postgresql://ann:secret@h/d?colour=red",
                             "postgresql://ann:secret@h h/d",
                             "postgresql://ann:sec/ret@h/d"}) {
        const Result<SqlUrl> url = parse_sql_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.fault().reason.find("secret"), std::string::npos) << url.fault().reason;
        EXPECT_EQ(url.fault().reason.find('\n'), std::string::npos);
        EXPECT_EQ(url.fault().reason.rfind("must be postgresql://", 0), 0u);
    }
}

TEST(SqlUrl, MasksThePassword) {
    EXPECT_EQ(with_masked_password("postgresql://ann:secret@h:1/d?sslmode=require"),
              "postgresql://ann:********@h:1/d?sslmode=require");
    EXPECT_EQ(with_masked_password("mysql://ann:a:b@c@h/d"), "mysql://ann:********@h/d");
    EXPECT_EQ(with_masked_password("mysql://ann@h:1/d"), "mysql://ann@h:1/d");
    EXPECT_EQ(with_masked_password(""), "");
}

} // namespace
} // namespace anteroom::history
