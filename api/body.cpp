#include "api/body.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/json_text.h"
#include "base/overload.h"
#include "service/room_fields.h"

namespace anteroom::api {
namespace {

namespace json = boost::json;

// The object, or what is wrong with the text.
std::string read_object(std::string_view text, json::object& object) {
    if (text.empty()) return {};
    json::parse_options options;
    options.max_depth = 8;
    json::error_code error;
    json::value value =
        json::parse(json::string_view(text.data(), text.size()), error, {}, options);
    if (error) return "the body is not JSON: " + error.message();
    if (!value.is_object()) return "the body must be a JSON object";
    object = std::move(value.as_object());
    return {};
}

std::string read_text(const json::object& object, const char* name,
                      std::optional<std::string>& out) {
    const json::value* value = object.if_contains(name);
    if (!value || value->is_null()) return {};
    if (!value->is_string()) return fmt::format("{} must be a string", name);
    out = std::string(value->as_string().data(), value->as_string().size());
    return out->empty() ? fmt::format("{} must not be empty", name) : std::string{};
}

std::optional<FieldValue> field_value(const json::value& value) {
    switch (value.kind()) {
        case json::kind::int64: return FieldValue{value.get_int64()};
        case json::kind::uint64: return FieldValue{static_cast<double>(value.get_uint64())};
        case json::kind::double_: return FieldValue{value.get_double()};
        case json::kind::bool_: return FieldValue{value.get_bool()};
        case json::kind::string:
            return FieldValue{std::string(value.get_string().data(), value.get_string().size())};
        case json::kind::array: {
            std::vector<std::string> texts;
            for (const json::value& element : value.get_array()) {
                if (!element.is_string()) return std::nullopt;
                texts.emplace_back(element.get_string().data(), element.get_string().size());
            }
            return FieldValue{std::move(texts)};
        }
        default: return std::nullopt;
    }
}

} // namespace

std::string read_join_body(std::string_view text, JoinBody& body) {
    json::object object;
    if (std::string fault = read_object(text, object); !fault.empty()) return fault;
    if (std::string fault = read_text(object, "visitor", body.visitor); !fault.empty())
        return fault;
    return read_text(object, "lane", body.lane);
}

std::string read_room_body(std::string_view text, RoomSettings& settings) {
    json::object object;
    if (std::string fault = read_object(text, object); !fault.empty()) return fault;
    for (const RoomField& field : room_fields()) {
        const json::value* member =
            object.if_contains(json::string_view(field.name.data(), field.name.size()));
        if (!member) continue;
        const std::optional<FieldValue> value = field_value(*member);
        if (!value) return fmt::format("{} has the wrong type", field.name);
        if (auto fault = set_field(settings, field.name, *value)) return *fault;
    }
    return fault_in_words(settings);
}

std::string read_count_body(std::string_view text, std::int64_t& count) {
    json::object object;
    if (std::string fault = read_object(text, object); !fault.empty()) return fault;
    const json::value* value = object.if_contains("count");
    if (!value || !value->is_int64()) return "count must be a whole number";
    count = value->get_int64();
    return {};
}

std::string settings_json(const RoomSettings& settings) {
    std::string out;
    for (const RoomField& field : room_fields()) {
        if (!out.empty()) out += ',';
        append_json_string(out, field.name);
        out += ':';
        std::visit(Overload{
                       [&](std::int64_t value) { out += std::to_string(value); },
                       [&](double value) { out += fmt::format("{}", value); },
                       [&](bool value) { out += value ? "true" : "false"; },
                       [&](const std::string& value) { append_json_string(out, value); },
                       [&](const std::vector<std::string>& values) {
                           out += '[';
                           for (std::size_t i = 0; i < values.size(); ++i) {
                               if (i > 0) out += ',';
                               append_json_string(out, values[i]);
                           }
                           out += ']';
                       },
                   },
                   anteroom::field_value(settings, field));
    }
    return out;
}

} // namespace anteroom::api
