// What [hhplus] says of the queue of system H.
#include <fmt/format.h>

#include "app/config.h"
#include "app/plan.h"
#include "base/duration.h"
#include "service/room_fields.h"

namespace anteroom::app {
namespace {

Millis span(std::string_view name, const std::string& text) {
    const std::optional<Millis> value = parse_duration(text);
    if (!value) throw ConfigError(fmt::format("hhplus.{} must be a span such as \"10m\"", name));
    return *value;
}

// The calculation of the original's design, unless the number itself is given.
std::int64_t batch(const Config& config, Millis interval) {
    if (config.hhplus_batch > 0) return config.hhplus_batch;
    const OriginLoad load{.queries_per_second = config.hhplus_qps,
                          .queries = config.hhplus_queries,
                          .calls = config.hhplus_calls,
                          .retry = config.hhplus_retry};
    const auto is_good = [](double factor) { return factor > 0 && factor <= 1e9; };
    if (!is_good(load.queries_per_second) || !is_good(load.queries) || !is_good(load.calls) ||
        !is_good(load.retry))
        throw ConfigError("hhplus.qps, queries, calls and retry must be above 0");
    if (!(config.hhplus_margin < 1)) throw ConfigError("hhplus.margin must be from 0 to below 1");
    const double per_second = visitors_per_second(load, config.hhplus_margin);
    return std::min(batch_of(per_second, interval), limits::count_max);
}

} // namespace

api::hhplus::Options hhplus_options(const Config& config) {
    api::hhplus::Options options{
        .room = config.hhplus_room,
        .lease_reserved = span("lease_reserved", config.hhplus_lease_reserved),
        .trusts_user_id = config.hhplus_trust_user_id};
    if (!is_room_id(options.room))
        throw ConfigError("hhplus.room must be 1 to 128 of A-Z a-z 0-9 . _ : ~ -");
    Settings& rules = options.settings.rules;
    rules.admit_interval = span("interval", config.hhplus_interval);
    rules.admit_batch = batch(config, rules.admit_interval);
    if (config.hhplus_max_active > 0) rules.capacity = config.hhplus_max_active;
    rules.lease = rules.lease_max = span("lease", config.hhplus_lease);
    rules.idle = span("idle", config.hhplus_idle);
    rules.wait_min = span("wait_min", config.hhplus_wait_min);
    if (const std::string fault = fault_in_words(options.settings); !fault.empty())
        throw ConfigError("hhplus: " + fault);
    if (options.lease_reserved < Millis{1} || options.lease_reserved > rules.lease)
        throw ConfigError("hhplus.lease_reserved must be from 1ms to hhplus.lease");
    return options;
}

} // namespace anteroom::app
