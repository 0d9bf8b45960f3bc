#include "dialects/tacos/settings.h"

#include <algorithm>
#include <cmath>

#include "base/config_error.h"
#include "service/room_fields.h"
#include "token/secret.h"

namespace anteroom::tacos {

Options read_options(const DialectSettings& settings, const DialectSurroundings& surroundings) {
    const Rules rules{
        .rank = settings.whole("rank"),
        .min_wait = settings.span("min_wait", Millis{0}),
        .rate_milli = std::llround(std::min(settings.number("rate_per_second"), 1e9) * 1e3),
        .idle = settings.span("idle", seconds(1)),
        .enter_window = settings.span("enter_window", seconds(1)),
        .grant = settings.span("grant", seconds(1)),
    };
    if (settings.number("rate_per_second") > 0 && rules.rate_milli == 0)
        throw ConfigError("tacos.rate_per_second must be 0 or at least 0.001");
    Options options{.room = room_settings(rules, surroundings.defaults)};
    if (const std::string fault = fault_in_words(options.room); !fault.empty())
        throw ConfigError("tacos: " + fault);
    options.limit_burst = settings.whole("limit_burst");
    options.limit_per_second = settings.whole("limit_per_second");
    if (options.limit_burst < 1) throw ConfigError("tacos.limit_burst must be at least 1");
    options.idempotency = settings.span("idempotency", seconds(1));
    options.requires_idempotency_key = settings.is_on("require_idempotency_key");
    options.trusts_body_user = settings.is_on("trust_body_user");
    if (!settings.text("test_token").empty()) {
        const Result<token::Secret> secret = token::Secret::from_text(settings.text("test_token"));
        if (!secret) throw ConfigError("tacos.test_token: " + secret.fault().reason);
        options.test_token = settings.text("test_token");
    }
    options.flush_prefix = settings.text("flush");
    // The first one has the routes that several systems have.
    options.comes_first = surroundings.comes_first;
    options.version = surroundings.version;
    options.issuer = settings.text("jwt_issuer");
    options.audience = settings.text("jwt_audience");
    return options;
}

} // namespace anteroom::tacos
