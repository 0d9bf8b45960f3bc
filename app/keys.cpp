#include "app/keys.h"

#include <fmt/format.h>

#include "app/exit_codes.h"
#include "app/installation.h"
#include "base/duration.h"
#include "token/key_file.h"

namespace anteroom::app {
namespace {

// The key that hashes visitor ids never rotates: rooms remember visitors by it.
token::Purpose purpose_named(const std::string& name) {
    for (const token::Purpose purpose : token::purposes)
        if (purpose != token::Purpose::visitor && token::name(purpose) == name) return purpose;
    throw ConfigError(fmt::format("--rotate takes ticket, outer or entry, not \"{}\"", name));
}

} // namespace

int keys(const Config& config, const KeysOptions& options) {
    Installation installation = open_installation(config);
    if (!options.rotate.empty()) {
        const token::Purpose purpose = purpose_named(options.rotate);
        const std::optional<Millis> overlap = parse_duration(options.overlap);
        if (!overlap) throw ConfigError("--overlap takes a duration such as 1h");
        const token::Algorithm algorithm =
            options.ed25519 ? token::Algorithm::ed25519 : token::Algorithm::hs256;
        const Result<std::string> kid =
            installation.keys.rotate(purpose, wall_clock(), *overlap, algorithm);
        if (!kid) throw ConfigError(kid.fault().reason);
        const Result<void> saved = token::save_keys(installation.keys, key_file_path(config));
        if (!saved) throw ConfigError(saved.fault().reason);
        fmt::print("new key {} for {}; send SIGHUP to running servers\n", *kid, options.rotate);
    }
    fmt::print("{}", installation.keys.masked());
    return exit_done;
}

} // namespace anteroom::app
