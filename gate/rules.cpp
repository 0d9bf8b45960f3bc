#include "gate/rules.h"

#include <algorithm>

#include "base/check.h"
#include "gate/assets.h"
#include "net/text.h"

namespace anteroom::gate {
namespace {

bool fits_method(const Rule& rule, std::string_view method) {
    return rule.methods.empty() || std::ranges::find(rule.methods, method) != rule.methods.end();
}

bool fits_host(std::string_view wanted, std::string_view host) {
    if (!wanted.starts_with("*.")) return net::equals_ignoring_case(wanted, host);
    const std::string_view below = wanted.substr(1);
    return host.size() > below.size() &&
           net::equals_ignoring_case(host.substr(host.size() - below.size()), below);
}

bool fits_host(const Rule& rule, const Question& question) {
    if (rule.hosts.empty()) return true;
    const std::string_view host = host_name(question);
    return std::ranges::any_of(rule.hosts,
                               [&](const std::string& one) { return fits_host(one, host); });
}

bool holds(const Condition& condition, const Question& question) {
    const bool there = condition.where == Condition::Where::header
                           ? has_header(question, condition.name)
                           : cookie_of(question, condition.name).has_value();
    return there == condition.present;
}

bool fits_path(const Rule& rule, const CleanPath& path, std::optional<std::string_view>& event) {
    const LetterCase letters =
        rule.lets_everybody_pass() ? LetterCase::counts : LetterCase::ignored;
    return std::ranges::any_of(
        rule.paths, [&](const Pattern& one) { return one.matches(path, letters, event); });
}

bool hides_hosts(const Rule& earlier, const Rule& later) {
    if (earlier.hosts.empty()) return true;
    const auto hidden = [&](const std::string& host) {
        return std::ranges::any_of(earlier.hosts, [&](const std::string& wide) {
            return wide == host || (!host.starts_with("*.") && fits_host(wide, host));
        });
    };
    return !later.hosts.empty() && std::ranges::all_of(later.hosts, hidden);
}

Rules built_in(std::string_view text, std::string_view file) {
    Result<Rules> rules = read_rules(text, file);
    CHECK(rules);
    return *std::move(rules);
}

} // namespace

std::string_view name(Need need) {
    switch (need) {
        case Need::outer: return "outer";
        case Need::entry: return "entry";
        case Need::user: return "user";
        case Need::admin: return "admin";
        case Need::inside: return "inside";
    }
    CHECK(false);
}

Match first_match(const Rules& rules, const Question& question, const CleanPath& path) {
    for (const Rule& rule : rules.list) {
        std::optional<std::string_view> event;
        const bool all_hold = fits_method(rule, question.method) && fits_path(rule, path, event) &&
                              fits_host(rule, question) &&
                              std::ranges::all_of(rule.conditions, [&](const Condition& one) {
                                  return holds(one, question);
                              });
        if (all_hold) return {&rule, event};
    }
    CHECK(false); // The last rule fits everything.
}

bool hides(const Rule& earlier, const Rule& later) {
    const auto in_later = [&](const Condition& one) {
        return std::ranges::find(later.conditions, one) != later.conditions.end();
    };
    const auto takes_method = [&](const std::string& one) { return fits_method(earlier, one); };
    const auto covered = [&](const Pattern& narrow) {
        return std::ranges::any_of(earlier.paths,
                                   [&](const Pattern& wide) { return wide.covers(narrow); });
    };
    const bool methods =
        earlier.methods.empty() ||
        (!later.methods.empty() && std::ranges::all_of(later.methods, takes_method));
    return methods && hides_hosts(earlier, later) &&
           std::ranges::all_of(earlier.conditions, in_later) &&
           std::ranges::all_of(later.paths, covered);
}

const Rules& default_rules() {
    static const Rules rules = built_in(assets::default_rules, "default_rules.toml");
    return rules;
}

const Rules& compat_rules() {
    static const Rules rules = built_in(assets::compat_rules, "compat_rules.toml");
    return rules;
}

} // namespace anteroom::gate
