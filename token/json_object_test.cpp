#include "token/json_object.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace anteroom::token {
namespace {

struct Parsed {
    explicit Parsed(std::string_view text) : buffer(text), fault(object.parse(buffer)) {}
    std::string buffer;
    JsonObject object;
    JsonFault fault;
};

TEST(JsonObject, KeepsMembersInOrderWithTheirKinds) {
    const Parsed parsed(
        R"( {"a":"x" , "b":12,"c":-3,"d":1.5,"e":true,"f":null,"g":[1,{"z":2}],"h":{}} )");
    ASSERT_EQ(parsed.fault, JsonFault::none);
    ASSERT_EQ(parsed.object.members().size(), 8u);
    EXPECT_EQ(parsed.object.find("a")->text, "x");
    EXPECT_EQ(parsed.object.find("b")->integer, 12);
    EXPECT_EQ(parsed.object.find("b")->text, "12");
    EXPECT_EQ(parsed.object.find("c")->integer, -3);
    EXPECT_EQ(parsed.object.find("d")->kind, JsonKind::number);
    EXPECT_EQ(parsed.object.find("e")->kind, JsonKind::boolean);
    EXPECT_EQ(parsed.object.find("e")->integer, 1);
    EXPECT_EQ(parsed.object.find("f")->kind, JsonKind::null);
    EXPECT_EQ(parsed.object.find("g")->kind, JsonKind::array);
    EXPECT_EQ(parsed.object.find("h")->kind, JsonKind::object);
    EXPECT_EQ(parsed.object.find("i"), nullptr);
}

TEST(JsonObject, OnlyWholeNumbersOf64BitsAreIntegers) {
    const Parsed parsed(
        R"({"max":9223372036854775807,"over":9223372036854775808,"exp":1e3,"zero":-0,"min":-9223372036854775808})");
    ASSERT_EQ(parsed.fault, JsonFault::none);
    EXPECT_EQ(parsed.object.find("max")->kind, JsonKind::integer);
    EXPECT_EQ(parsed.object.find("min")->kind, JsonKind::integer);
    EXPECT_EQ(parsed.object.find("over")->kind, JsonKind::number);
    EXPECT_EQ(parsed.object.find("exp")->kind, JsonKind::number);
    EXPECT_EQ(parsed.object.find("zero")->kind, JsonKind::number);
}

TEST(JsonObject, DecodesEscapesInPlace) {
    const Parsed parsed(R"({"s\u0075b":"a\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00z"})");
    ASSERT_EQ(parsed.fault, JsonFault::none);
    EXPECT_EQ(parsed.object.find("sub")->text, "a\"\\/\b\f\n\r\té€😀z");
}

TEST(JsonObject, LeavesNestedValuesAsTheyStand) {
    constexpr std::string_view nested = R"( [ "a\n\u00e9" , {"k\u0065y":["\\",1]} ] )";
    const Parsed parsed("{\"\\u0061\":" + std::string(nested) + ",\"b\":\"\\u0062\",\"c\":{}}");
    ASSERT_EQ(parsed.fault, JsonFault::none);
    EXPECT_EQ(parsed.object.find("a")->text, nested.substr(1, nested.size() - 2));
    EXPECT_EQ(parsed.object.find("b")->text, "b");
    EXPECT_EQ(parsed.object.find("c")->text, "{}");

    std::string array(parsed.object.find("a")->text);
    std::vector<JsonValue> elements;
    ASSERT_EQ(parse_json_array(array, 2, elements), JsonFault::none);
    ASSERT_EQ(elements.size(), 2u);
    EXPECT_EQ(elements[0].text, "a\né");
    const Parsed inner(elements[1].text);
    ASSERT_EQ(inner.fault, JsonFault::none);
    EXPECT_EQ(inner.object.find("key")->text, R"(["\\",1])");
}

TEST(JsonArray, IsOneArrayWithALimit) {
    std::vector<JsonValue> elements;
    const auto fault_of = [&](std::string text) { return parse_json_array(text, 3, elements); };
    EXPECT_EQ(fault_of(" [ ] "), JsonFault::none);
    EXPECT_EQ(fault_of("[1,2,3]"), JsonFault::none);
    EXPECT_EQ(elements.size(), 3u);
    EXPECT_EQ(fault_of("[1,2,3,4]"), JsonFault::too_many_members);
    EXPECT_TRUE(elements.empty());
    for (const char* text : {"", "{}", "[", "[1", "[1,]", "[1]x", "[1 2]", "1", "[\"\\x\"]"})
        EXPECT_EQ(fault_of(text), JsonFault::malformed) << text;
    EXPECT_EQ(fault_of(std::string(json_depth_max + 1, '[')), JsonFault::too_deep);
}

TEST(JsonObject, RefusesWhatIsNotOneObject) {
    for (const std::string_view text : {"",
                                        " ",
                                        "[]",
                                        "1",
                                        "\"a\"",
                                        "null",
                                        "{",
                                        "}",
                                        "{}{}",
                                        "{} x",
                                        "{,}",
                                        R"({"a"})",
                                        R"({"a":})",
                                        R"({"a":1,})",
                                        R"({"a":1 "b":2})",
                                        R"({a:1})",
                                        R"({'a':1})",
                                        R"({1:1})",
                                        R"({"a":01})",
                                        R"({"a":+1})",
                                        R"({"a":.5})",
                                        R"({"a":1.})",
                                        R"({"a":1e})",
                                        R"({"a":-})",
                                        R"({"a":0x1})",
                                        R"({"a":NaN})",
                                        R"({"a":tru})",
                                        R"({"a":nul})",
                                        R"({"a":fals})",
                                        R"({"a":[1,]})",
                                        R"({"a":[1 2]})",
                                        R"({"a":[)",
                                        R"({"a":{)",
                                        R"({"a":"x)",
                                        R"({"a":"\)",
                                        R"({"a":"\x"})",
                                        R"({"a":"\u12"})",
                                        R"({"a":"\u12g4"})",
                                        R"({"a":"\u+123"})",
                                        R"({"a":"\ud800"})",
                                        R"({"a":"\ud800x"})",
                                        R"({"a":"\ud800\u0041"})",
                                        R"({"a":"\udc00"})",
                                        R"({"a":"\ud800\n"})",
                                        "{\"a\":\"\n\"}",
                                        "{\"a\":\"\x1f\"}",
                                        "{\"a\":/**/1}",
                                        "\xef\xbb\xbf{}"}) {
        const Parsed parsed(text);
        EXPECT_EQ(parsed.fault, JsonFault::malformed) << text;
        EXPECT_TRUE(parsed.object.members().empty()) << text;
    }
    EXPECT_EQ(Parsed(std::string_view("{}\0", 3)).fault, JsonFault::malformed);
}

TEST(JsonObject, RefusesTextThatIsNotUtf8) {
    for (const std::string_view bytes :
         {"\x80", "\xc0\xaf", "\xc1\xbf", "\xc3", "\xe0\x80\xaf", "\xe2\x82", "\xed\xa0\x80",
          "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xf0\x9f\x98"}) {
        EXPECT_FALSE(is_utf8(bytes));
        EXPECT_EQ(Parsed("{\"a\":\"" + std::string(bytes) + "\"}").fault, JsonFault::malformed);
    }
    for (const std::string_view text : {"", "a", "é", "€", "😀", "\xed\x9f\xbf", "\xee\x80\x80",
                                        "\xf4\x8f\xbf\xbf", "\xe0\xa0\x80", "\xf0\x90\x80\x80"})
        EXPECT_TRUE(is_utf8(text)) << text;
}

TEST(JsonObject, RefusesDuplicatesHoweverTheyAreSpelt) {
    EXPECT_EQ(Parsed(R"({"a":1,"a":1})").fault, JsonFault::duplicate_member);
    EXPECT_EQ(Parsed(R"({"a":1,"\u0061":2})").fault, JsonFault::duplicate_member);
    EXPECT_EQ(Parsed(R"({"":1,"":2})").fault, JsonFault::duplicate_member);
    EXPECT_EQ(Parsed(R"({"a":1,"A":2})").fault, JsonFault::none);
}

TEST(JsonObject, HasALimitOfMembersAndDepth) {
    const auto members = [](std::size_t count) {
        std::string text = "{";
        for (std::size_t i = 0; i < count; ++i)
            text += (i == 0 ? "\"m" : ",\"m") + std::to_string(i) + "\":0";
        return text + '}';
    };
    EXPECT_EQ(Parsed(members(json_members_max)).fault, JsonFault::none);
    EXPECT_EQ(Parsed(members(json_members_max + 1)).fault, JsonFault::too_many_members);

    const auto nested = [](std::size_t depth, char open, char close) {
        return "{\"a\":" + std::string(depth, open) + std::string(depth, close) + "}";
    };
    EXPECT_EQ(Parsed(nested(json_depth_max - 1, '[', ']')).fault, JsonFault::none);
    EXPECT_EQ(Parsed(nested(json_depth_max, '[', ']')).fault, JsonFault::too_deep);
    EXPECT_EQ(Parsed(nested(100'000, '[', ']')).fault, JsonFault::too_deep);
    std::string objects;
    for (int i = 0; i < 1'000; ++i) objects += "{\"a\":";
    EXPECT_EQ(Parsed(objects).fault, JsonFault::too_deep);
}

TEST(JsonObject, ReadsBackEveryTextThatWasWritten) {
    std::string text = "\"\\/ é€😀 \x7f";
    for (char c = 0; c < 0x20; ++c) text += c;
    std::string json = "{\"t\":";
    append_json_string(json, text);
    const Parsed parsed(json + '}');
    ASSERT_EQ(parsed.fault, JsonFault::none);
    EXPECT_EQ(parsed.object.find("t")->text, text);
}

} // namespace
} // namespace anteroom::token
