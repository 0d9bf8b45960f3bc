#include "app/dialect_config.h"

#include <fmt/format.h>

#include <cmath>

#include "base/duration.h"
#include "net/url.h"
#include "service/room_fields.h"
#include "token/secret.h"

namespace anteroom::app {
namespace {

Millis span(std::string_view name, const std::string& text, Millis least = Millis{1}) {
    const std::optional<Millis> value = parse_duration(text);
    if (!value || *value < least || *value > limits::span_max)
        throw ConfigError(
            fmt::format("{} must be a span such as \"10m\", at least {}", name, to_string(least)));
    return *value;
}

OriginLoad hhplus_load(const Config& config) {
    const OriginLoad load{.queries_per_second = config.hhplus_qps,
                          .queries = config.hhplus_queries,
                          .calls = config.hhplus_calls,
                          .retry = config.hhplus_retry};
    const auto is_good = [](double factor) { return factor > 0 && factor <= 1e9; };
    if (!is_good(load.queries_per_second) || !is_good(load.queries) || !is_good(load.calls) ||
        !is_good(load.retry))
        throw ConfigError("hhplus.qps, queries, calls and retry must be above 0");
    if (!(config.hhplus_margin < 1)) throw ConfigError("hhplus.margin must be from 0 to below 1");
    return load;
}

} // namespace

api::urr::Options urr_options(const Config& config) {
    const std::string& url = config.urr_catalogue_url;
    std::string example = url;
    if (const std::size_t at = url.find("{event}"); at != url.npos) example.replace(at, 7, "x");
    if (!url.empty() && !net::parse_url(example))
        throw ConfigError("urr.catalogue_url must be an http or https URL");
    api::urr::Options options{
        .entry_pass_life = span("urr.entry_pass", config.urr_entry_pass),
        .trusts_vwr_position = config.urr_trust_vwr_position,
        .unknown_is_404 = config.urr_unknown_is_404,
    };
    options.catalogue.url = url;
    options.catalogue.token = config.urr_catalogue_token;
    options.catalogue.deadline = span("urr.catalogue_timeout", config.urr_catalogue_timeout);
    return options;
}

api::tacos::Options tacos_options(const Config& config) {
    const api::tacos::Rules rules{
        .rank = config.tacos_rank,
        .min_wait = span("tacos.min_wait", config.tacos_min_wait, Millis{0}),
        .rate_milli = std::llround(std::min(config.tacos_rate_per_second, 1e9) * 1e3),
        .idle = span("tacos.idle", config.tacos_idle, seconds(1)),
        .enter_window = span("tacos.enter_window", config.tacos_enter_window, seconds(1)),
        .grant = span("tacos.grant", config.tacos_grant, seconds(1)),
    };
    if (config.tacos_rate_per_second > 0 && rules.rate_milli == 0)
        throw ConfigError("tacos.rate_per_second must be 0 or at least 0.001");
    api::tacos::Options options{.room = room_settings(rules, config.defaults)};
    if (const std::string fault = fault_in_words(options.room); !fault.empty())
        throw ConfigError("tacos: " + fault);
    options.limit_burst = config.tacos_limit_burst;
    options.limit_per_second = config.tacos_limit_per_second;
    if (options.limit_burst < 1) throw ConfigError("tacos.limit_burst must be at least 1");
    options.idempotency = span("tacos.idempotency", config.tacos_idempotency, seconds(1));
    options.requires_idempotency_key = config.tacos_require_idempotency_key;
    options.trusts_body_user = config.tacos_trust_body_user;
    if (!config.tacos_test_token.empty()) {
        const Result<token::Secret> secret = token::Secret::from_text(config.tacos_test_token);
        if (!secret) throw ConfigError("tacos.test_token: " + secret.fault().reason);
        options.test_token = config.tacos_test_token;
    }
    options.flush_prefix = config.tacos_flush;
    // Paths that several dialects have go to the one that stands first in `dialects`.
    options.comes_first = !config.dialects.empty() && config.dialects.front() == "tacos";
    options.version = ANTEROOM_VERSION;
    return options;
}

api::portal::Options portal_options(const Config& config) {
    return {.defaults = config.defaults.rules,
            .entered = span("portal.entered", config.portal_entered),
            .idle = span("portal.idle", config.portal_idle),
            .stream = span("portal.stream", config.portal_stream),
            .idempotent_enter = config.portal_idempotent_enter,
            .drains = config.portal_deactivate == "drain"};
}

api::hhplus::Options hhplus_options(const Config& config) {
    api::hhplus::Options options{
        .room = config.hhplus_room,
        .lease_reserved = span("hhplus.lease_reserved", config.hhplus_lease_reserved),
        .trusts_user_id = config.hhplus_trust_user_id};
    if (!is_room_id(options.room))
        throw ConfigError("hhplus.room must be 1 to 128 of A-Z a-z 0-9 . _ : ~ -");
    Settings& rules = options.settings.rules;
    rules.admit_interval = span("hhplus.interval", config.hhplus_interval);
    options.load = hhplus_load(config);
    options.margin = config.hhplus_margin;
    // The calculation of the original's design, unless the number itself is given.
    const double per_second = visitors_per_second(options.load, options.margin);
    rules.admit_batch =
        config.hhplus_batch > 0
            ? config.hhplus_batch
            : std::min(batch_of(per_second, rules.admit_interval), limits::count_max);
    if (config.hhplus_max_active > 0) rules.capacity = config.hhplus_max_active;
    rules.lease = rules.lease_max = span("hhplus.lease", config.hhplus_lease);
    rules.idle = span("hhplus.idle", config.hhplus_idle);
    rules.wait_min = span("hhplus.wait_min", config.hhplus_wait_min, Millis{0});
    if (const std::string fault = fault_in_words(options.settings); !fault.empty())
        throw ConfigError("hhplus: " + fault);
    if (options.lease_reserved < Millis{1} || options.lease_reserved > rules.lease)
        throw ConfigError("hhplus.lease_reserved must be from 1ms to hhplus.lease");
    return options;
}

} // namespace anteroom::app
