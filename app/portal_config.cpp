// What [portal] says of the queues of system P.
#include <fmt/format.h>

#include "app/config.h"
#include "base/duration.h"

namespace anteroom::app {
namespace {

Millis span(std::string_view name, const std::string& text) {
    const std::optional<Millis> value = parse_duration(text);
    if (!value || *value < Millis{1} || *value > limits::span_max)
        throw ConfigError(fmt::format("portal.{} must be a span such as \"10m\"", name));
    return *value;
}

} // namespace

api::portal::Options portal_options(const Config& config) {
    const std::string& deactivate = config.portal_deactivate;
    if (deactivate != "expire" && deactivate != "drain")
        throw ConfigError("portal.deactivate must be \"expire\" or \"drain\"");
    return {.defaults = config.defaults.rules,
            .entered = span("entered", config.portal_entered),
            .idle = span("idle", config.portal_idle),
            .stream = span("stream", config.portal_stream),
            .idempotent_enter = config.portal_idempotent_enter,
            .drains = deactivate == "drain"};
}

} // namespace anteroom::app
