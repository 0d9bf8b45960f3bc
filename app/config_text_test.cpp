#include "app/config_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "app/config_keys.h"
#include "app/exit_codes.h"
#include "app/foreign_names.h"
#include "app/metric_families.h"
#include "app/test_file.h"

namespace anteroom::app {
namespace {

// Settings whose value is not the default, by name.
std::vector<std::string> changed(const Config& config) {
    std::vector<std::string> names;
    for (const ConfigKey& key : config_keys())
        if (config_value(config, key) != config_value(Config{}, key))
            names.push_back(full_name(key));
    return names;
}

std::string uncommented(const std::string& example) {
    return std::regex_replace(example, std::regex("(^|\n)#([a-z0-9_]+ = )"), "$1$2");
}

using Names = std::vector<std::string>;

TEST(ConfigText, TheExampleChangesNothing) {
    const File file(example_config());
    EXPECT_EQ(changed(load_config(file.path(), nullptr)), Names{});
}

TEST(ConfigText, TheExampleWithEverySettingInForceChangesNothing) {
    const std::string text = uncommented(example_config());
    for (const ConfigKey& key : config_keys())
        EXPECT_NE(text.find("\n" + std::string(key.name) + " = "), std::string::npos) << key.name;
    const File file(text);
    EXPECT_EQ(changed(load_config(file.path(), nullptr)), Names{});
    // The comparison can fail.
    const File other(std::regex_replace(text, std::regex("threads = 0"), "threads = 3"));
    EXPECT_EQ(changed(load_config(other.path(), nullptr)), Names{"server.threads"});
}

TEST(ConfigText, EveryKeyStandsInEveryDocumentOfTheTable) {
    const std::string example = example_config();
    const std::string reference = config_reference();
    const std::string printed = print_config(Config{});
    for (const ConfigKey& key : config_keys()) {
        EXPECT_NE(example.find(variable_name(key) + "."), std::string::npos) << full_name(key);
        EXPECT_NE(reference.find("| `" + std::string(key.name) + "` |"), std::string::npos)
            << full_name(key);
        EXPECT_NE(printed.find("\n" + std::string(key.name) + " = "), std::string::npos)
            << full_name(key);
    }
}

TEST(ConfigText, MeaningsAreSentencesAndNamesAreUnique) {
    std::set<std::string> names, variables;
    for (const ConfigKey& key : config_keys()) {
        EXPECT_TRUE(names.insert(full_name(key)).second) << full_name(key);
        EXPECT_TRUE(variables.insert(variable_name(key)).second) << variable_name(key);
        EXPECT_FALSE(key.form.empty()) << full_name(key);
        EXPECT_TRUE(key.meaning.ends_with('.')) << full_name(key);
        EXPECT_EQ(key.meaning.find('\n'), key.meaning.npos) << full_name(key);
    }
    for (const ConfigKey& key : config_keys()) {
        const auto is_its = [&](const ConfigSection& one) { return one.name == key.section; };
        EXPECT_EQ(std::ranges::count_if(config_sections(), is_its), 1) << full_name(key);
    }
}

TEST(ConfigText, NoSecretHasADefault) {
    for (const ConfigKey& key : config_keys()) {
        const bool looks_secret = key.form.find("secret") != key.form.npos ||
                                  key.name == "password" || key.name.ends_with("token");
        if (looks_secret) {
            EXPECT_EQ(key.secret, Secret::whole) << full_name(key);
        }
        if (key.secret == Secret::whole) {
            EXPECT_EQ(std::get<std::string>(config_value(Config{}, key)), "") << full_name(key);
        }
    }
}

TEST(ExitCodes, AreUniqueAndDocumented) {
    std::set<int> codes;
    const std::string reference = exit_code_reference();
    for (const ExitCode& one : exit_codes) {
        EXPECT_TRUE(codes.insert(one.code).second) << one.code;
        EXPECT_NE(reference.find("| " + std::to_string(one.code) + " | " + std::string(one.name)),
                  std::string::npos);
    }
}

TEST(MetricFamilies, AreUniqueAndDocumented) {
    std::set<std::string_view> names;
    const std::string reference = metric_reference();
    for (const MetricFamily& family : metric_families) {
        EXPECT_TRUE(names.insert(family.name).second) << family.name;
        EXPECT_TRUE(family.meaning.ends_with('.')) << family.name;
        EXPECT_NE(reference.find("| `" + std::string(family.name) + "` |"), std::string::npos);
    }
}

} // namespace
} // namespace anteroom::app
