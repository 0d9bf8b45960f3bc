#include "app/foreign_names.h"

#include <gtest/gtest.h>

#include <set>

#include "app/config_keys.h"

namespace anteroom::app {
namespace {

using Lines = std::vector<std::string>;

Lines warnings(std::vector<const char*> environment) {
    environment.push_back(nullptr);
    return foreign_warnings(load_config("", environment.data()), environment.data());
}

TEST(ForeignNames, OneLineForEachNameThatIsNotUsed) {
    EXPECT_EQ(warnings({"PATH=/bin", "QUEUE_THRESHOLD=7", "REDIS_HOSTNAME=x", "HOME"}), Lines{});
    EXPECT_EQ(
        warnings({"SQS_ENABLED=true", "REDIS_HOST=hidden"}),
        (Lines{"the environment variable REDIS_HOST is not used: name Redis in store.url, such as "
               "redis://HOST:PORT; without it rooms are in a folder",
               "the environment variable SQS_ENABLED is not used: this version sends no messages "
               "to SQS"}));
}

TEST(ForeignNames, NothingIsSaidOfWhatIsEmptyCommonOrOfASystemThatIsNotEnabled) {
    EXPECT_EQ(warnings({"REDIS_HOST=", "AWS_REGION=ap-northeast-2"}), Lines{});
    EXPECT_EQ(warnings({"ANTEROOM_DIALECTS_ENABLED=hhplus", "REDIS_HOST=h", "LOG_LEVEL=info"}),
              Lines{});
    EXPECT_EQ(warnings({"ANTEROOM_DIALECTS_ENABLED=hhplus", "SPRING_DATA_REDIS_HOST=h"}).size(),
              1u);
}

TEST(ForeignNames, NothingIsSaidOnceTheSettingIsGiven) {
    EXPECT_EQ(warnings({"LOG_LEVEL=info"}).size(), 1u);
    EXPECT_EQ(warnings({"LOG_LEVEL=info", "ANTEROOM_LOG_LEVEL=debug"}), Lines{});
    EXPECT_EQ(warnings({"REDIS_HOST=h", "ANTEROOM_STORE_URL=redis://h"}), Lines{});
    EXPECT_EQ(warnings({"REDIS_HOST=h", "ANTEROOM_STORE_URL=embedded:x"}).size(), 1u);
}

TEST(ForeignNames, ValuesAreNeverShownAndThereAreAtMostTenLines) {
    Lines entries;
    for (const UnusedName& row : unused_names())
        entries.push_back(std::string(row.name->variable) + "=hidden");
    for (const std::size_t count : {std::size_t{10}, std::size_t{11}, entries.size()}) {
        std::vector<const char*> environment;
        for (std::size_t i = 0; i < count; ++i) environment.push_back(entries[i].c_str());
        const Lines lines = warnings(environment);
        EXPECT_EQ(lines.size(), warnings_max) << count;
        std::string all;
        for (const std::string& line : lines) all += line + '\n';
        EXPECT_EQ(all.find("hidden"), std::string::npos);
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_EQ(all.find(unused_names()[i].name->variable) == std::string::npos,
                      unused_names()[i].name->is_common)
                << unused_names()[i].name->variable;
    }
}

TEST(ForeignNames, TheTablesNameSettingsThatExistAndNoNameTwice) {
    std::set<std::string_view> taken, unused;
    for (const NameOfSystem& row : original_names()) {
        EXPECT_NE(find_key(row.name->section, row.name->name), nullptr) << row.name->variable;
        taken.insert(row.name->variable);
    }
    for (const UnusedName& row : unused_names()) {
        const ForeignName& name = *row.name;
        EXPECT_TRUE(unused.insert(name.variable).second) << name.variable;
        EXPECT_FALSE(taken.contains(name.variable)) << name.variable;
        if (name.setting.empty()) continue;
        const std::size_t dot = name.setting.find('.');
        EXPECT_NE(find_key(name.setting.substr(0, dot), name.setting.substr(dot + 1)), nullptr)
            << name.setting;
    }
}

} // namespace
} // namespace anteroom::app
