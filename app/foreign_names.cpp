#include "app/foreign_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/config_keys.h"
#include "app/dialects.h"
#include "net/text.h"

namespace anteroom::app {
namespace {

bool is_spoken(const Config& config, const UnusedName& name) {
    return std::ranges::any_of(
        name.dialects, [&](const DialectInfo* dialect) { return speaks(config, dialect->name); });
}

bool is_set_by_our_name(const Config& config, std::string_view setting) {
    if (setting == "store.url")
        return shares_rooms(config); // Another folder says nothing of Redis.
    const std::size_t dot = setting.find('.');
    if (dot == setting.npos) return false;
    const ConfigKey* key = find_key(setting.substr(0, dot), setting.substr(dot + 1));
    return key && config_value(config, *key) != config_value(Config{}, *key);
}

bool is_set(std::string_view variable, const char* const* environment) {
    for (; environment && *environment; ++environment) {
        const std::string_view entry = *environment;
        if (entry.size() > variable.size() + 1 && entry.starts_with(variable) &&
            entry[variable.size()] == '=')
            return true;
    }
    return false;
}

} // namespace

std::vector<NameOfSystem> original_names() {
    std::vector<NameOfSystem> all;
    for (const DialectInfo* dialect : dialects())
        for (const OriginalName& name : dialect->original_names)
            all.push_back({.dialect = dialect, .name = &name});
    return all;
}

std::vector<UnusedName> unused_names() {
    std::vector<UnusedName> all;
    for (const DialectInfo* dialect : dialects())
        for (const ForeignName& name : dialect->foreign_names) {
            const auto known = std::ranges::find_if(
                all, [&](const UnusedName& one) { return one.name->variable == name.variable; });
            if (known == all.end())
                all.push_back({.dialects = {dialect}, .name = &name});
            else
                known->dialects.push_back(dialect);
        }
    return all;
}

std::vector<std::string> foreign_warnings(const Config& config, const char* const* environment) {
    std::vector<const ForeignName*> unused;
    for (const UnusedName& row : unused_names()) {
        const ForeignName& name = *row.name;
        if (!name.is_common && is_set(name.variable, environment) && is_spoken(config, row) &&
            !is_set_by_our_name(config, name.setting))
            unused.push_back(row.name);
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < unused.size(); ++i) {
        if (i + 1 < warnings_max || unused.size() == warnings_max) {
            lines.push_back(fmt::format("the environment variable {} is not used: {}",
                                        unused[i]->variable, unused[i]->advice));
            continue;
        }
        if (i + 1 == warnings_max) lines.emplace_back("not used either:");
        lines.back() +=
            fmt::format("{}{}", i + 1 == warnings_max ? " " : ", ", unused[i]->variable);
    }
    return lines;
}

} // namespace anteroom::app
