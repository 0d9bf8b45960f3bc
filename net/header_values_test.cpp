#include "net/header_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "net/http_date.h"
#include "net/url.h"

namespace anteroom::net {

TEST(FindCookie, FindsTheFirstWellFormedOne) {
    EXPECT_EQ(find_cookie("a=1; b=2; b=3", "b"), "2");
    EXPECT_EQ(find_cookie("a=1;b=2", "b"), "2");
    EXPECT_EQ(find_cookie("b=\"2\"", "b"), "2");
    EXPECT_EQ(find_cookie("b=", "b"), "");
    EXPECT_EQ(find_cookie("b=a b; b=3", "b"), "3");
    EXPECT_EQ(find_cookie("xb=1; b2=2", "b"), std::nullopt);
    EXPECT_EQ(find_cookie("b", "b"), std::nullopt);
    EXPECT_EQ(find_cookie("", "b"), std::nullopt);
    EXPECT_EQ(find_cookie("B=1", "b"), std::nullopt);
}

TEST(EtagMatches, ComparesWeakly) {
    EXPECT_TRUE(etag_matches("\"a\"", "\"a\""));
    EXPECT_TRUE(etag_matches("W/\"a\"", "\"a\""));
    EXPECT_TRUE(etag_matches("\"b\", \"a\"", "W/\"a\""));
    EXPECT_TRUE(etag_matches(" * ", "\"a\""));
    EXPECT_FALSE(etag_matches("\"b\"", "\"a\""));
    EXPECT_FALSE(etag_matches("a", "\"a\""));
    EXPECT_FALSE(etag_matches("", "\"a\""));
}

TEST(NegotiateLanguage, TakesWhatIsWantedMost) {
    const std::array<std::string_view, 3> supported = {"en", "de", "pt-br"};
    EXPECT_EQ(negotiate_language("", supported), "en");
    EXPECT_EQ(negotiate_language("de-CH, en;q=0.9", supported), "de");
    EXPECT_EQ(negotiate_language("fr, de;q=0.5, en;q=0.8", supported), "en");
    EXPECT_EQ(negotiate_language("PT-BR", supported), "pt-br");
    EXPECT_EQ(negotiate_language("pt", supported), "en");
    EXPECT_EQ(negotiate_language("de;q=0, *;q=0.1", supported), "en");
    EXPECT_EQ(negotiate_language("de;q=2, de;x=1, de;q=0.1234", supported), "en");
    EXPECT_EQ(negotiate_language(",,;,-,de;q=1.000,", supported), "de");
}

TEST(HttpDate, IsWrittenInThePreferredFormat) {
    const auto formatted = [](std::int64_t seconds) {
        const auto text = format_http_date(seconds);
        return std::string(text.data(), text.size());
    };
    EXPECT_EQ(formatted(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(formatted(0), "Thu, 01 Jan 1970 00:00:00 GMT");
    EXPECT_EQ(formatted(1'709'251'199), "Thu, 29 Feb 2024 23:59:59 GMT");
}

TEST(DateLine, ChangesOncePerSecond) {
    DateLine line;
    const std::string first(line.at(Instant{0}));
    EXPECT_TRUE(first.starts_with("Date: "));
    EXPECT_TRUE(first.ends_with(" GMT\r\n"));
    EXPECT_EQ(line.at(Instant{0}), first);
}

TEST(PercentDecode, DecodesCleanTextOnly) {
    EXPECT_EQ(percent_decode("a%20b+c"), "a b+c");
    EXPECT_EQ(percent_decode("a%20b+c", Plus::space), "a b c");
    EXPECT_EQ(percent_decode("gr%C3%BC%c3%9f"), "gr\xc3\xbc\xc3\x9f");
    EXPECT_EQ(percent_decode("%25"), "%");
    for (const char* bad : {"%", "%2", "%2g", "%g2", "%00", "%0a", "%7f", "%ff", "%c3", "%c0%af",
                            "%ed%a0%80", "%f4%90%80%80", "%e0%80%80", "\x80"}) {
        EXPECT_EQ(percent_decode(bad), std::nullopt) << bad;
    }
}

TEST(Query, FindsDecodedParameters) {
    const auto query = Query::parse("a=1&b%20c=x+y&&flag&empty=&e=f=g");
    ASSERT_TRUE(query);
    EXPECT_EQ(query->size(), 5u);
    EXPECT_EQ(*query->find("a"), "1");
    EXPECT_EQ(*query->find("b c"), "x y");
    EXPECT_EQ(*query->find("flag"), "");
    EXPECT_EQ(*query->find("empty"), "");
    EXPECT_EQ(*query->find("e"), "f=g");
    EXPECT_EQ(query->find("c"), nullptr);
    EXPECT_EQ(Query::parse("")->size(), 0u);
}

TEST(Query, RefusesWhatCouldBeReadInTwoWays) {
    EXPECT_FALSE(Query::parse("a=1&a=2"));
    EXPECT_FALSE(Query::parse("a=1&%61=2"));
    EXPECT_FALSE(Query::parse("a=%"));
    EXPECT_FALSE(Query::parse("%00=1"));
    std::string many;
    for (std::size_t i = 0; i <= query_parameters_max; ++i) many += fmt::format("p{}&", i);
    EXPECT_FALSE(Query::parse(many));
}

TEST(ParseUrl, SplitsHttpUrls) {
    const auto plain = parse_url("http://a.example");
    ASSERT_TRUE(plain);
    EXPECT_FALSE(plain->secure);
    EXPECT_EQ(plain->host, "a.example");
    EXPECT_EQ(plain->port, 80);
    EXPECT_EQ(plain->target, "/");
    const auto full = parse_url("https://[::1]:8443?x=y");
    ASSERT_TRUE(full);
    EXPECT_TRUE(full->secure);
    EXPECT_EQ(full->host, "::1");
    EXPECT_EQ(full->port, 8443);
    EXPECT_EQ(full->authority, "[::1]:8443");
    EXPECT_EQ(full->target, "/?x=y");
    for (const char* bad : {"", "a", "ftp://a/", "http://", "http:///a", "http://u@a/",
                            "http://a:0/", "http://a:65536/", "http://a/#b", "http://a/ "}) {
        EXPECT_FALSE(parse_url(bad)) << bad;
    }
}

} // namespace anteroom::net
