// What [gate] says.
#include <fmt/format.h>

#include "app/config.h"
#include "app/gate_rules.h"
#include "base/duration.h"
#include "net/url.h"
#include "service/window_limiter.h"

namespace anteroom::app {

std::shared_ptr<const gate::Rules> gate_rules(const Config& config) {
    try {
        return std::make_shared<gate::Rules>(load_rules(config.gate_rules));
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("gate.rules: {}", error.what()));
    }
}

gate::ProxyOptions gate_proxy(const Config& config) {
    gate::ProxyOptions options;
    for (const std::string& origin : config.gate_origin) {
        const std::optional<net::Url> url = net::parse_url(origin);
        if (!url || (url->target != "/" && !url->target.empty()))
            throw ConfigError(fmt::format(
                "gate.origin must be http://HOST:PORT or https://HOST:PORT, not \"{}\"", origin));
        options.origins.urls.push_back(origin);
    }
    const std::optional<Millis> timeout = parse_duration(config.gate_timeout);
    if (!timeout || *timeout <= Millis{0} || *timeout > hours(1))
        throw ConfigError("gate.timeout must be a span such as \"30s\", at most an hour");
    options.limits.first_byte = *timeout;
    options.origins.health.path = config.gate_health_path;
    if (!config.gate_health_path.empty() && !config.gate_health_path.starts_with('/'))
        throw ConfigError("gate.health_path must begin with /");
    options.origins.authorities = config.gate_authorities;
    options.via = "1.1 anteroom";
    return options;
}

gate::CallLimits gate_call_limits(const Config& config) {
    const bool always = config.gate_limits == "always", never = config.gate_limits == "never";
    if (!always && !never && config.gate_limits != "origin")
        throw ConfigError("gate.limits must be \"always\", \"origin\" or \"never\"");
    const auto limit = [](const char* name, std::int64_t value) {
        if (value > WindowLimiter::limit_max)
            throw ConfigError(fmt::format("gate.{}_per_minute must be at most {}", name,
                                          WindowLimiter::limit_max));
        return static_cast<std::uint32_t>(value);
    };
    const gate::CallLimits limits{limit("auth", config.gate_auth_per_minute),
                                  limit("queue", config.gate_queue_per_minute),
                                  limit("booking", config.gate_booking_per_minute),
                                  limit("general", config.gate_general_per_minute)};
    return always || (!never && !config.gate_origin.empty()) ? limits : gate::CallLimits{};
}

} // namespace anteroom::app
