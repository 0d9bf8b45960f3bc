#include "app/config_text.h"

#include <fmt/format.h>

#include "app/config_keys.h"
#include "app/foreign_names.h"
#include "app/markdown.h"
#include "base/json_text.h"
#include "base/overload.h"
#include "store/history/sql_url.h"

namespace anteroom::app {
namespace {

std::string in_toml(const FieldValue& value) {
    std::string out;
    std::visit(Overload{
                   [&](std::int64_t whole) { out = std::to_string(whole); },
                   [&](double number) { out = fmt::format("{}", number); },
                   [&](bool truth) { out = truth ? "true" : "false"; },
                   [&](const std::string& text) { append_json_string(out, text); },
                   [&](const std::vector<std::string>& texts) {
                       out = "[";
                       for (std::size_t i = 0; i < texts.size(); ++i) {
                           if (i > 0) out += ", ";
                           append_json_string(out, texts[i]);
                       }
                       out += "]";
                   },
               },
               value);
    return out;
}

FieldValue masked(FieldValue value, Secret secret) {
    if (secret == Secret::none) return value;
    std::string& text = std::get<std::string>(value);
    if (secret == Secret::password)
        text = history::with_masked_password(text);
    else if (!text.empty())
        text = "********";
    return value;
}

// Lines of at most 100 bytes that begin with "# ".
void append_comment(std::string& out, std::string_view text) {
    constexpr std::size_t width = 98;
    while (!text.empty()) {
        std::size_t end = text.size();
        if (end > width) end = text.rfind(' ', width);
        if (end == text.npos || end == 0) end = std::min(text.find(' '), text.size());
        out += fmt::format("# {}\n", text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::string spaced(std::string_view words, std::string_view between) {
    std::string out;
    for (const char c : words)
        if (c == ' ')
            out += between;
        else
            out += c;
    return out;
}

std::string form_of(const ConfigKey& key) {
    return key.choices.empty() ? std::string(key.form) : spaced(key.choices, ", ");
}

std::string_view reload_of(const ConfigKey& key) {
    return key.reload == Reload::file ? "its file" : "no";
}

// visit(section) before the keys of each section, visit(key) for each of them.
template <class Section, class Key>
void for_each(Section section, Key visit) {
    for (const ConfigSection& one : config_sections()) {
        section(one);
        for (const ConfigKey& key : config_keys())
            if (key.section == one.name) visit(key);
    }
}

constexpr std::string_view example_head = R"(# Anteroom, every setting with its default.
#
# To change a setting, remove the '#' before its name. Lines that stay as they are change nothing.
# An environment variable wins over this file. `anteroom config --config FILE` checks a file,
# `anteroom config --print --config FILE` shows what is in force.
#
# Durations are written 500ms, 30s, 10m, 24h, 30d, and sums such as 1h30m.
# Reload: what SIGHUP does. "no": a change counts after a restart. "its file": a change of the
# setting counts after a restart, but the file that it names is read again on SIGHUP.
)";

constexpr std::string_view reference_head = R"(# Configuration

<!-- Written by scripts/write-reference from the tables in app/ and dialects/. Change the tables, not this file. -->

`anteroom serve --config FILE` reads a TOML file; `anteroom config --example` prints one with every setting. An environment
variable `ANTEROOM_SECTION_KEY`, such as `ANTEROOM_SERVER_LISTEN`, wins over the file; elements of a list have commas between
them there. `anteroom config` checks all of it, `anteroom config --print` shows what is in force, with secrets masked. A name or
a value that is wrong ends the program with [exit code](exit-codes.md) 2 and one line that says where. A file has at most 1 MiB.

Durations are texts such as `500ms`, `30s`, `10m`, `24h`, `30d`, and sums such as `1h30m`.

**Reload** says what SIGHUP does. `no`: a change counts after a restart. `its file`: a change of the setting counts after a
restart, but the file that it names is read again on SIGHUP; when that file is broken, the log says so and the old one stays.
The configuration file itself is read at the start only.
)";

void append_aliases(std::string& out) {
    out +=
        "\n## Names of other systems that are taken\n\n"
        "While the dialect is enabled, these environment variables set the same as the setting beside them. Our own names "
        "win over them, and the first row over later ones.\n\n";
    MarkdownTable table({"variable", "system", "setting", "unit"});
    for (const NameOfSystem& row : original_names())
        table.add({code(row.name->variable), std::string(row.dialect->system),
                   code(fmt::format("{}.{}", row.name->section, row.name->name)),
                   std::string(row.name->unit)});
    out += table.text();
}

void append_foreign_names(std::string& out) {
    out += fmt::format(
        "\n## Names of other systems that are not used\n\n"
        "When one of these is set, its system is enabled and the setting beside it has its default (`store.url`: names no Redis), the "
        "server says so at the start: one line per name, at most {} lines, never with a value.\n\n",
        warnings_max);
    MarkdownTable table({"variable", "system", "setting", "what to do"});
    for (const UnusedName& row : unused_names()) {
        const ForeignName& name = *row.name;
        std::string systems;
        for (const DialectInfo* dialect : row.dialects)
            systems += fmt::format("{}{}", systems.empty() ? "" : ", ", dialect->system);
        table.add({code(name.variable), systems, name.setting.empty() ? "" : code(name.setting),
                   std::string(name.advice) + (name.is_common ? " (no warning)" : "")});
    }
    out += table.text();
}

} // namespace

std::string print_config(const Config& config) {
    std::string out;
    for_each(
        [&](const ConfigSection& section) {
            out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", section.name);
        },
        [&](const ConfigKey& key) {
            append_comment(out, key.meaning);
            out += fmt::format("{} = {}\n", key.name,
                               in_toml(masked(config_value(config, key), key.secret)));
        });
    return out;
}

std::string example_config() {
    const Config usual;
    std::string out(example_head);
    for_each(
        [&](const ConfigSection& section) {
            out += '\n';
            append_comment(out, section.meaning);
            if (!section.dialect.empty())
                append_comment(
                    out, fmt::format("Counts while dialects.enabled has \"{}\".", section.dialect));
            out += fmt::format("[{}]\n", section.name);
        },
        [&](const ConfigKey& key) {
            out += '\n';
            append_comment(out, key.meaning);
            append_comment(out, fmt::format("{}: {}. Environment: {}. Reload: {}.",
                                            key.choices.empty() ? "Form" : "One of", form_of(key),
                                            variable_name(key), reload_of(key)));
            out += fmt::format("#{} = {}\n", key.name, in_toml(config_value(usual, key)));
        });
    return out;
}

std::string config_reference() {
    const Config usual;
    std::string out(reference_head);
    for (const ConfigSection& section : config_sections()) {
        out += fmt::format("\n## [{}]\n\n{}", section.name, section.meaning);
        if (!section.dialect.empty())
            out += fmt::format(
                " Dialect: [{0}](dialects/{0}.md); counts while `dialects.enabled` has it.",
                section.dialect);
        out += "\n\n";
        MarkdownTable table({"key", "type", "default", "unit or form", "reload", "meaning"});
        for (const ConfigKey& key : config_keys())
            if (key.section == section.name)
                table.add({code(key.name), std::string(type_name(key)),
                           code(in_toml(config_value(usual, key))), form_of(key),
                           std::string(reload_of(key)), std::string(key.meaning)});
        out += table.text();
    }
    append_aliases(out);
    append_foreign_names(out);
    return out;
}

} // namespace anteroom::app
