// What the table of tests/gate does not say: which questions the witness is asked, reasons for
// people, hosts, conditions, events that are no UUIDs.
#include "gate/decide.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace anteroom::gate {
namespace {

constexpr std::string_view id = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";

class TestWitness : public Witness {
  public:
    bool active = true;
    std::optional<User> who;
    ShownPass outer{.why = "expired"};
    ShownPass entry{.why = "wrong_room"};
    ShownPass ticket{.why = "not_inside"};
    std::vector<std::string> asked;

    bool outer_line_active(std::string_view event) override {
        asked.push_back("active " + std::string(event));
        return active;
    }
    std::optional<User> user() override {
        asked.emplace_back("user");
        return who;
    }
    ShownPass outer_pass(std::string_view token, std::string_view event) override {
        asked.push_back("outer " + std::string(token) + ' ' + std::string(event));
        return outer;
    }
    ShownPass entry_pass(std::string_view token, std::optional<std::string_view> event) override {
        asked.push_back("entry " + std::string(token) + ' ' + std::string(event.value_or("any")));
        return entry;
    }
    ShownPass inside(std::string_view token, std::optional<std::string_view> event) override {
        asked.push_back("inside " + std::string(token) + ' ' + std::string(event.value_or("any")));
        return ticket;
    }
};

Rules rules_of(const std::string& lines) {
    Result<Rules> rules = read_rules("version = 1\n[[rule]]\nname = \"one\"\n" + lines +
                                         "\n[[rule]]\nname = \"rest\"\npath = \"/**\"\n",
                                     "r.toml");
    if (!rules) ADD_FAILURE() << rules.fault().reason;
    return *std::move(rules);
}

struct Asking {
    std::string_view method = "GET";
    std::string_view host = "shop.example";
    std::vector<net::Header> headers = {};
};

Decision ask(const Rules& rules, std::string_view target, Witness& witness,
             const Asking& asking = {}) {
    return decide(
        rules,
        {.method = asking.method, .host = asking.host, .target = target, .headers = asking.headers},
        witness);
}

std::string path_of(std::string_view before, std::string_view behind = "") {
    return std::string(before) + std::string(id) + std::string(behind);
}

TEST(Decide, AsksNothingThatTheRuleDoesNotNeed) {
    TestWitness witness;
    EXPECT_EQ(ask(default_rules(), "/assets/x.css", witness).verdict, Verdict::pass);
    EXPECT_EQ(ask(default_rules(), "/a/../b", witness).verdict, Verdict::bad_request);
    EXPECT_TRUE(witness.asked.empty());
    witness.active = false;
    EXPECT_EQ(ask(default_rules(), path_of("/events/"), witness).verdict, Verdict::pass);
    EXPECT_EQ(witness.asked, std::vector<std::string>{path_of("active ")});
}

TEST(Decide, WhoHoldsATicketMustBeInside) {
    const Rules rules = rules_of(
        "path = \"/api/seats\"\nneeds = [\"inside\"]\nticket = \"header:token\"\nroom = \"hall\"\n"
        "refusal = { status = 401, body = '{\"result\":\"ERROR\"}' }");
    TestWitness witness;
    const Decision without = ask(rules, "/api/seats", witness);
    EXPECT_EQ(without.status, 401);
    EXPECT_EQ(refusal_body(without), R"({"result":"ERROR"})");
    EXPECT_TRUE(witness.asked.empty());

    const Asking shown{.headers = {{"Token", " t1 "}}};
    const Decision outside = ask(rules, "/api/v1/seats", witness, shown);
    EXPECT_EQ(outside.verdict, Verdict::refuse);
    EXPECT_EQ(outside.detail, "not_inside");
    EXPECT_EQ(witness.asked, (std::vector<std::string>{"user", "inside t1 hall"}));

    witness.ticket = {.valid = true, .event = "hall", .visitor = "7"};
    EXPECT_EQ(ask(rules, "/api/seats", witness, shown).verdict, Verdict::pass);
    EXPECT_EQ(ask(rules, "/api/seats", witness, shown).event.view(), "hall");
    witness.who = User{.id = "8", .role = "user"};
    EXPECT_EQ(ask(rules, "/api/seats", witness, shown).reason, "the ticket is somebody else's");
    witness.ticket.visitor = ""; // It does not say whose it is.
    EXPECT_EQ(ask(rules, "/api/seats", witness, shown).verdict, Verdict::pass);
    witness.ticket = {.is_untold = true, .why = "unavailable"};
    const Decision later = ask(rules, "/api/seats", witness, shown);
    EXPECT_EQ(later.verdict, Verdict::refuse);
    EXPECT_EQ(later.status, 503) << "not in the rule's own words";
    EXPECT_EQ(refusal_body(later), R"({"error":"Try again later"})");
    const Asking twice{.headers = {{"token", "t1"}, {"token", "t2"}}};
    witness.ticket = {.why = "malformed"};
    EXPECT_EQ(ask(rules, "/api/seats", witness, twice).verdict, Verdict::refuse);
}

TEST(Decide, ATicketMayBeInACookieAndARedirectFollow) {
    const Rules rules = rules_of(
        "path = \"/in/{event}\"\nneeds = [\"inside\"]\n"
        "ticket = \"cookie:place\"\nredirect = \"/wait/{event}\"");
    TestWitness witness;
    const Asking shown{.headers = {{"cookie", "a=b; place=t1"}}};
    EXPECT_EQ(ask(rules, "/in/x", witness, shown).location, "/wait/x");
    EXPECT_EQ(witness.asked.back(), "inside t1 x");
    witness.ticket = {.valid = true, .event = "x"};
    EXPECT_EQ(ask(rules, "/in/x", witness, shown).verdict, Verdict::pass);
}

TEST(Decide, AsksForTheEventInSmallLetters) {
    TestWitness witness;
    witness.outer = {.valid = true, .event = id, .visitor = "v"};
    const Decision decision =
        ask(default_rules(), "/Events/AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE/seats", witness,
            {.headers = {{"x-vwr-token", "t"}}});
    EXPECT_EQ(decision.verdict, Verdict::pass);
    EXPECT_EQ(decision.event.view(), id);
    EXPECT_EQ(witness.asked, (std::vector<std::string>{path_of("active "), path_of("outer t ")}));
}

TEST(Decide, SaysWhyInWords) {
    TestWitness witness;
    const Decision page = ask(default_rules(), path_of("/events/"), witness);
    EXPECT_EQ(page.verdict, Verdict::redirect);
    EXPECT_EQ(page.status, 302);
    EXPECT_EQ(page.location, path_of("/vwr/"));
    EXPECT_EQ(page.rule->name, "event page");
    EXPECT_EQ(page.reason, "the outer line is active and no outer pass was shown");
    const Decision expired = ask(default_rules(), path_of("/events/"), witness,
                                 {.headers = {{"Cookie", "a=b; urr-vwr-token=t"}}});
    EXPECT_EQ(expired.reason, "the outer pass is not valid");
    EXPECT_EQ(expired.detail, "expired");
    const Decision bad = ask(default_rules(), "/a;b", witness);
    EXPECT_EQ(refusal_body(bad), R"({"error":"Bad request"})");
    EXPECT_EQ(bad.detail, "a path parameter");
    EXPECT_EQ(bad.rule, nullptr);
}

TEST(Decide, AnEntryPassCountsForItsVisitorOnly) {
    TestWitness witness;
    witness.entry = {.valid = true, .event = "sale", .visitor = "ann"};
    const Asking shown{.method = "POST", .headers = {{"x-queue-entry-token", "t"}}};
    const auto decision = [&] {
        return ask(default_rules(), "/api/seats/reserve", witness, shown);
    };
    EXPECT_EQ(decision().reason, "an entry pass was shown, but nobody is logged in");
    EXPECT_EQ(refusal_body(decision()),
              R"({"error":"Queue entry token required","redirectTo":"/queue"})");
    witness.who = User{.id = "eve", .role = "user"};
    EXPECT_EQ(decision().reason, "the entry pass is somebody else's");
    witness.who = User{.id = "", .role = "admin"};
    EXPECT_EQ(decision().verdict, Verdict::refuse);
    witness.who = User{.id = "ann", .role = "user"};
    EXPECT_EQ(decision().verdict, Verdict::pass);
    EXPECT_EQ(decision().event.view(), "sale");
    EXPECT_EQ(decision().user, "ann");
    witness.entry.visitor = "";
    witness.who = User{.id = "ann", .role = ""};
    EXPECT_EQ(decision().verdict, Verdict::refuse);
    witness.entry = {.is_untold = true, .why = "unavailable"};
    EXPECT_EQ(decision().verdict, Verdict::refuse);
    EXPECT_EQ(decision().status, 503) << "the visit may last";
    EXPECT_EQ(refusal_body(decision()), R"({"error":"Try again later"})");
}

TEST(Decide, UsersAndAdminsAreToldApart) {
    const Rules rules = rules_of("path = \"/me\"\nneeds = [\"user\"]\nredirect = \"/login\"");
    TestWitness witness;
    EXPECT_EQ(ask(rules, "/me", witness).location, "/login");
    EXPECT_EQ(ask(rules, "/me", witness).status, 302);
    const auto admin = [&] { return ask(default_rules(), "/api/admin/x", witness); };
    EXPECT_EQ(admin().status, 401);
    EXPECT_EQ(refusal_body(admin()), R"({"error":"Authentication required"})");
    witness.who = User{.id = "ann", .role = "user"};
    EXPECT_EQ(ask(rules, "/me", witness).verdict, Verdict::pass);
    EXPECT_EQ(admin().status, 403);
    EXPECT_EQ(refusal_body(admin()), R"({"error":"Admin role required"})");
    witness.who = User{.id = "ann", .role = "ADMIN"};
    EXPECT_EQ(admin().verdict, Verdict::pass);
}

TEST(Decide, RulesLookAtHostMethodHeaderAndCookie) {
    const Rules rules = rules_of(
        "path = \"/x\"\ndeny = true\nmethods = [\"GET\"]\nhosts = [\"a.example\", \"*.b.example\"]\n"
        "present = [\"header:x-y\"]\nabsent = [\"cookie:z\"]");
    TestWitness witness;
    const auto denied = [&](std::string_view method, std::string_view host,
                            std::vector<net::Header> headers) {
        return ask(rules, "/x", witness,
                   {.method = method, .host = host, .headers = std::move(headers)})
                   .verdict == Verdict::refuse;
    };
    const std::vector<net::Header> fits{{"X-Y", ""}, {"cookie", "zz=1"}};
    EXPECT_TRUE(denied("GET", "A.example:443", fits));
    EXPECT_TRUE(denied("GET", "a.example.", fits));
    EXPECT_TRUE(denied("GET", "c.b.example", fits));
    EXPECT_FALSE(denied("GET", "b.example", fits));
    EXPECT_FALSE(denied("GET", "evil-a.example", fits));
    EXPECT_FALSE(denied("GET", "[::1]:80", fits));
    EXPECT_FALSE(denied("POST", "a.example", fits));
    EXPECT_FALSE(denied("get", "a.example", fits));
    EXPECT_FALSE(denied("GET", "a.example", {}));
    EXPECT_FALSE(denied("GET", "a.example", {{"x-y", "1"}, {"cookie", "a=b; z=1"}}));
}

TEST(Decide, DenialsAreSaidAndMayLeadSomewhere) {
    TestWitness witness;
    const Rules denying = rules_of("path = \"/x\"\ndeny = true");
    const Decision plain = ask(denying, "/x", witness);
    EXPECT_EQ(plain.status, 403);
    EXPECT_EQ(refusal_body(plain), R"({"error":"Forbidden"})");
    const Rules leading =
        rules_of("path = \"/x/{event}\"\ndeny = true\nredirect = \"/sorry/{event}\"");
    EXPECT_EQ(ask(leading, "/x/%22a%20b%C3%A9'", witness).location, "/sorry/%22a%20b%C3%A9%27");
    EXPECT_EQ(ask(leading, "/X/y", witness).status, 302);
    const Rules api = rules_of("path = \"/x\"\ndeny = true\nkind = \"api\"\nredirect = \"/sorry\"");
    EXPECT_EQ(refusal_body(ask(api, "/x", witness)),
              R"({"error":"Forbidden","redirectTo":"/sorry"})");
}

TEST(Decide, TheHeaderCountsBeforeTheCookieAndOnlyOnce) {
    TestWitness witness;
    const auto shown = [&](std::vector<net::Header> headers) {
        witness.asked.clear();
        ask(default_rules(), "/api/tickets", witness, {.headers = std::move(headers)});
        return witness.asked.empty() ? "nothing" : witness.asked.back();
    };
    EXPECT_EQ(shown({}), "nothing");
    EXPECT_EQ(shown({{"cookie", "urr-entry-token=c"}}), "entry c any");
    EXPECT_EQ(shown({{"cookie", "tiketi-entry-token=d"}}), "entry d any");
    EXPECT_EQ(shown({{"cookie", "tiketi-entry-token=d; urr-entry-token=c"}}), "entry c any");
    EXPECT_EQ(shown({{"cookie", "urr-entry-token=c"}, {"X-Queue-Entry-Token", "h"}}),
              "entry h any");
    EXPECT_EQ(shown({{"cookie", "urr-entry-token=c"}, {"x-queue-entry-token", " "}}),
              "entry c any");
    EXPECT_EQ(shown({{"x-queue-entry-token", "h"}, {"x-queue-entry-token", "h"}}), "entry , any");
}

} // namespace
} // namespace anteroom::gate
