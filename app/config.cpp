#include "app/config.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <variant>

#include "app/config_keys.h"
#include "app/config_names.h"
#include "app/dialect_config.h"
#include "app/dialects.h"
#include "app/foreign_names.h"
#include "app/gate_config.h"
#include "app/history_config.h"
#include "app/redis_config.h"
#include "base/overload.h"
#include "base/text.h"
#include "base/text_table.h"
#include "gate/edge_stamp.h"
#include "gate/proxy.h"
#include "net/ip_address.h"
#include "net/text.h"
#include "store/shared/redis_options.h"
#include "token/access.h"

namespace anteroom::app {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t file_bytes_max = 1024 * 1024;

// --- Setting one key

[[noreturn]] void wrong_type(std::string_view where, std::string_view wanted) {
    throw ConfigError(fmt::format("{} must be {}", where, wanted));
}

std::string_view kind_of(const FieldValue& value) {
    return std::visit(Overload{
                          [](std::int64_t) { return "a whole number"; },
                          [](double) { return "a number"; },
                          [](bool) { return "true or false"; },
                          [](const std::string&) { return "a text"; },
                          [](const Texts&) { return "a list of texts"; },
                      },
                      value);
}

// A value of the type that the setting of a dialect has.
FieldValue typed_as(const FieldValue& usual, const FieldValue& value, std::string_view where) {
    FieldValue typed = value;
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (std::holds_alternative<double>(usual) && whole) typed = static_cast<double>(*whole);
    if (typed.index() != usual.index()) wrong_type(where, kind_of(usual));
    const auto* count = std::get_if<std::int64_t>(&typed);
    const auto* number = std::get_if<double>(&typed);
    if ((count && *count < 0) || (number && !(*number >= 0))) wrong_type(where, "0 or more");
    return typed;
}

void set(Config& config, const ConfigKey& key, const FieldValue& value, std::string_view where) {
    std::visit(Overload{
                   [&](std::string Config::*member) {
                       const auto* given = std::get_if<std::string>(&value);
                       if (!given) wrong_type(where, "a text");
                       config.*member = *given;
                   },
                   [&](std::int64_t Config::*member) {
                       const auto* given = std::get_if<std::int64_t>(&value);
                       if (!given) wrong_type(where, "a whole number");
                       if (*given < 0) wrong_type(where, "0 or more");
                       config.*member = *given;
                   },
                   [&](double Config::*member) {
                       const auto* whole = std::get_if<std::int64_t>(&value);
                       const auto* given = std::get_if<double>(&value);
                       if (!whole && !given) wrong_type(where, "a number");
                       config.*member = whole ? static_cast<double>(*whole) : *given;
                       if (!(config.*member >= 0)) wrong_type(where, "0 or more");
                   },
                   [&](bool Config::*member) {
                       const auto* given = std::get_if<bool>(&value);
                       if (!given) wrong_type(where, "true or false");
                       config.*member = *given;
                   },
                   [&](Texts Config::*member) {
                       // One is a list of one.
                       if (const auto* one = std::get_if<std::string>(&value)) {
                           config.*member = one->empty() ? Texts{} : Texts{*one};
                           return;
                       }
                       const auto* given = std::get_if<Texts>(&value);
                       if (!given) wrong_type(where, "a list of texts");
                       config.*member = *given;
                   },
                   [&](const DialectSetting* setting) {
                       config.dialect_values.insert_or_assign(
                           full_name(key), typed_as(usual_value(*setting), value, where));
                   },
                   [&](const RoomField* field) {
                       if (const auto fault = set_field(config.defaults, field->name, value))
                           throw ConfigError(fmt::format("{}: {}", where, *fault));
                   },
               },
               key.member);
    if (full_name(key) == "dialects.enabled") config.dialects_are_named = true;
}

// --- The file

FieldValue value_of(const toml::node& node, std::string_view where) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* whole = node.as_integer()) return whole->get();
    if (const auto* number = node.as_floating_point()) return number->get();
    if (const auto* truth = node.as_boolean()) return truth->get();
    const auto* list = node.as_array();
    if (!list) wrong_type(where, "a text, a number, true or false, or a list of texts");
    Texts texts;
    for (const toml::node& element : *list) {
        if (!element.is_string()) wrong_type(where, "a list of texts");
        texts.push_back(element.as_string()->get());
    }
    return texts;
}

// As much of a pipe or a file as a configuration may have.
std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(file_bytes_max + 1, '\0');
    if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
    // A file that is shorter than the buffer ends with eof; a folder, or a file without permission,
    // fails without it.
    if (!file.eof() && !file) throw ConfigError(fmt::format("{}: cannot be read", path));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > file_bytes_max)
        throw ConfigError(
            fmt::format("{}: a configuration has at most {} bytes", path, file_bytes_max));
    return text;
}

toml::table parse_toml(const std::string& path) {
    const std::string text = read_text(path);
    try {
        return toml::parse(text, path);
    } catch (const toml::parse_error& error) {
        throw ConfigError(fmt::format("{}:{}: {}", path, error.source().begin.line,
                                      printable(error.description())));
    }
}

std::string suggestion(const std::string& nearest) {
    return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

bool is_section(std::string_view name) {
    return std::ranges::any_of(config_sections(),
                               [&](const ConfigSection& one) { return one.name == name; });
}

[[noreturn]] void no_section(std::string_view name, std::string_view place) {
    const std::string nearest = nearest_section(name);
    throw ConfigError(fmt::format("{}: there is no section [{}]{}", place, printable(name),
                                  suggestion(nearest.empty() ? "" : "[" + nearest + "]")));
}

const ConfigKey& key_in_file(std::string_view section, std::string_view name,
                             std::string_view place) {
    if (const ConfigKey* key = find_key(section, name)) return *key;
    const std::string nearest = nearest_key(section, name);
    if (nearest.empty() && !is_section(section)) no_section(section, place);
    throw ConfigError(fmt::format("{}: there is no setting {}.{}{}", place, printable(section),
                                  printable(name), suggestion(nearest)));
}

void read_section(Config& config, std::string_view section, const toml::table& table,
                  const std::string& path) {
    for (const auto& [name, node] : table) {
        const std::string place = fmt::format("{}:{}", path, node.source().begin.line);
        const ConfigKey& key = key_in_file(section, name.str(), place);
        const std::string where = fmt::format("{}: {}", place, full_name(key));
        set(config, key, value_of(node, where), where);
    }
}

void read_file(Config& config, const std::string& path) {
    const toml::table file = parse_toml(path);
    for (const auto& [name, section] : file) {
        const std::string place = fmt::format("{}:{}", path, section.source().begin.line);
        const toml::table* table = section.as_table();
        if (!table)
            throw ConfigError(fmt::format("{}: {} must be a section such as [server]{}", place,
                                          printable(name.str()),
                                          suggestion(nearest_key("", name.str()))));
        if (table->empty() && !is_section(name.str())) no_section(name.str(), place);
        read_section(config, name.str(), *table, path);
    }
}

// --- The environment

Texts split(std::string_view text) {
    Texts parts;
    net::for_each_element(text, [&](std::string_view part) { parts.emplace_back(part); });
    return parts;
}

// Text from the environment as the type that the setting has now.
FieldValue like(const FieldValue& old, std::string_view text, std::string_view where) {
    return std::visit(Overload{
                          [&](std::int64_t) -> FieldValue {
                              const auto value = parse_whole_number<std::int64_t>(text);
                              if (!value) wrong_type(where, "a whole number");
                              return *value;
                          },
                          [&](double) -> FieldValue {
                              const auto value = parse_decimal(text);
                              if (!value) wrong_type(where, "a number");
                              return *value;
                          },
                          [&](bool) -> FieldValue {
                              if (text != "true" && text != "false")
                                  wrong_type(where, "true or false");
                              return text == "true";
                          },
                          [&](const std::string&) -> FieldValue { return std::string(text); },
                          [&](const Texts&) -> FieldValue { return split(text); },
                      },
                      old);
}

// `variable`: how it is called in complaints.
void set_from_text(Config& config, const ConfigKey& key, std::string_view text,
                   std::string_view variable) {
    set(config, key, like(config_value(config, key), text, variable), variable);
}

template <class Visit>
void for_each_variable(const char* const* environment, Visit visit) {
    for (; environment && *environment; ++environment) {
        const std::string_view entry = *environment;
        const std::size_t equals = entry.find('=');
        if (equals != entry.npos) visit(entry.substr(0, equals), entry.substr(equals + 1));
    }
}

void read_environment(Config& config, const char* const* environment) {
    for_each_variable(environment, [&](std::string_view variable, std::string_view text) {
        if (!variable.starts_with("ANTEROOM_")) return;
        const auto keys = config_keys();
        const auto key = std::ranges::find(keys, variable, variable_name);
        if (key == keys.end())
            throw ConfigError(fmt::format("the environment variable {} is no setting{}",
                                          printable(variable),
                                          suggestion(nearest_variable(variable))));
        set_from_text(config, *key, text, variable);
    });
}

void read_aliases(Config& config, const char* const* environment) {
    const std::vector<NameOfSystem> names = original_names();
    // From the last row to the first, so that the first one of a setting stays.
    for (auto row = names.rbegin(); row != names.rend(); ++row)
        for_each_variable(environment, [&](std::string_view variable, std::string_view text) {
            const OriginalName& name = *row->name;
            if (variable == name.variable && !text.empty() && speaks(config, row->dialect->name))
                set_from_text(config, *find_key(name.section, name.name),
                              std::string(text) + std::string(name.unit), variable);
        });
}

// --- Settings that must fit each other

// "a", "b" or "c", for the choices "a b c".
std::string either(std::string_view choices) {
    std::string text;
    while (!choices.empty()) {
        const std::string_view one = choices.substr(0, choices.find(' '));
        choices.remove_prefix(std::min(one.size() + 1, choices.size()));
        text += fmt::format("{}\"{}\"", text.empty() ? "" : choices.empty() ? " or " : ", ", one);
    }
    return text;
}

void check_choices(const Config& config) {
    for (const ConfigKey& key : config_keys()) {
        if (key.choices.empty()) continue;
        const std::string value = std::get<std::string>(config_value(config, key));
        const bool is_one =
            !value.empty() && value.find(' ') == value.npos &&
            fmt::format(" {} ", key.choices).find(fmt::format(" {} ", value)) != std::string::npos;
        if (!is_one)
            throw ConfigError(fmt::format("{} must be {}", full_name(key), either(key.choices)));
    }
}

void check(const Config& config) {
    check_choices(config);
    parse_listen(config.listen);
    data_folder(config);
    if (shares_rooms(config)) redis_options(config);
    history_url(config);
    history_keep(config);
    const Texts known = dialect_names();
    for (const std::string& dialect : config.dialects)
        if (std::ranges::find(known, dialect) == known.end())
            throw ConfigError(fmt::format("dialects.enabled: \"{}\" is not spoken; there are {}",
                                          dialect, fmt::join(known, ", ")));
    const std::string& only = config.defaults.profile.dialect;
    if (!only.empty() && std::ranges::find(known, only) == known.end())
        throw ConfigError(
            fmt::format("defaults.dialect must be one of {}, or empty", fmt::join(known, ", ")));
    for (const DialectInfo* dialect : dialects()) open_dialect(config, *dialect);
    gate_rules(config);
    gate_proxy(config);
    gate_call_limits(config);
    gate_edge_keys(config);
    if (config.threads > 256) throw ConfigError("server.threads must be at most 256");
    if (config.tls_certificate.empty() != config.tls_key.empty())
        throw ConfigError("server.tls_certificate and server.tls_key go together");
    if (config.connections_per_address < 1 || config.connections_per_address > limits::count_max)
        throw ConfigError("server.connections_per_address must be from 1 to 4294967295");
    if (config.rooms_max < 1 || config.rooms_max > 65'536)
        throw ConfigError("rooms.max must be from 1 to 65536");
    if (config.snapshot_facts < 100)
        throw ConfigError("ledger.snapshot_facts must be at least 100");
    if (config.joins_burst < 1) throw ConfigError("rooms.joins_burst must be at least 1");
    if (!config.admin_token.empty() && config.admin_token.size() < 8)
        throw ConfigError("auth.admin_token must have at least 8 characters");
    if (!is_utf8(config.issuer) || !is_utf8(config.audience))
        throw ConfigError("auth.issuer and auth.audience must be UTF-8");
    if (const std::string fault = fault_in_words(config.defaults); !fault.empty())
        throw ConfigError("defaults: " + fault);
}

} // namespace

Config load_config(const std::string& path, const char* const* environment) {
    Config config;
    if (!path.empty()) read_file(config, path);
    read_environment(config, environment);
    read_aliases(config, environment);
    read_environment(config, environment); // Our own names win.
    check(config);
    return config;
}

Listen parse_listen(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    std::string address = text.substr(0, colon);
    if (address.size() > 2 && address.front() == '[' && address.back() == ']')
        address = address.substr(1, address.size() - 2);
    const std::optional<std::uint16_t> port =
        colon == text.npos ? std::nullopt
                           : parse_whole_number<std::uint16_t>(text.substr(colon + 1));
    if (!port || !net::parse_ip(address))
        throw ConfigError(fmt::format(
            "server.listen must be ADDRESS:PORT such as 127.0.0.1:8080, not \"{}\"", text));
    return {.address = std::move(address), .port = *port};
}

std::string data_folder(const Config& config) {
    for (const std::string_view scheme : {"embedded:", "memory:"})
        if (config.store_url.starts_with(scheme) && config.store_url.size() > scheme.size())
            return config.store_url.substr(scheme.size());
    if (shares_rooms(config)) return config.keys_folder;
    throw ConfigError(
        fmt::format("store.url must be embedded:FOLDER, redis://HOST:PORT or the like, not \"{}\"",
                    history::with_masked_password(config.store_url)));
}

bool shares_rooms(const Config& config) {
    return config.store_url.starts_with("redis");
}

std::vector<std::string> dialect_names() {
    Texts names;
    for (const DialectInfo* dialect : dialects()) names.emplace_back(dialect->name);
    return names;
}

bool speaks(const Config& config, std::string_view dialect) {
    if (!config.dialects_are_named && !config.gate_origin.empty()) return false;
    return std::find(config.dialects.begin(), config.dialects.end(), dialect) !=
           config.dialects.end();
}

bool keeps_rooms(const Config& config) {
    return !config.store_url.starts_with("memory:");
}

token::AccessRules access_rules(const Config& config) {
    return {.issuer = config.issuer, .audience = config.audience};
}

} // namespace anteroom::app
