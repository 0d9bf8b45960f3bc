// DialectInfo: what the folder of a dialect says of itself before anything is configured: its
// settings, the names that its operators know, its metrics, how its rooms are planned, its views of
// the history. One constant per folder; app/dialects.cpp lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/time.h"
#include "desk/metric_text.h"
#include "plan/system.h"
#include "service/history_views.h"
#include "service/room_fields.h"

namespace anteroom {

class Dialect;

// A key of the dialect's section in the configuration. Its type is that of the default.
struct DialectSetting {
    using Default = std::variant<std::string_view, std::int64_t, double, bool>;
    std::string_view name;
    Default usual;
    std::string_view form;         // Unit or shape of the value, such as "duration".
    std::string_view meaning;      // Plain sentences for a stranger.
    std::string_view choices = {}; // The only values, with spaces between them; empty: any.
    bool is_secret = false;
};
FieldValue usual_value(const DialectSetting& setting);

// An environment variable of the system that means the same as a setting of ours.
struct OriginalName {
    std::string_view variable;
    std::string_view section;
    std::string_view name;
    std::string_view unit = {}; // Follows the number.
};

// An environment variable of the system that is known and not used.
struct ForeignName {
    std::string_view variable;
    std::string_view setting; // The one to use instead; empty: there is none.
    std::string_view advice;  // A sentence.
    bool is_common = false;   // Set on many machines for other programs: documented, no warning.
};

// The values of a dialect's section, by key.
class DialectSettings {
  public:
    using ValueOf = std::function<FieldValue(std::string_view name)>;
    DialectSettings(std::string_view section, ValueOf value_of)
        : section_(section), value_of_(std::move(value_of)) {}

    std::string text(std::string_view name) const;
    std::int64_t whole(std::string_view name) const;
    double number(std::string_view name) const;
    bool is_on(std::string_view name) const;
    // Throws ConfigError when it is no duration, or below `least`.
    Millis span(std::string_view name, Millis least = Millis{1}) const;

  private:
    const std::string section_;
    const ValueOf value_of_;
};

// What a dialect may know of the rest of the configuration.
struct DialectSurroundings {
    RoomSettings defaults;    // Of rooms that are made by first use.
    std::string issuer;       // auth.issuer.
    std::string version;      // Of the program.
    bool comes_first = false; // The first one in dialects.enabled.
};

struct DialectInfo {
    std::string_view name;    // As dialects.enabled and the profiles of rooms have it.
    std::string_view system;  // As documents call it: "U".
    std::string_view meaning; // Of its section in the configuration.
    std::span<const DialectSetting> settings = {};
    std::span<const OriginalName> original_names = {};
    std::span<const ForeignName> foreign_names = {};
    std::span<const MetricFamily> metrics = {};
    std::span<const plan::System> plans = {}; // For `anteroom plan --poll`.
    const HistoryViews* history = nullptr;    // Null: its system's tables are not shown.
    // Throws ConfigError when the settings cannot be used.
    std::shared_ptr<Dialect> (*open)(const DialectSettings&, const DialectSurroundings&) = nullptr;
};

} // namespace anteroom
