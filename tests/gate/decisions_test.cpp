// The server's own decision against the table; edge.test.mjs holds the edge files to the same one.
#include <gtest/gtest.h>

#include <set>

#include "gate/decide.h"
#include "gate/key_witness.h"
#include "tests/gate/table.h"

namespace anteroom::gate {
namespace {

namespace json = boost::json;

std::string text_of(const json::object& row, std::string_view name,
                    std::string_view otherwise = "") {
    const json::value* value = row.if_contains(name);
    return value ? std::string(value->as_string()) : std::string(otherwise);
}

// What a row's request holds; a question looks into it.
struct Sent {
    std::vector<std::pair<std::string, std::string>> pairs;
    std::vector<net::Header> headers;
};

class Desk {
  public:
    explicit Desk(const Table& table) : table_(table) {}

    void check(const json::object& row) {
        SCOPED_TRACE(text_of(row, "name"));
        const TableKeys keys =
            text_of(row, "keys") == "ed25519" ? TableKeys::ed25519 : TableKeys::hs256;
        const Sent sent = send(row, keys);
        const std::string method = text_of(row, "method");
        const std::string target = text_of(row, "target");
        const std::string host = text_of(row, "host", "shop.example");
        const std::string body = text_of(row, "body");
        Question question{
            .method = method, .host = host, .target = target, .headers = sent.headers};
        if (row.contains("body")) question.body = body;
        KeyWitness witness(keys == TableKeys::hs256 ? hs256_ : ed25519_, table_.now(), active(row));
        witness.read_user(question, text_of(row, "logins") == "ruled" ? ruled_ : logins_);
        const Rules& rules = table_.rules(text_of(row, "rules"));
        compare(decide(rules, question, witness), row.at("expect").as_object());
    }

  private:
    static std::vector<std::string> active(const json::object& row) {
        std::vector<std::string> events;
        if (const json::value* list = row.if_contains("active"))
            for (const json::value& one : list->as_array()) events.emplace_back(one.as_string());
        return events;
    }

    Sent send(const json::object& row, TableKeys keys) const {
        Sent sent;
        const auto each = [&](std::string_view name, auto visit) {
            const json::value* list = row.if_contains(name);
            if (!list) return;
            for (const json::value& pair : list->as_array())
                visit(std::string(pair.at(0).as_string()), table_.token(pair.at(1), keys));
        };
        each("headers", [&](std::string name, std::string value) {
            sent.pairs.emplace_back(std::move(name), std::move(value));
        });
        std::string cookies;
        each("cookies", [&](const std::string& name, const std::string& value) {
            cookies += (cookies.empty() ? "" : "; ") + name + '=' + value;
        });
        if (!cookies.empty()) sent.pairs.emplace_back("Cookie", cookies);
        if (row.contains("user")) sent.pairs.emplace_back("Authorization", "Bearer " + login(row));
        for (const auto& [name, value] : sent.pairs) sent.headers.push_back({name, value});
        return sent;
    }

    std::string login(const json::object& row) const {
        const json::object described{
            {"key", "access"},
            {"claims", R"({"userId":")" + text_of(row, "user") + R"(","role":")" +
                           text_of(row, "role") +
                           R"(","type":"access","iat":1700000000,"exp":1700001800})"}};
        return table_.token(described, TableKeys::hs256);
    }

    static void compare(const Decision& decision, const json::object& expected) {
        EXPECT_EQ(name(decision.verdict), text_of(expected, "verdict"));
        EXPECT_EQ(decision.status, expected.at("status").as_int64());
        EXPECT_EQ(decision.rule ? decision.rule->name : "", text_of(expected, "rule"));
        EXPECT_EQ(decision.location, text_of(expected, "location"));
        if (expected.contains("error")) {
            EXPECT_EQ(decision.error, text_of(expected, "error"));
        }
        EXPECT_FALSE(decision.reason.empty());
    }

    const Table& table_;
    token::PassVerifier hs256_{table_.ring(TableKeys::hs256)};
    token::PassVerifier ed25519_{table_.ring(TableKeys::ed25519)};
    token::AccessVerifier logins_{*token::AccessVerifier::from_secret(table_.secret("access"))};
    token::AccessVerifier ruled_{
        *token::AccessVerifier::from_secret(table_.secret("access"), table_.access_rules())};
};

TEST(Decisions, TheServerDecidesAsTheTableSays) {
    const Table table = Table::load(ANTEROOM_DECISIONS);
    Desk desk(table);
    std::set<std::string> names;
    std::size_t attacks = 0;
    for (const json::value& row : table.rows()) {
        desk.check(row.as_object());
        const std::string name = text_of(row.as_object(), "name");
        EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
        if (!name.starts_with("attack")) continue;
        ++attacks;
        EXPECT_NE(row.at("expect").at("verdict").as_string(), "pass") << name;
    }
    EXPECT_GE(names.size(), 350u);
    EXPECT_GE(attacks, 100u);
}

TEST(Decisions, EveryRuleDecidesARow) {
    const Table table = Table::load(ANTEROOM_DECISIONS);
    std::set<std::string> decided;
    for (const json::value& row : table.rows())
        decided.insert(text_of(row.as_object(), "rules", "default") + ' ' +
                       text_of(row.at("expect").as_object(), "rule"));
    for (const std::string name : {"default", "compat", "every_key"})
        for (const Rule& rule : table.rules(name).list)
            EXPECT_TRUE(decided.contains(name + ' ' + rule.name)) << name << ": " << rule.name;
}

} // namespace
} // namespace anteroom::gate
