#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "gate/rules.h"

namespace anteroom::gate {
namespace {

const std::string head = "version = 1\n";
const std::string tail = "\n[[rule]]\nname = \"rest\"\npath = \"/**\"\n";

// What is wrong, or "fine".
std::string fault_of(const std::string& text) {
    const Result<Rules> rules = read_rules(text, "r.toml");
    return rules ? "fine" : rules.fault().reason;
}

// The same for a file with this as its first rule, from line 2 on.
std::string fault_of_rule(const std::string& lines) {
    return fault_of(head + "[[rule]]\nname = \"one\"\n" + lines + tail);
}

TEST(RuleFile, SaysEverythingARuleCanSay) {
    const Result<Rules> rules = read_rules(head + R"(
[compat]
redirect_api = true
[[rule]]
name = "one"
methods = ["GET", "HEAD"]
hosts = ["shop.example", "*.shop.example"]
paths = ["/a/{event}", "/b/{event:uuid}/**"]
present = ["header:x-a"]
absent = ["cookie:b"]
needs = ["outer", "entry"]
kind = "api"
redirect = { outer = "https://wait.example/{event}?from=a" }
[[rule]]
name = "two"
path = "/c"
deny = true
redirect = "/sorry"
)" + tail,
                                           "r.toml");
    ASSERT_TRUE(rules) << rules.fault().reason;
    EXPECT_TRUE(rules->redirect_api);
    EXPECT_FALSE(rules->anonymous_entry);
    ASSERT_EQ(rules->list.size(), 3u);
    const Rule& one = rules->list[0];
    EXPECT_EQ(one.line, 5u);
    EXPECT_EQ(one.methods.size() + one.hosts.size() + one.paths.size(), 6u);
    EXPECT_EQ(one.conditions.size(), 2u);
    EXPECT_EQ(one.redirect(Need::outer), "https://wait.example/{event}?from=a");
    EXPECT_EQ(one.redirect(Need::entry), "/queue/{event}");
    EXPECT_EQ(one.kind, RequestKind::api);
    EXPECT_EQ(rules->list[1].deny_redirect, "/sorry");
}

TEST(RuleFile, NamesTheLineOfEveryMistake) {
    EXPECT_EQ(
        fault_of(head + "colour = 1\n[[rule]]\nname = 3\npath = \"/**\"\nneed = [\"entry\"]\n"),
        "r.toml:2: there is no key \"colour\" here\n"
        "r.toml:4: name must be a text\n"
        "r.toml:6: a rule has no key \"need\"");
}

TEST(RuleFile, AsksForItsVersion) {
    EXPECT_EQ(fault_of("x"), fault_of("x")); // A mistake of TOML's own has a line, too.
    EXPECT_TRUE(fault_of("version = 1\n[[rule]\n").starts_with("r.toml:2: "));
    EXPECT_EQ(fault_of(tail), "r.toml:1: \"version = 1\" is missing");
    for (const char* version : {"2", "\"1\"", "1.0", "true"})
        EXPECT_EQ(fault_of("version = " + std::string(version) + tail),
                  "r.toml:1: version must be 1, the only one there is");
    EXPECT_EQ(fault_of(head), "r.toml:1: there is no rule; each begins with [[rule]]");
    EXPECT_EQ(fault_of(head + "rule = 1\n"), "r.toml:2: rules must be written as [[rule]]");
    EXPECT_EQ(fault_of(head + "rule = []\n"), "r.toml:2: rules must be written as [[rule]]");
    EXPECT_EQ(fault_of(head + "[rule]\n"), "r.toml:2: rules must be written as [[rule]]");
    EXPECT_EQ(fault_of(head + "compat = 1\n" + tail),
              "r.toml:2: compat must be a section: [compat]");
    EXPECT_EQ(fault_of(head + "[compat]\nmethods = 1\n" + tail),
              "r.toml:3: there is no key \"compat.methods\"");
    EXPECT_EQ(fault_of(head + "[compat]\nredirect_api = 1\n" + tail),
              "r.toml:3: redirect_api must be true or false");
    EXPECT_EQ(fault_of(std::string(300'000, ' ')), "r.toml: the file is too large");
}

TEST(RuleFile, RefusesARuleThatCannotBeMeant) {
    const auto expect = [](const std::string& lines, const std::string& fault) {
        EXPECT_EQ(fault_of_rule(lines), fault) << lines;
    };
    expect("path = \"/a\"", "fine");
    expect("path = \"/a\"\nneeds = []", "fine");
    expect("", "r.toml:2: a rule has either path or paths");
    expect("path = \"/a\"\npaths = [\"/b\"]", "r.toml:2: a rule has either path or paths");
    expect("path = 1", "r.toml:4: path must be a text");
    expect("path = \"\"", "r.toml:4: path must be a text");
    expect("paths = [\"\"]", "r.toml:4: the path \"\" must begin with a slash");
    expect("paths = []", "r.toml:4: paths must be a list of 1 to 64 texts");
    expect("paths = [\"/a\", 1]", "r.toml:4: paths must be a list of 1 to 64 texts");
    expect("paths = [\"/a/**\", \"/a/b\"]", "r.toml:4: the path \"/a/b\" is already in the rule");
    expect("path = \"/a\"\nmethods = [\"get\"]",
           "r.toml:5: \"get\" is no method; they are written like \"GET\"");
    expect("path = \"/a\"\nhosts = [\"Shop.example\"]",
           "r.toml:5: \"Shop.example\" is no host; small letters, no port, or *.example.org");
    expect("path = \"/a\"\npresent = [\"x-a\"]",
           "r.toml:5: \"x-a\" must be \"header:NAME\" or \"cookie:NAME\"");
    expect("path = \"/a\"\nabsent = [\"cookie:a b\"]",
           "r.toml:5: \"cookie:a b\" must be \"header:NAME\" or \"cookie:NAME\"");
    expect("path = \"/a\"\nneeds = [\"inner\"]",
           "r.toml:5: \"inner\" is no need; there are outer, entry, user, admin and inside");
    expect("path = \"/a\"\nneeds = \"entry\"", "r.toml:5: needs must be a list of 1 to 64 texts");
    expect("path = \"/a\"\nneeds = [\"entry\", \"entry\"]", "r.toml:5: \"entry\" is needed twice");
    expect("path = \"/a\"\nneeds = [\"outer\"]",
           "r.toml:2: \"outer\" needs a path that captures {event}");
    expect("path = \"/a\"\nneeds = [\"user\"]\ndeny = true",
           "r.toml:2: a rule that denies needs nothing: remove needs, or deny");
    expect("path = \"/a\"\nkind = \"asset\"", "r.toml:5: kind must be \"page\" or \"api\"");
    expect("path = \"/a\"\ndeny = 1", "r.toml:5: deny must be true or false");
    expect("path = \"/a\"\nneeds = [\"entry\"]\nbody_event = \"eventId\"", "fine");
    expect("path = \"/a/{event}\"\nneeds = [\"user\", \"entry\"]\nbody_event = \"id\"", "fine");
    expect("path = \"/a\"\nneeds = [\"user\"]\nbody_event = \"eventId\"",
           "r.toml:2: body_event belongs to a rule that needs \"entry\"");
    expect("path = \"/a\"\nbody_event = \"eventId\"",
           "r.toml:2: body_event belongs to a rule that needs \"entry\"");
    expect("path = \"/a\"\nneeds = [\"entry\"]\nbody_event = true",
           "r.toml:6: body_event must be a text");
    expect("path = \"/a\"\nneeds = [\"entry\"]\nbody_event = \"\\u00e9\"",
           "r.toml:6: body_event is the name of a member: visible ASCII characters");
    expect("paths = [\"/a/{event}\", \"/b\"]",
           "r.toml:2: either all paths of a rule capture {event}, or none does");
    expect("path = \"/api/v1/a\"",
           "r.toml:4: the path \"/api/v1/a\" names the version; write /api/… for /api/v1/…, too");
}

TEST(RuleFile, ReadsTicketsRoomsAndRefusals) {
    const auto expect = [](const std::string& lines, const std::string& fault) {
        EXPECT_EQ(fault_of_rule("path = \"/a\"\n" + lines), fault) << lines;
    };
    const std::string inside = "needs = [\"inside\"]\nticket = \"header:token\"\n";
    expect(inside, "fine");
    expect(inside + "room = \"sale\"", "fine");
    expect("needs = [\"inside\"]\nticket = \"cookie:t\"\nroom = \"sale\"", "fine");
    expect(inside + "refusal = { status = 401, body = '{\"no\":\"접근\"}' }", "fine");
    const std::string together = "r.toml:2: \"inside\" and ticket = \"header:NAME\" go together";
    expect("needs = [\"inside\"]", together);
    expect("needs = [\"user\"]\nticket = \"header:token\"", together);
    expect("needs = [\"inside\"]\nticket = \"token\"",
           "r.toml:6: \"token\" must be \"header:NAME\" or \"cookie:NAME\"");
    expect("room = \"sale\"",
           "r.toml:2: a room is for a rule that needs something and captures no {event}");
    expect("needs = [\"user\"]\nroom = \"" + std::string(256, 'r') + '"',
           "r.toml:2: the name of the room is too long");
    expect(inside + "redirect = \"/q\"\nrefusal = { status = 401, body = \"{}\" }",
           "r.toml:2: a rule has either redirect or refusal");
    expect("refusal = { status = 401, body = \"{}\" }",
           "r.toml:2: a rule that refuses nobody has no refusal");
    for (const char* bad : {"1", "{ status = 401 }", "{ status = 200, body = \"{}\" }",
                            "{ status = 403, body = \"{}\", x = 1 }"})
        expect(inside + "refusal = " + bad,
               "r.toml:7: refusal must be { status = 401, body = \"…\" }, with 401 or 403");
    for (const char* bad : {"'no'", "'[]'", "\"{\\n}\"", "\"{\\\"a\\\":\\\"\\u0001\\\"}\""})
        expect(
            inside + "refusal = { status = 401, body = " + bad + " }",
            "r.toml:7: the body of a refusal is a JSON object in one line of at most 1024 bytes");
}

TEST(RuleFile, RefusesRedirectsThatLeadAstray) {
    const auto expect = [](const std::string& redirect, const std::string& fault) {
        EXPECT_EQ(fault_of_rule("path = \"/a\"\nneeds = [\"entry\"]\nredirect = " + redirect),
                  fault);
    };
    const auto expect_holes = [](const std::string& redirect) {
        EXPECT_EQ(
            fault_of_rule("path = \"/a/{event}\"\nneeds = [\"entry\"]\nredirect = " + redirect),
            "r.toml:6: a redirect may hold {event}, and no other braces");
    };
    expect("\"/q\"", "fine");
    expect("\"https://wait.example/q\"", "fine");
    expect("{ entry = \"/q\" }", "fine");
    expect("\"/q/{event}\"",
           "r.toml:2: the redirect uses {event}, which the path does not capture");
    expect("{ user = \"/q\" }", "r.toml:6: the rule does not need \"user\"");
    for (const char* holes : {"/q/{room}", "/q/{ev{event}ent}", "/q/{event", "/q/}{event}"})
        expect_holes('"' + std::string(holes) + '"');
    expect("1", "r.toml:6: redirect must be a text");
    for (const char* astray : {"//evil.example", "http://plain.example", "javascript:alert(1)", "q",
                               "/a b", "/\\\\evil.example"})
        expect('"' + std::string(astray) + '"',
               "r.toml:6: a redirect begins with one slash or with https://, and has no spaces");
    EXPECT_EQ(fault_of_rule("path = \"/a\"\nredirect = \"/q\""),
              "r.toml:5: a rule that refuses nobody has no redirect");
}

TEST(RuleFile, RefusesRulesThatNeverDecide) {
    const auto two = [](const std::string& first, const std::string& second) {
        return fault_of_rule(first + "\n[[rule]]\nname = \"two\"\n" + second);
    };
    const std::string hidden =
        "r.toml:5: the rule \"two\" never decides: \"one\" in line 2 takes all it fits";
    EXPECT_EQ(two("path = \"/a\"", "path = \"/a\""), hidden);
    EXPECT_EQ(two("path = \"/a/**\"", "path = \"/a/{event}\"\nmethods = [\"GET\"]"), hidden);
    EXPECT_EQ(two("path = \"/a\"", "path = \"/a\"\npresent = [\"header:x\"]"), hidden);
    EXPECT_EQ(two("paths = [\"/a\", \"/b\"]", "path = \"/b\""), hidden);
    EXPECT_EQ(two("path = \"/a\"", "path = \"/b\""), "fine");
    const std::string get = "path = \"/a\"\nmethods = [\"GET\"]";
    EXPECT_EQ(fault_of_rule(get + "\n[[rule]]\nname = \"two\"\npath = \"/a\""), "fine");
    EXPECT_EQ(fault_of_rule("path = \"/a\"\nhosts = [\"x\"]\n[[rule]]\nname = \"two\"\n"
                            "path = \"/a\"\nhosts = [\"y\"]"),
              "fine");
    EXPECT_EQ(fault_of_rule("path = \"/a\"\n[[rule]]\nname = \"one\"\npath = \"/b\""),
              "r.toml:6: the name \"one\" is taken by line 2");
    EXPECT_EQ(fault_of(head + "[[rule]]\nname = \"one\"\npath = \"/a/**\"\n"),
              "r.toml:2: the last rule must fit everything: path = \"/**\", and no conditions");
}

TEST(RuleFile, TheBuiltInRulesAreSound) {
    EXPECT_EQ(default_rules().list.size(), 12u);
    EXPECT_FALSE(default_rules().redirect_api);
    EXPECT_FALSE(default_rules().anonymous_entry);
    EXPECT_TRUE(compat_rules().redirect_api);
    EXPECT_TRUE(compat_rules().anonymous_entry);
    EXPECT_EQ(default_rules().list.back().name, "everything else");
}

} // namespace
} // namespace anteroom::gate
