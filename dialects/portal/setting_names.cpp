// What can be set of system P, and the names that its operators know.
#include "desk/foreign_advice.h"
#include "dialects/portal/settings.h"

namespace anteroom::portal {
namespace {

constexpr DialectSetting settings_table[] = {
    {"entered", std::string_view("10m"), "duration",
     "How long a user who has entered keeps the slot."},
    {"idle", std::string_view("10m"), "duration",
     "A waiting entry expires when its user is not seen for so long."},
    {"stream", std::string_view("5m"), "duration",
     "How long one event stream lasts; the client then opens the next one."},
    {"idempotent_enter", false, "switch",
     "Entering twice is answered with 200 and the same status instead of S802."},
    {"deactivate", std::string_view("expire"), "choice",
     "What a deactivation does with users who wait: expire ends their entries, drain still lets "
     "them in.",
     "expire drain"},
};

constexpr OriginalName taken_names[] = {
    {"JWT_SECRET", "auth", "jwt_secret"},
};

constexpr ForeignName unused_names[] = {
    {"SPRING_DATA_REDIS_HOST", "store.url", advice::redis_address},
    {"SPRING_DATA_REDIS_PORT", "store.url", advice::redis_address},
    {"SPRING_DATA_REDIS_PASSWORD", "store.password", advice::redis_password},
    {"SPRING_DATASOURCE_URL", "history.url",
     "history.url writes the history into a database as well"},
    {"SPRING_KAFKA_BOOTSTRAP_SERVERS", "", advice::no_kafka},
};

} // namespace

std::span<const DialectSetting> settings() {
    return settings_table;
}

std::span<const OriginalName> original_names() {
    return taken_names;
}

std::span<const ForeignName> foreign_names() {
    return unused_names;
}

} // namespace anteroom::portal
