#include "dialects/portal/settings.h"

#include "base/config_error.h"

namespace anteroom::portal {

Options read_options(const DialectSettings& settings, const DialectSurroundings& surroundings) {
    return {.defaults = surroundings.defaults.rules,
            .entered = settings.span("entered"),
            .idle = settings.span("idle"),
            .stream = settings.span("stream"),
            .idempotent_enter = settings.is_on("idempotent_enter"),
            .drains = settings.text("deactivate") == "drain",
            .issuer = surroundings.issuer};
}

} // namespace anteroom::portal
