// A fifth system is a folder: it needs no change outside it but a line in the list of dialects.
#include "tests/fifth_dialect/bell.h"

#include <gtest/gtest.h>

#include "tests/server/test_server.h"

namespace anteroom::bell {
namespace {

std::shared_ptr<Dialect> open(std::string greeting) {
    const DialectSettings settings(info().name, [greeting](std::string_view name) -> FieldValue {
        return name == "greeting" ? FieldValue(greeting) : FieldValue(std::string());
    });
    return info().open(settings, {});
}

TEST(FifthDialect, AnswersInItsOwnWordsBesideTheOthers) {
    const std::shared_ptr<Dialect> bell = open("ding dong");
    TestOptions options;
    options.defaults.rules.capacity = 1;
    options.more_dialects = {bell};
    TestServer server(options);
    const auto first = server.ask("POST", "/bell/hall");
    const auto second = server.ask("POST", "/bell/hall");
    ASSERT_EQ(first.status, 201) << first.body;
    EXPECT_EQ(server.ask("GET", "/bell/hall/" + first.body).body, "ding dong");
    EXPECT_EQ(server.ask("GET", "/bell/hall/" + second.body).body, "0 before you");
    EXPECT_EQ(server.ask("GET", "/bell/hall/forged").body, "no such bell");
    EXPECT_EQ(server.ask("PUT", "/bell/hall").body, "POST");
    EXPECT_EQ(server.ask("GET", "/bell/").body, "no such bell");
    EXPECT_EQ(server.ask("GET", "/v1/rooms/hall").status, 200) << "it is the same room";
    MetricText text;
    bell->write_metrics(text, server.service);
    EXPECT_NE(text.take().find("bell_rings_total 2\n"), std::string::npos);
}

TEST(FifthDialect, TellsEverythingElseInOneConstant) {
    EXPECT_EQ(std::get<std::string>(usual_value(info().settings[0])), "ding");
    EXPECT_EQ(info().plans[0].poll_after_seconds(1'000), 7);
    EXPECT_EQ(info().original_names[0].variable, "BELL_GREETING");
}

} // namespace
} // namespace anteroom::bell
