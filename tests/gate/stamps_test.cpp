// Edge stamps as the server reads and writes them; edge.test.mjs holds the edge files to the same
// table.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "gate/edge_stamp.h"

namespace anteroom::gate {
namespace {

namespace json = boost::json;

class Stamps : public ::testing::Test {
  protected:
    static std::string text(const json::value& row, std::string_view name) {
        return std::string(row.at(name).as_string());
    }
    static std::vector<std::string> texts(const json::value& list) {
        std::vector<std::string> out;
        for (const json::value& one : list.as_array()) out.emplace_back(one.as_string());
        return out;
    }
    static json::value load() {
        std::ifstream file(ANTEROOM_STAMPS, std::ios::binary);
        return json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
    }

    // One request of the table with these stamps.
    StampFault check(const json::value& row, const std::vector<std::string>& values,
                     token::UnixSeconds now) const {
        const std::string method = text(row, "method"), host = text(row, "host"),
                          target = text(row, "target");
        std::vector<net::Header> headers{{"Accept", "*/*"}};
        for (const std::string& value : values) headers.push_back({"X-Cloudfront-VERIFIED", value});
        return keys_.check({.method = method, .host = host, .target = target, .headers = headers},
                           now);
    }

    const json::value table_ = load();
    const token::UnixSeconds now_{table_.at("now").as_int64()};
    const EdgeKeys keys_ = *EdgeKeys::from_texts(texts(table_.at("keys")));
};

TEST_F(Stamps, AreWrittenAsTheTableSays) {
    for (const json::value& row : table_.at("stamps").as_array()) {
        SCOPED_TRACE(text(row, "name"));
        const json::value* seconds = row.as_object().if_contains("seconds");
        const token::UnixSeconds at{seconds ? seconds->as_int64() : now_.count};
        const std::string method = text(row, "method"), host = text(row, "host"),
                          target = text(row, "target"), stamp = text(row, "stamp");
        EXPECT_EQ(keys_.stamp_testing(
                      {.method = method, .host = host, .target = target, .headers = {}}, at),
                  stamp);
        EXPECT_EQ(check(row, {stamp}, at), StampFault::none);
        // A server's request has its query apart.
        const std::size_t mark = target.find('?');
        if (mark == target.npos) continue;
        const std::string path = target.substr(0, mark), query = target.substr(mark + 1);
        EXPECT_EQ(
            keys_.stamp_testing(
                {.method = method, .host = host, .target = path, .query = query, .headers = {}},
                at),
            stamp);
    }
}

TEST_F(Stamps, AreReadAsTheTableSays) {
    std::set<std::string> names;
    std::size_t attacks = 0;
    for (const json::value& row : table_.at("checks").as_array()) {
        SCOPED_TRACE(text(row, "name"));
        EXPECT_EQ(name(check(row, texts(row.at("values")), now_)), text(row, "fault"));
        EXPECT_TRUE(names.insert(text(row, "name")).second);
        if (!text(row, "name").starts_with("attack")) continue;
        ++attacks;
        EXPECT_NE(text(row, "fault"), "none");
    }
    EXPECT_GE(attacks, 40u);
}

TEST_F(Stamps, EveryBitCounts) {
    const json::value& row = table_.at("stamps").at(0);
    const std::string stamp = text(row, "stamp");
    ASSERT_EQ(check(row, {stamp}, now_), StampFault::none);
    for (std::size_t at = 0; at < stamp.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string spoilt = stamp;
            spoilt[at] = static_cast<char>(spoilt[at] ^ (1 << bit));
            EXPECT_NE(check(row, {spoilt}, now_), StampFault::none) << spoilt;
        }
}

TEST_F(Stamps, WeakAndRepeatedSecretsAreRefused) {
    const auto fault = [](const std::vector<std::string>& secrets) {
        const Result<EdgeKeys> keys = EdgeKeys::from_texts(secrets);
        return keys ? std::string() : keys.fault().reason;
    };
    const std::string good = texts(table_.at("keys")).front();
    EXPECT_EQ(fault({}), "there is no secret");
    EXPECT_NE(fault({"short"}).find("at least 32 bytes"), std::string::npos);
    EXPECT_EQ(fault({std::string(40, 'a')}), "the secret is too regular to be one");
    EXPECT_EQ(fault({good, good}), "the same secret is there twice");
    EXPECT_EQ(fault({good}), "");
    std::vector<std::string> many;
    for (char c = 'a'; c < 'f'; ++c) many.push_back(good + c);
    EXPECT_EQ(fault(many), "there are more than 4 secrets");
}

} // namespace
} // namespace anteroom::gate
