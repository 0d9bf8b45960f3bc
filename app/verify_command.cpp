#include "app/verify_command.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/exit_codes.h"
#include "app/gate_rules.h"
#include "app/installation.h"
#include "gate/decide.h"
#include "gate/key_witness.h"
#include "net/text.h"
#include "token/json_object.h"
#include "token/jwks.h"

namespace anteroom::app {
namespace {

// The request of the command line; the question looks into it.
struct Asked {
    std::string host;
    std::string target;
    std::string cookie;
    std::vector<net::Header> headers;
};

// Not parse_url: an operator may ask about a path that parse_url refuses.
void split_url(const std::string& url, Asked& asked) {
    const std::size_t scheme = url.find("://");
    if (url.starts_with('/')) {
        asked.target = url;
        return;
    }
    if (scheme == url.npos || !net::equals_ignoring_case(url.substr(0, 4), "http"))
        throw ConfigError(fmt::format("\"{}\" is neither an http URL nor a path", url));
    const std::size_t begin = scheme + 3;
    const std::size_t end = std::min(url.find_first_of("/?", begin), url.size());
    asked.host = url.substr(begin, end - begin);
    asked.target = url.substr(end);
    if (!asked.target.starts_with('/')) asked.target.insert(0, "/");
}

Asked request_of(const VerifyOptions& options) {
    Asked asked;
    split_url(options.url, asked);
    for (const std::string& header : options.headers) {
        const std::size_t colon = header.find(':');
        if (colon == header.npos || colon == 0)
            throw ConfigError(fmt::format("--header takes NAME:VALUE, not \"{}\"", header));
        const std::string_view text = header;
        asked.headers.push_back({text.substr(0, colon), net::trim(text.substr(colon + 1))});
    }
    for (const std::string& cookie : options.cookies) {
        if (cookie.find('=') == cookie.npos || cookie.starts_with('='))
            throw ConfigError(fmt::format("--cookie takes NAME=VALUE, not \"{}\"", cookie));
        asked.cookie += (asked.cookie.empty() ? "" : "; ") + cookie;
    }
    return asked;
}

std::optional<token::AccessVerifier> logins(const Config& config) {
    if (config.jwks_file.empty() && config.jwt_secret.empty()) return std::nullopt;
    Result<token::AccessVerifier> verifier = [&]() -> Result<token::AccessVerifier> {
        if (config.jwks_file.empty())
            return token::AccessVerifier::from_secret(config.jwt_secret, access_rules(config));
        Result<token::JwkSet> set = token::load_jwks(config.jwks_file);
        if (!set) return set.fault();
        return token::AccessVerifier::from_jwks(*set, config.jwt_secret, access_rules(config));
    }();
    if (!verifier) throw ConfigError("auth: " + verifier.fault().reason);
    return *std::move(verifier);
}

std::string in_json(const gate::Decision& decision) {
    std::string out = fmt::format(R"({{"verdict":"{}","status":{})", gate::name(decision.verdict),
                                  decision.status);
    const auto add = [&](std::string_view name, std::string_view value) {
        if (value.empty()) return;
        out += fmt::format(",\"{}\":", name);
        token::append_json_string(out, value);
    };
    if (decision.rule) {
        add("rule", decision.rule->name);
        out += fmt::format(",\"line\":{}", decision.rule->line);
    }
    add("reason", decision.reason);
    add("detail", decision.detail);
    add("event", decision.event.view());
    add("user", decision.user);
    add("error", decision.error);
    add("location", decision.location);
    return out + "}\n";
}

std::string outcome(const gate::Decision& decision) {
    switch (decision.verdict) {
        case gate::Verdict::pass: return "passes";
        case gate::Verdict::redirect:
            return fmt::format("is redirected (302) to {}", decision.location);
        case gate::Verdict::refuse:
        case gate::Verdict::bad_request: break;
    }
    return fmt::format("is refused with {} {}", decision.status, gate::refusal_body(decision));
}

std::string in_words(const gate::Decision& decision, const VerifyOptions& options) {
    std::string out = fmt::format("{} {} {}.", options.method, options.url, outcome(decision));
    if (decision.rule)
        out += fmt::format(" The rule \"{}\" (line {}) decided: {}", decision.rule->name,
                           decision.rule->line, decision.reason);
    else
        out += fmt::format(" No rule was asked: {} {}", decision.reason, decision.detail);
    if (decision.rule && !decision.detail.empty()) out += fmt::format(" ({})", decision.detail);
    out += '.';
    if (!decision.event.empty()) out += fmt::format(" Event: {}.", decision.event.view());
    if (!decision.user.empty()) out += fmt::format(" User: {}.", decision.user);
    return out + '\n';
}

} // namespace

int verify(const Config& config, const VerifyOptions& options) {
    const gate::Rules rules = load_rules(options.rules);
    Asked asked = request_of(options);
    if (!asked.cookie.empty()) asked.headers.push_back({"cookie", asked.cookie});
    const gate::Question without_type{.headers = asked.headers};
    if (options.body && !gate::has_header(without_type, "content-type"))
        asked.headers.push_back({"content-type", "application/json"});
    if (options.user.empty() && !options.role.empty())
        throw ConfigError("--role belongs to a --user");
    const gate::Question question{.method = options.method,
                                  .host = asked.host,
                                  .target = asked.target,
                                  .headers = asked.headers,
                                  .body = options.body};
    const Installation installation = open_installation(config);
    token::PassVerifier passes(installation.keys);
    gate::KeyWitness witness(passes, wall_clock(), options.active);
    std::optional<token::AccessVerifier> verifier = logins(config);
    if (!options.user.empty())
        witness.say_user(options.user, options.role);
    else if (verifier)
        witness.read_user(question, *verifier);
    const gate::Decision decision = gate::decide(rules, question, witness);
    fmt::print("{}", options.json ? in_json(decision) : in_words(decision, options));
    return decision.verdict == gate::Verdict::pass ? exit_done : exit_no;
}

} // namespace anteroom::app
