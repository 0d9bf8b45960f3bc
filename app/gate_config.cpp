#include "app/gate_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/gate_rules.h"
#include "base/duration.h"
#include "base/text.h"
#include "gate/edge_stamp.h"
#include "gate/proxy.h"
#include "gate/rules.h"
#include "net/text.h"
#include "net/url.h"
#include "service/window_limiter.h"
#include "token/whole_file.h"

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

std::vector<std::string> gate_edge_secrets(const Config& config) {
    constexpr std::size_t bytes_max = 8 * 1024;
    if (config.gate_edge_key_file.empty())
        return config.gate_edge_key.empty() ? std::vector<std::string>{}
                                            : std::vector{config.gate_edge_key};
    if (!config.gate_edge_key.empty())
        throw ConfigError("gate.edge_key and gate.edge_key_file say the same: keep one");
    const Result<token::WholeFile> file =
        token::read_whole_file(config.gate_edge_key_file, bytes_max);
    if (!file) throw ConfigError("gate.edge_key_file: " + file.fault().reason);
    std::vector<std::string> secrets;
    std::string_view left = file->text;
    while (!left.empty()) {
        const std::string_view line = left.substr(0, left.find('\n'));
        left.remove_prefix(std::min(line.size() + 1, left.size()));
        if (!line.empty()) secrets.emplace_back(line);
    }
    if (secrets.empty()) throw ConfigError("gate.edge_key_file holds no secret");
    return secrets;
}

std::shared_ptr<const gate::EdgeKeys> gate_edge_keys(const Config& config) {
    const std::vector<std::string> secrets = gate_edge_secrets(config);
    if (secrets.empty()) return nullptr;
    for (const std::string& secret : secrets) {
        // The edge is given it as JSON, in an environment, or in a form of its CDN's.
        if (!is_utf8(secret) || !net::all(secret, net::in_value) || net::trim(secret) != secret)
            throw ConfigError("gate.edge_key must be visible UTF-8 text");
        for (const std::string* other : {&config.ticket_key, &config.outer_key, &config.entry_key,
                                         &config.jwt_secret, &config.admin_token})
            if (*other == secret) throw ConfigError("gate.edge_key must be a secret of its own");
    }
    Result<gate::EdgeKeys> keys = gate::EdgeKeys::from_texts(secrets);
    if (!keys) throw ConfigError("gate.edge_key: " + keys.fault().reason);
    return std::make_shared<gate::EdgeKeys>(*std::move(keys));
}

gate::CallLimits gate_call_limits(const Config& config) {
    const bool always = config.gate_limits == "always", never = config.gate_limits == "never";
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
