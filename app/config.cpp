#include "app/config.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <variant>

#include "app/config_keys.h"
#include "base/duration.h"
#include "base/overload.h"
#include "net/ip_address.h"
#include "net/text.h"
#include "net/url.h"
#include "service/pulse_json.h"
#include "service/room_fields.h"

namespace anteroom::app {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view defaults_section = "defaults";

const ConfigKey* find_key(std::string_view section, std::string_view name) {
    for (const ConfigKey& key : config_keys())
        if (key.section == section && key.name == name) return &key;
    return nullptr;
}

// --- Setting one key

[[noreturn]] void wrong_type(std::string_view where, std::string_view wanted) {
    throw ConfigError(fmt::format("{} must be {}", where, wanted));
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
               },
               key.member);
}

void set(Config& config, std::string_view section, std::string_view name, const FieldValue& value,
         std::string_view where) {
    if (section == defaults_section) {
        if (const auto fault = set_field(config.defaults, name, value))
            throw ConfigError(fmt::format("{}: {}", where, *fault));
        return;
    }
    const ConfigKey* key = find_key(section, name);
    if (!key) throw ConfigError(fmt::format("there is no setting {}", where));
    set(config, *key, value, where);
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

void read_file(Config& config, const std::string& path) {
    toml::table file;
    try {
        file = toml::parse_file(path);
    } catch (const toml::parse_error& error) {
        throw ConfigError(
            fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()));
    }
    for (const auto& [section_key, section] : file) {
        const std::string_view section_name = section_key.str();
        const toml::table* table = section.as_table();
        if (!table)
            throw ConfigError(fmt::format("{}:{}: {} must be a section such as [server]", path,
                                          section.source().begin.line, section_name));
        for (const auto& [key, node] : *table) {
            const std::string where = fmt::format("{}:{}: {}.{}", path, node.source().begin.line,
                                                  section_name, key.str());
            set(config, section_name, key.str(), value_of(node, where), where);
        }
    }
}

// --- The environment

Texts split(std::string_view text) {
    Texts parts;
    net::for_each_element(text, [&](std::string_view part) { parts.emplace_back(part); });
    return parts;
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Text from the environment as the type that the setting has now.
FieldValue like(const FieldValue& old, std::string_view text, std::string_view where) {
    return std::visit(Overload{
                          [&](std::int64_t) -> FieldValue {
                              const auto value = parse_number<std::int64_t>(text);
                              if (!value) wrong_type(where, "a whole number");
                              return *value;
                          },
                          [&](double) -> FieldValue {
                              const auto value = parse_number<double>(text);
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

FieldValue current(const Config& config, const ConfigKey& key) {
    return std::visit([&](auto member) -> FieldValue { return config.*member; }, key.member);
}

std::string variable_name(std::string_view section, std::string_view name) {
    std::string text = fmt::format("ANTEROOM_{}_{}", section, name);
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

// False: there is no such setting. `variable`: how it is called in complaints.
bool set_from_text(Config& config, std::string_view section, std::string_view name,
                   std::string_view text, std::string_view variable) {
    if (const ConfigKey* key = find_key(section, name)) {
        set(config, *key, like(current(config, *key), text, variable), variable);
        return true;
    }
    if (section != defaults_section) return false;
    for (const RoomField& field : room_fields()) {
        if (field.name != name) continue;
        const FieldValue value = like(field_value(config.defaults, field), text, variable);
        if (const auto fault = set_field(config.defaults, field.name, value))
            throw ConfigError(fmt::format("{}: {}", variable, *fault));
        return true;
    }
    return false;
}

// True when the variable names a setting.
bool set_from_environment(Config& config, std::string_view variable, std::string_view text) {
    for (const ConfigKey& key : config_keys())
        if (variable == variable_name(key.section, key.name))
            return set_from_text(config, key.section, key.name, text, variable);
    for (const RoomField& field : room_fields())
        if (variable == variable_name(defaults_section, field.name))
            return set_from_text(config, defaults_section, field.name, text, variable);
    return false;
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
        if (variable.starts_with("ANTEROOM_") && !set_from_environment(config, variable, text))
            throw ConfigError(fmt::format("the environment variable {} is no setting", variable));
    });
}

void read_aliases(Config& config, const char* const* environment) {
    for_each_variable(environment, [&](std::string_view variable, std::string_view text) {
        for (const ConfigAlias& alias : config_aliases())
            if (variable == alias.variable && !text.empty() && speaks(config, alias.dialect))
                set_from_text(config, alias.section, alias.name,
                              std::string(text) + std::string(alias.unit), variable);
    });
}

// --- What must hold together

void check(const Config& config) {
    parse_listen(config.listen);
    data_folder(config);
    if (shares_rooms(config)) redis_options(config);
    history_url(config);
    history_keep(config);
    for (const std::string& dialect : config.dialects)
        if (std::ranges::find(dialect_names, dialect) == dialect_names.end())
            throw ConfigError(fmt::format("dialects.enabled: \"{}\" is not spoken; there are {}",
                                          dialect, fmt::join(dialect_names, ", ")));
    urr_options(config);
    tacos_options(config);
    portal_options(config);
    hhplus_options(config);
    gate_rules(config);
    gate_proxy(config);
    gate_call_limits(config);
    gate_edge_keys(config);
    if (config.threads > 256) throw ConfigError("server.threads must be at most 256");
    if (config.tls_certificate.empty() != config.tls_key.empty())
        throw ConfigError("server.tls_certificate and server.tls_key go together");
    if (config.create_rooms != "first-use" && config.create_rooms != "admin")
        throw ConfigError("rooms.create must be \"first-use\" or \"admin\"");
    if (config.rooms_max < 1 || config.rooms_max > 65'536)
        throw ConfigError("rooms.max must be from 1 to 65536");
    if (config.snapshot_facts < 100)
        throw ConfigError("ledger.snapshot_facts must be at least 100");
    if (config.joins_burst < 1) throw ConfigError("rooms.joins_burst must be at least 1");
    if (!config.admin_token.empty() && config.admin_token.size() < 8)
        throw ConfigError("auth.admin_token must have at least 8 characters");
    if (!net::is_utf8(config.issuer) || !net::is_utf8(config.audience))
        throw ConfigError("auth.issuer and auth.audience must be UTF-8");
    if (const std::string fault = fault_in_words(config.defaults); !fault.empty())
        throw ConfigError("defaults: " + fault);
}

std::string in_toml(const FieldValue& value) {
    std::string out;
    std::visit(Overload{
                   [&](std::int64_t whole) { out = std::to_string(whole); },
                   [&](double number) { out = fmt::format("{}", number); },
                   [&](bool truth) { out = truth ? "true" : "false"; },
                   [&](const std::string& text) { append_json_string(out, text); },
                   [&](const Texts& texts) {
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

std::string masked(const std::string& text, Secret secret) {
    if (secret == Secret::password) return history::with_masked_password(text);
    return text.empty() ? text : "********";
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

std::string print_config(const Config& config) {
    std::string out;
    std::string_view section;
    for (const ConfigKey& key : config_keys()) {
        if (key.section != section)
            out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", key.section);
        section = key.section;
        FieldValue value = current(config, key);
        if (key.secret != Secret::none) value = masked(std::get<std::string>(value), key.secret);
        out += fmt::format("{} = {}\n", key.name, in_toml(value));
    }
    out += "\n[defaults]\n";
    for (const RoomField& field : room_fields())
        out += fmt::format("{} = {}  # {}\n", field.name,
                           in_toml(field_value(config.defaults, field)), field.meaning);
    return out;
}

Listen parse_listen(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    std::string address = text.substr(0, colon);
    if (address.size() > 2 && address.front() == '[' && address.back() == ']')
        address = address.substr(1, address.size() - 2);
    const std::optional<std::uint16_t> port =
        colon == text.npos ? std::nullopt : parse_number<std::uint16_t>(text.substr(colon + 1));
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

bool speaks(const Config& config, std::string_view dialect) {
    return std::find(config.dialects.begin(), config.dialects.end(), dialect) !=
           config.dialects.end();
}

bool keeps_rooms(const Config& config) {
    return !config.store_url.starts_with("memory:");
}

token::AccessRules access_rules(const Config& config) {
    return {.issuer = config.issuer, .audience = config.audience};
}

Millis history_keep(const Config& config) {
    const std::optional<Millis> keep = parse_duration(config.history_keep);
    if (!keep || *keep < seconds(1) || *keep > hours(24 * 3'660))
        throw ConfigError("history.keep must be a duration from 1s to 3660d, such as \"30d\"");
    return *keep;
}

std::optional<history::SqlUrl> history_url(const Config& config) {
    if (config.history_url.empty()) return std::nullopt;
    Result<history::SqlUrl> url = history::parse_sql_url(config.history_url);
    if (!url) throw ConfigError("history.url " + url.fault().reason);
    return *url;
}

} // namespace anteroom::app
