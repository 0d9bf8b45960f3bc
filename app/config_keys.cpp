#include "app/config_keys.h"

#include "app/config_tables.h"
#include "app/dialects.h"
#include "base/overload.h"

namespace anteroom::app {
namespace {

constexpr ConfigSection own_sections[] = {
    {"server", "", "How clients reach the server."},
    {"store", "", "Where rooms are kept."},
    {"ledger", "", "The ledger of rooms that are kept in a folder."},
    {"history", "", "The history of visits. There is none when rooms are in Redis."},
    {"auth", "", "Who operators and known users are."},
    {"keys", "", "The keys that sign tickets and passes."},
    {"dialects", "", "Which other systems' clients are answered."},
    {"gate", "", "The reverse proxy and its rules."},
    {"rooms", "", "How rooms are made and how fast one address takes places."},
    {"log", "", "What the server logs."},
    {"defaults", "",
     "The settings of rooms that are made without their own. Rooms that exist keep theirs; "
     "operators change them while the server runs (PUT /v1/admin/rooms/ROOM)."},
};

// The sections of dialects follow [dialects].
std::vector<ConfigSection> all_sections() {
    std::vector<ConfigSection> all;
    for (const ConfigSection& section : own_sections) {
        all.push_back(section);
        if (section.name != "dialects") continue;
        for (const DialectInfo* dialect : dialects())
            all.push_back({dialect->name, dialect->name, dialect->meaning});
    }
    return all;
}

std::vector<ConfigKey> all_keys() {
    std::vector<ConfigKey> all;
    all.insert(all.end(), server_keys().begin(), server_keys().end());
    for (const DialectInfo* dialect : dialects())
        for (const DialectSetting& setting : dialect->settings)
            all.push_back({dialect->name, setting.name, &setting, setting.form, setting.meaning,
                           setting.is_secret ? Secret::whole : Secret::none, Reload::no,
                           setting.choices});
    all.insert(all.end(), gate_keys().begin(), gate_keys().end());
    for (const RoomField& field : room_fields())
        all.push_back({"defaults", field.name, &field, field.form, field.meaning, Secret::none,
                       Reload::no, field.choices});
    return all;
}

} // namespace

std::span<const ConfigKey> config_keys() {
    static const std::vector<ConfigKey> all = all_keys();
    return all;
}

std::span<const ConfigSection> config_sections() {
    static const std::vector<ConfigSection> all = all_sections();
    return all;
}

const ConfigKey* find_key(std::string_view section, std::string_view name) {
    for (const ConfigKey& key : config_keys())
        if (key.section == section && key.name == name) return &key;
    return nullptr;
}

FieldValue config_value(const Config& config, const ConfigKey& key) {
    return std::visit(
        Overload{[&](const RoomField* field) { return field_value(config.defaults, *field); },
                 [&](const DialectSetting* setting) -> FieldValue {
                     const auto found = config.dialect_values.find(full_name(key));
                     return found == config.dialect_values.end() ? usual_value(*setting)
                                                                 : found->second;
                 },
                 [&](auto member) -> FieldValue { return config.*member; }},
        key.member);
}

std::string variable_name(const ConfigKey& key) {
    std::string text = "ANTEROOM_" + std::string(key.section) + '_' + std::string(key.name);
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

std::string full_name(const ConfigKey& key) {
    return std::string(key.section) + '.' + std::string(key.name);
}

std::string_view type_name(const ConfigKey& key) {
    static const Config usual;
    return std::visit(Overload{
                          [](std::int64_t) { return "whole number"; },
                          [](double) { return "number"; },
                          [](bool) { return "true or false"; },
                          [](const std::string&) { return "text"; },
                          [](const std::vector<std::string>&) { return "list of texts"; },
                      },
                      config_value(usual, key));
}

} // namespace anteroom::app
