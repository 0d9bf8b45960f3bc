#include "dialects/hhplus/settings.h"

#include <algorithm>

#include "base/config_error.h"
#include "service/room_fields.h"

namespace anteroom::hhplus {
namespace {

OriginLoad load_of(const DialectSettings& settings) {
    const OriginLoad load{.queries_per_second = settings.number("qps"),
                          .queries = settings.number("queries"),
                          .calls = settings.number("calls"),
                          .retry = settings.number("retry")};
    const auto is_good = [](double factor) { return factor > 0 && factor <= 1e9; };
    if (!is_good(load.queries_per_second) || !is_good(load.queries) || !is_good(load.calls) ||
        !is_good(load.retry))
        throw ConfigError("hhplus.qps, queries, calls and retry must be above 0");
    if (!(settings.number("margin") < 1))
        throw ConfigError("hhplus.margin must be from 0 to below 1");
    return load;
}

} // namespace

Options read_options(const DialectSettings& settings, const DialectSurroundings&) {
    Options options{.room = settings.text("room"),
                    .lease_reserved = settings.span("lease_reserved"),
                    .trusts_user_id = settings.is_on("trust_user_id")};
    if (!is_room_id(options.room))
        throw ConfigError("hhplus.room must be 1 to 128 of A-Z a-z 0-9 . _ : ~ -");
    Settings& rules = options.settings.rules;
    rules.admit_interval = settings.span("interval");
    options.load = load_of(settings);
    options.margin = settings.number("margin");
    // The calculation of the original's design, unless the number itself is given.
    const double per_second = visitors_per_second(options.load, options.margin);
    rules.admit_batch =
        settings.whole("batch") > 0
            ? settings.whole("batch")
            : std::min(batch_of(per_second, rules.admit_interval), limits::count_max);
    if (settings.whole("max_active") > 0) rules.capacity = settings.whole("max_active");
    rules.lease = rules.lease_max = settings.span("lease");
    rules.idle = settings.span("idle");
    rules.wait_min = settings.span("wait_min", Millis{0});
    if (const std::string fault = fault_in_words(options.settings); !fault.empty())
        throw ConfigError("hhplus: " + fault);
    if (options.lease_reserved < Millis{1} || options.lease_reserved > rules.lease)
        throw ConfigError("hhplus.lease_reserved must be from 1ms to hhplus.lease");
    return options;
}

} // namespace anteroom::hhplus
