#include "gate/pattern.h"

#include <gtest/gtest.h>

namespace anteroom::gate {
namespace {

constexpr std::string_view event_path = "/events/11111111-2222-3333-4444-5555555555aB";

Pattern pattern(std::string_view text) {
    Result<Pattern> parsed = Pattern::parse(text);
    CHECK(parsed);
    return *std::move(parsed);
}

// The captured event, "-" when there is none, "no" when the path does not fit.
std::string match(std::string_view text, std::string_view target,
                  LetterCase letters = LetterCase::counts) {
    CleanPath path;
    EXPECT_EQ(path.read(target), PathFault::none) << target;
    std::optional<std::string_view> event;
    if (!pattern(text).matches(path, letters, event)) return "no";
    return std::string(event.value_or("-"));
}

TEST(Pattern, FitsBySegment) {
    EXPECT_EQ(match("/health", "/health"), "-");
    EXPECT_EQ(match("/health", "/health/"), "-");
    EXPECT_EQ(match("/health", "/healthXYZ"), "no");
    EXPECT_EQ(match("/health", "/health/x"), "no");
    EXPECT_EQ(match("/health/**", "/health"), "-");
    EXPECT_EQ(match("/health/**", "/health/x/y"), "-");
    EXPECT_EQ(match("/health/**", "/healthXYZ/x"), "no");
    EXPECT_EQ(match("/a/*/c", "/a/b/c"), "-");
    EXPECT_EQ(match("/a/*/c", "/a/c"), "no");
    EXPECT_EQ(match("/", "/"), "-");
    EXPECT_EQ(match("/", "/a"), "no");
    EXPECT_EQ(match("/**", "/"), "-");
}

TEST(Pattern, CapturesTheEvent) {
    EXPECT_EQ(match("/events/{event}/**", "/events/spring-sale/seats"), "spring-sale");
    EXPECT_EQ(match("/events/{event}/**", "/events"), "no");
    EXPECT_EQ(match("/events/{event:uuid}", event_path), event_path.substr(8));
    EXPECT_EQ(match("/events/{event:uuid}", "/events/spring-sale"), "no");
    EXPECT_EQ(match("/events/{event:uuid}", "/events/11111111222233334444555555555555"), "no");
    EXPECT_EQ(match("/events/{event:uuid}", "/events/11111111-2222-3333-4444-55555555555g"), "no");
}

TEST(Pattern, LettersCountWhereTheyAreSaidTo) {
    EXPECT_EQ(match("/api/seats", "/API/Seats"), "no");
    EXPECT_EQ(match("/api/seats", "/API/Seats", LetterCase::ignored), "-");
}

TEST(Pattern, RefusesWhatItDoesNotUnderstand) {
    for (const std::string_view text : {"",
                                        "a",
                                        "a/b",
                                        "/a//b",
                                        "/a/",
                                        "/a*",
                                        "/{event",
                                        "/{room}",
                                        "/{event:int}",
                                        "/**/a",
                                        "/{event}/{event:uuid}",
                                        "/a b",
                                        "/a%20b",
                                        "/a;b",
                                        "/..",
                                        "/a?b",
                                        "/api/v1/seats",
                                        "/\xc3\xa9",
                                        "/a#",
                                        "/***"})
        EXPECT_FALSE(Pattern::parse(text)) << text;
    EXPECT_FALSE(Pattern::parse("/" + std::string(segment_bytes_max + 1, 'a')));
}

TEST(Pattern, KnowsWhatItCovers) {
    const auto covers = [](std::string_view wide, std::string_view narrow) {
        return pattern(wide).covers(pattern(narrow));
    };
    EXPECT_TRUE(covers("/**", "/a/b"));
    EXPECT_TRUE(covers("/a/**", "/a"));
    EXPECT_TRUE(covers("/a/*", "/a/{event}"));
    EXPECT_TRUE(covers("/a/{event}", "/a/{event:uuid}"));
    EXPECT_TRUE(covers("/a/{event:uuid}", "/a/11111111-2222-3333-4444-555555555555"));
    EXPECT_TRUE(covers("/a/**", "/a/b/**"));
    EXPECT_FALSE(covers("/a/{event:uuid}", "/a/*"));
    EXPECT_FALSE(covers("/a/{event:uuid}", "/a/b"));
    EXPECT_FALSE(covers("/a/*", "/a/**"));
    EXPECT_FALSE(covers("/a/*", "/a"));
    EXPECT_FALSE(covers("/a", "/a/b"));
    EXPECT_FALSE(covers("/a", "/A"));
    EXPECT_TRUE(pattern("/**").is_everything());
    EXPECT_FALSE(pattern("/*").is_everything());
}

} // namespace
} // namespace anteroom::gate
