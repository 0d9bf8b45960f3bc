// What [tacos] says: the rules of system T's events, and what its dialect may do.
#include <fmt/format.h>

#include <cmath>

#include "app/config.h"
#include "base/duration.h"
#include "service/room_fields.h"
#include "token/secret.h"

namespace anteroom::app {
namespace {

Millis span(std::string_view name, const std::string& text, Millis least) {
    const std::optional<Millis> value = parse_duration(text);
    if (!value || *value < least || *value > limits::span_max)
        throw ConfigError(fmt::format("tacos.{} must be a span such as \"30s\", at least {}", name,
                                      to_string(least)));
    return *value;
}

} // namespace

api::tacos::Options tacos_options(const Config& config) {
    constexpr Millis none{0};
    const api::tacos::Rules rules{
        .rank = config.tacos_rank,
        .min_wait = span("min_wait", config.tacos_min_wait, none),
        .rate_milli = std::llround(std::min(config.tacos_rate_per_second, 1e9) * 1e3),
        .idle = span("idle", config.tacos_idle, seconds(1)),
        .enter_window = span("enter_window", config.tacos_enter_window, seconds(1)),
        .grant = span("grant", config.tacos_grant, seconds(1)),
    };
    if (config.tacos_rate_per_second > 0 && rules.rate_milli == 0)
        throw ConfigError("tacos.rate_per_second must be 0 or at least 0.001");
    api::tacos::Options options{.room = room_settings(rules, config.defaults)};
    if (const std::string fault = fault_in_words(options.room); !fault.empty())
        throw ConfigError("tacos: " + fault);
    options.limit_burst = config.tacos_limit_burst;
    options.limit_per_second = config.tacos_limit_per_second;
    if (options.limit_burst < 1) throw ConfigError("tacos.limit_burst must be at least 1");
    options.idempotency = span("idempotency", config.tacos_idempotency, seconds(1));
    options.requires_idempotency_key = config.tacos_require_idempotency_key;
    options.trusts_body_user = config.tacos_trust_body_user;
    if (!config.tacos_test_token.empty()) {
        const Result<token::Secret> secret = token::Secret::from_text(config.tacos_test_token);
        if (!secret) throw ConfigError("tacos.test_token: " + secret.fault().reason);
        options.test_token = config.tacos_test_token;
    }
    options.flush_prefix = config.tacos_flush;
    // Who comes first has the routes that several systems have.
    options.owns_health = !config.dialects.empty() && config.dialects.front() == "tacos";
    options.version = ANTEROOM_VERSION;
    return options;
}

} // namespace anteroom::app
