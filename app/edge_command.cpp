#include "app/edge_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/exit_codes.h"
#include "app/gate_config.h"
#include "app/gate_rules.h"
#include "app/installation.h"
#include "base/text.h"
#include "gate/edge.h"
#include "net/text.h"
#include "net/url.h"
#include "token/whole_file.h"

namespace anteroom::app {
namespace {

// `mode`: a file with secrets is for its owner only.
void write_file(const std::string& path, std::string_view text, mode_t mode) {
    const token::Descriptor file(
        open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (!file) throw DataError(fmt::format("{}: {}", path, std::strerror(errno)));
    if (fchmod(file.number(), mode) != 0 && mode == 0600)
        throw DataError(fmt::format("{}: {}", path, std::strerror(errno)));
    while (!text.empty()) {
        const ssize_t written = write(file.number(), text.data(), text.size());
        if (written <= 0) throw DataError(fmt::format("{} cannot be written", path));
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void tell_variables(const gate::EdgeFile& file) {
    for (const std::string& name : file.variables)
        fmt::print(stderr, "anteroom: the file asks for {} where it runs\n", name);
}

} // namespace

int edge(const Config& config, const EdgeCommandOptions& options) {
    const gate::Rules rules = load_rules(options.rules);
    if (!options.active_url.empty() && !net::parse_url(options.active_url))
        throw ConfigError("--active-url must be an http or https URL");
    if (!is_utf8(config.jwt_secret)) throw ConfigError("auth.jwt_secret must be UTF-8");
    for (const gate::Rule& rule : rules.list)
        if (rule.ticket || rule.refusal || !rule.room.empty())
            throw ConfigError(fmt::format(
                "the rule \"{}\" has a ticket, a room or a refusal of its own, which only the "
                "server knows; an edge cannot",
                rule.name));
    const std::vector<std::string> edge_secrets = gate_edge_secrets(config);
    const Installation installation = open_installation(config);
    const gate::EdgeFile file = gate::edge_file(
        rules, installation.keys,
        {.platform = options.platform == "cloudfront" ? gate::EdgePlatform::cloudfront
                                                      : gate::EdgePlatform::cloudflare,
         .active_url = options.active_url,
         .active_seconds = options.active_seconds,
         .fail_open = options.fail == "open",
         .inline_secrets = options.inline_secrets,
         .access_secret = config.jwt_secret,
         .access_rules = access_rules(config),
         .stamps = !edge_secrets.empty(),
         .edge_secret = edge_secrets.empty() ? "" : edge_secrets.front()});
    if (!config.jwks_file.empty())
        fmt::print(stderr,
                   "anteroom: the edge knows no keys of auth.jwks_file; who has a token "
                   "signed by them is nobody there\n");
    tell_variables(file);
    if (options.output.empty())
        fmt::print("{}", file.text);
    else
        write_file(options.output, file.text, options.inline_secrets ? 0600 : 0644);
    return exit_done;
}

} // namespace anteroom::app
