#include "dialects/urr/settings.h"

#include "base/config_error.h"
#include "net/url.h"

namespace anteroom::urr {

Options read_options(const DialectSettings& settings, const DialectSurroundings&) {
    const std::string& url = settings.text("catalogue_url");
    std::string example = url;
    if (const std::size_t at = url.find("{event}"); at != url.npos) example.replace(at, 7, "x");
    if (!url.empty() && !net::parse_url(example))
        throw ConfigError("urr.catalogue_url must be an http or https URL");
    Options options{
        .entry_pass_life = settings.span("entry_pass"),
        .trusts_vwr_position = settings.is_on("trust_vwr_position"),
        .unknown_is_404 = settings.is_on("unknown_is_404"),
    };
    options.catalogue.url = url;
    options.catalogue.token = settings.text("catalogue_token");
    options.catalogue.deadline = settings.span("catalogue_timeout");
    return options;
}

} // namespace anteroom::urr
