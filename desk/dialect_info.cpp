#include "desk/dialect_info.h"

#include <fmt/format.h>

#include "base/config_error.h"
#include "base/duration.h"
#include "base/overload.h"

namespace anteroom {

FieldValue usual_value(const DialectSetting& setting) {
    return std::visit(
        Overload{[](std::string_view text) -> FieldValue { return std::string(text); },
                 [](auto value) -> FieldValue { return value; }},
        setting.usual);
}

std::string DialectSettings::text(std::string_view name) const {
    return std::get<std::string>(value_of_(name));
}

std::int64_t DialectSettings::whole(std::string_view name) const {
    return std::get<std::int64_t>(value_of_(name));
}

double DialectSettings::number(std::string_view name) const {
    return std::get<double>(value_of_(name));
}

bool DialectSettings::is_on(std::string_view name) const {
    return std::get<bool>(value_of_(name));
}

Millis DialectSettings::span(std::string_view name, Millis least) const {
    const std::optional<Millis> value = parse_duration(text(name));
    if (!value || *value < least || *value > limits::span_max)
        throw ConfigError(fmt::format("{}.{} must be a span such as \"10m\", at least {}", section_,
                                      name, to_string(least)));
    return *value;
}

} // namespace anteroom
