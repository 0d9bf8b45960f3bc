#include "app/config_keys.h"

#include "app/config_tables.h"
#include "base/overload.h"

namespace anteroom::app {
namespace {

constexpr ConfigSection sections[] = {
    {"server", "", "How clients reach the server."},
    {"store", "", "Where rooms are kept."},
    {"ledger", "", "The ledger of rooms that are kept in a folder."},
    {"history", "", "The history of visits. There is none when rooms are in Redis."},
    {"auth", "", "Who operators and known users are."},
    {"keys", "", "The keys that sign tickets and passes."},
    {"dialects", "", "Which other systems' clients are answered."},
    {"urr", "urr", "System U, a two-tier waiting room."},
    {"portal", "portal", "System P, a shop's queue."},
    {"tacos", "tacos", "System T, a token queue. Rooms that exist keep their settings."},
    {"hhplus", "hhplus", "System H, a concert hall's queue."},
    {"gate", "", "The reverse proxy and its rules."},
    {"rooms", "", "How rooms are made and how fast one address takes places."},
    {"log", "", "What the server logs."},
    {"defaults", "",
     "The settings of rooms that are made without their own. Rooms that exist keep theirs; "
     "operators change them while the server runs (PUT /v1/admin/rooms/ROOM)."},
};

std::vector<ConfigKey> all_keys() {
    std::vector<ConfigKey> all;
    for (const std::span<const ConfigKey> part : {server_keys(), dialect_keys(), gate_keys()})
        all.insert(all.end(), part.begin(), part.end());
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
    return sections;
}

const ConfigKey* find_key(std::string_view section, std::string_view name) {
    for (const ConfigKey& key : config_keys())
        if (key.section == section && key.name == name) return &key;
    return nullptr;
}

FieldValue config_value(const Config& config, const ConfigKey& key) {
    return std::visit(
        Overload{[&](const RoomField* field) { return field_value(config.defaults, *field); },
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
