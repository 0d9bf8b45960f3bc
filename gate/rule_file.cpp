// Reads rule files (docs/gate.md) strictly: what is not understood is a mistake, not a default.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "gate/rules.h"
#include "net/text.h"
#include "token/json_object.h"

namespace anteroom::gate {
namespace {

constexpr std::size_t file_bytes_max = 256 * 1024;
constexpr std::size_t rules_max = 256;
constexpr std::size_t name_length_max = 64;
constexpr std::size_t list_length_max = 64;
constexpr std::size_t redirect_length_max = 1'024;
constexpr std::size_t refusal_length_max = 1'024;
constexpr std::string_view hole = "{event}";

using Texts = std::vector<std::string>;

std::uint32_t line_of(const toml::node& node) {
    return node.source().begin.line;
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= name_length_max && text.front() != ' ' &&
           text.back() != ' ' &&
           std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// A cookie's name or a header's.
bool is_token(std::string_view text) {
    return !text.empty() && net::all(text, net::in_token);
}

bool is_host(std::string_view text) {
    if (text.starts_with("*.")) text.remove_prefix(2);
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || net::is_digit(c) || c == '-' || c == '.';
    });
}

// A path of this site, or another one over TLS; never "//elsewhere".
bool is_redirect(std::string_view text) {
    if (text.size() > redirect_length_max || !net::all(text, net::in_target)) return false;
    if (text.find('\\') != text.npos) return false;
    return text.starts_with("https://") || (text.starts_with('/') && !text.starts_with("//"));
}

// Braces may only stand where {event} does.
bool has_other_holes(std::string_view text) {
    for (std::size_t at = 0; (at = text.find_first_of("{}", at)) != text.npos; at += hole.size())
        if (!text.substr(at).starts_with(hole)) return true;
    return false;
}

// It also travels in a header: no line ends, no other control characters.
bool is_refusal(std::string text) {
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    };
    if (text.size() > refusal_length_max || std::ranges::any_of(text, is_control)) return false;
    token::JsonObject object;
    return object.parse(text) == token::JsonFault::none;
}

// "header:NAME" or "cookie:NAME".
std::optional<TokenPlace> token_place(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view where = text.substr(0, colon);
    const std::string_view name = colon == text.npos ? "" : text.substr(colon + 1);
    if ((where != "header" && where != "cookie") || !is_token(name)) return std::nullopt;
    return TokenPlace{where == "header" ? Condition::Where::header : Condition::Where::cookie,
                      std::string(name)};
}

class RuleReader {
  public:
    explicit RuleReader(std::string_view file) : file_(file) {}

    Result<Rules> read(std::string_view text);

  private:
    void read_file(const toml::table& file);
    void read_version(const toml::node* version);
    void read_compat(const toml::node& node);
    void read_list(const toml::node* node);
    void read_rule(const toml::table& table);
    void read_key(Rule& rule, std::string_view key, const toml::node& node);
    void read_name(Rule& rule, const toml::node& node);
    void read_methods(Rule& rule, const toml::node& node);
    void read_hosts(Rule& rule, const toml::node& node);
    void read_path(Rule& rule, std::string_view text, std::uint32_t line);
    void read_paths(Rule& rule, const toml::node& node);
    void read_conditions(Rule& rule, const toml::node& node, bool present);
    void read_needs(Rule& rule, const toml::node& node);
    void read_kind(Rule& rule, const toml::node& node);
    void read_body_event(Rule& rule, const toml::node& node);
    void read_redirects(Rule& rule, const toml::node& node);
    void read_ticket(Rule& rule, const toml::node& node);
    void read_refusal(Rule& rule, const toml::node& node);
    void check_rule(Rule& rule, const toml::table& table);
    void check_order();

    void blame(std::uint32_t line, std::string_view what) {
        if (!faults_.empty()) faults_ += '\n';
        faults_ += fmt::format("{}:{}: {}", file_, line, what);
    }
    std::string text_of(const toml::node& node, std::string_view key);
    bool truth_of(const toml::node& node, std::string_view key);
    Texts texts_of(const toml::node& node, std::string_view key);
    std::string redirect_of(const toml::node& node);

    std::string file_;
    std::string faults_;
    Rules rules_;
};

Result<Rules> RuleReader::read(std::string_view text) {
    if (text.size() > file_bytes_max) return Fault{file_ + ": the file is too large"};
    try {
        read_file(toml::parse(text));
    } catch (const toml::parse_error& error) {
        blame(error.source().begin.line, error.description());
    }
    if (!faults_.empty()) return Fault{std::move(faults_)};
    return std::move(rules_);
}

void RuleReader::read_file(const toml::table& file) {
    for (const auto& [key, node] : file) {
        if (key == "version" || key == "rule") continue;
        if (key == "compat")
            read_compat(node);
        else
            blame(line_of(node), fmt::format("there is no key \"{}\" here", key.str()));
    }
    read_version(file.get("version"));
    read_list(file.get("rule"));
    if (faults_.empty()) check_order();
}

void RuleReader::read_version(const toml::node* version) {
    if (!version) return blame(1, "\"version = 1\" is missing");
    const auto* number = version->as_integer();
    if (!number || number->get() != 1)
        blame(line_of(*version), "version must be 1, the only one there is");
}

void RuleReader::read_compat(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return blame(line_of(node), "compat must be a section: [compat]");
    for (const auto& [key, value] : *table) {
        if (key == "redirect_api")
            rules_.redirect_api = truth_of(value, key.str());
        else if (key == "anonymous_entry")
            rules_.anonymous_entry = truth_of(value, key.str());
        else
            blame(line_of(value), fmt::format("there is no key \"compat.{}\"", key.str()));
    }
}

void RuleReader::read_list(const toml::node* node) {
    if (!node) return blame(1, "there is no rule; each begins with [[rule]]");
    const toml::array* list = node->as_array();
    if (!list || list->empty() || !list->is_array_of_tables())
        return blame(line_of(*node), "rules must be written as [[rule]]");
    if (list->size() > rules_max)
        return blame(line_of(*node), fmt::format("there are more than {} rules", rules_max));
    for (const toml::node& one : *list) read_rule(*one.as_table());
}

void RuleReader::read_rule(const toml::table& table) {
    Rule rule;
    rule.line = line_of(table);
    // Redirects depend on the needs and the paths, whatever the order in the file.
    for (const auto& [key, node] : table)
        if (key != "redirect") read_key(rule, key.str(), node);
    if (const toml::node* redirect = table.get("redirect")) read_redirects(rule, *redirect);
    check_rule(rule, table);
    rules_.list.push_back(std::move(rule));
}

void RuleReader::read_key(Rule& rule, std::string_view key, const toml::node& node) {
    if (key == "name") return read_name(rule, node);
    if (key == "methods") return read_methods(rule, node);
    if (key == "hosts") return read_hosts(rule, node);
    if (key == "path") {
        const std::string text = text_of(node, key);
        if (!text.empty()) read_path(rule, text, line_of(node));
        return;
    }
    if (key == "paths") return read_paths(rule, node);
    if (key == "present") return read_conditions(rule, node, true);
    if (key == "absent") return read_conditions(rule, node, false);
    if (key == "needs") return read_needs(rule, node);
    if (key == "kind") return read_kind(rule, node);
    if (key == "body_event") return read_body_event(rule, node);
    if (key == "room") {
        rule.room = text_of(node, key);
        return;
    }
    if (key == "ticket") return read_ticket(rule, node);
    if (key == "refusal") return read_refusal(rule, node);
    if (key == "deny") {
        rule.deny = truth_of(node, key);
        return;
    }
    blame(line_of(node), fmt::format("a rule has no key \"{}\"", key));
}

void RuleReader::read_name(Rule& rule, const toml::node& node) {
    rule.name = text_of(node, "name");
    if (node.is_string() && !is_name(rule.name))
        blame(line_of(node),
              fmt::format("a name has 1 to {} visible ASCII characters", name_length_max));
    for (const Rule& other : rules_.list)
        if (!rule.name.empty() && other.name == rule.name)
            blame(line_of(node),
                  fmt::format("the name \"{}\" is taken by line {}", rule.name, other.line));
}

void RuleReader::read_methods(Rule& rule, const toml::node& node) {
    rule.methods = texts_of(node, "methods");
    for (const std::string& method : rule.methods)
        if (!is_token(method) ||
            std::ranges::any_of(method, [](char c) { return c >= 'a' && c <= 'z'; }))
            blame(line_of(node),
                  fmt::format("\"{}\" is no method; they are written like \"GET\"", method));
}

void RuleReader::read_hosts(Rule& rule, const toml::node& node) {
    rule.hosts = texts_of(node, "hosts");
    for (const std::string& host : rule.hosts)
        if (!is_host(host))
            blame(line_of(node),
                  fmt::format("\"{}\" is no host; small letters, no port, or *.example.org", host));
}

void RuleReader::read_path(Rule& rule, std::string_view text, std::uint32_t line) {
    Result<Pattern> pattern = Pattern::parse(text);
    if (!pattern)
        return blame(line, fmt::format("the path \"{}\" {}", text, pattern.fault().reason));
    for (const Pattern& other : rule.paths)
        if (other.covers(*pattern))
            blame(line, fmt::format("the path \"{}\" is already in the rule", text));
    rule.paths.push_back(*std::move(pattern));
}

void RuleReader::read_paths(Rule& rule, const toml::node& node) {
    for (const std::string& text : texts_of(node, "paths")) read_path(rule, text, line_of(node));
}

void RuleReader::read_conditions(Rule& rule, const toml::node& node, bool present) {
    for (const std::string& text : texts_of(node, present ? "present" : "absent")) {
        std::optional<TokenPlace> place = token_place(text);
        if (!place) {
            blame(line_of(node),
                  fmt::format("\"{}\" must be \"header:NAME\" or \"cookie:NAME\"", text));
            continue;
        }
        rule.conditions.push_back({place->where, std::move(place->name), present});
    }
}

void RuleReader::read_needs(Rule& rule, const toml::node& node) {
    const toml::array* list = node.as_array();
    if (list && list->empty()) return; // "needs = []" says that nothing is needed.
    for (const std::string& text : texts_of(node, "needs")) {
        bool known = false;
        for (const Need need : {Need::outer, Need::entry, Need::user, Need::admin, Need::inside}) {
            if (name(need) != text) continue;
            known = true;
            if (std::ranges::find(rule.needs, need) != rule.needs.end())
                blame(line_of(node), fmt::format("\"{}\" is needed twice", text));
            rule.needs.push_back(need);
        }
        if (!known)
            blame(line_of(node),
                  fmt::format("\"{}\" is no need; there are outer, entry, user, admin and inside",
                              text));
    }
}

void RuleReader::read_kind(Rule& rule, const toml::node& node) {
    const std::string text = text_of(node, "kind");
    if (text == "page")
        rule.kind = RequestKind::page;
    else if (text == "api")
        rule.kind = RequestKind::api;
    else if (node.is_string())
        blame(line_of(node), "kind must be \"page\" or \"api\"");
}

void RuleReader::read_body_event(Rule& rule, const toml::node& node) {
    rule.body_event = text_of(node, "body_event");
    if (!rule.body_event.empty() && !is_name(rule.body_event))
        blame(line_of(node), "body_event is the name of a member: visible ASCII characters");
}

void RuleReader::read_ticket(Rule& rule, const toml::node& node) {
    const std::string text = text_of(node, "ticket");
    std::optional<TokenPlace> place = token_place(text);
    if (!place && !text.empty())
        blame(line_of(node),
              fmt::format("\"{}\" must be \"header:NAME\" or \"cookie:NAME\"", text));
    rule.ticket = std::move(place);
}

void RuleReader::read_refusal(Rule& rule, const toml::node& node) {
    const toml::table* table = node.as_table();
    const auto* status = table ? table->get_as<std::int64_t>("status") : nullptr;
    const auto* body = table ? table->get_as<std::string>("body") : nullptr;
    if (!status || !body || table->size() != 2 || (status->get() != 401 && status->get() != 403))
        return blame(line_of(node),
                     "refusal must be { status = 401, body = \"…\" }, with 401 or 403");
    if (!is_refusal(body->get()))
        return blame(
            line_of(node),
            fmt::format("the body of a refusal is a JSON object in one line of at most {} bytes",
                        refusal_length_max));
    rule.refusal = OwnRefusal{static_cast<std::uint16_t>(status->get()), body->get()};
}

// One text for whatever is refused, or one for each need.
void RuleReader::read_redirects(Rule& rule, const toml::node& node) {
    if (rule.lets_everybody_pass())
        return blame(line_of(node), "a rule that refuses nobody has no redirect");
    const toml::table* table = node.as_table();
    if (!table) {
        rule.deny_redirect = redirect_of(node);
        rule.redirects.fill(rule.deny_redirect);
        return;
    }
    for (const auto& [key, value] : *table) {
        const std::string_view wanted = key.str(); // clang 14 captures no bindings.
        const auto need =
            std::ranges::find_if(rule.needs, [&](Need one) { return name(one) == wanted; });
        if (need == rule.needs.end())
            blame(line_of(value), fmt::format("the rule does not need \"{}\"", wanted));
        else
            rule.redirects[static_cast<std::size_t>(*need)] = redirect_of(value);
    }
}

void RuleReader::check_rule(Rule& rule, const toml::table& table) {
    if (!table.contains("name")) blame(rule.line, "the rule has no name");
    if (table.contains("path") == table.contains("paths"))
        return blame(rule.line, "a rule has either path or paths");
    if (rule.paths.empty()) return; // Said already.
    if (rule.deny && !rule.needs.empty())
        blame(rule.line, "a rule that denies needs nothing: remove needs, or deny");
    const bool captures = rule.captures();
    if (std::ranges::any_of(rule.paths,
                            [&](const Pattern& one) { return one.captures() != captures; }))
        blame(rule.line, "either all paths of a rule capture {event}, or none does");
    if (!captures && std::ranges::find(rule.needs, Need::outer) != rule.needs.end())
        blame(rule.line, "\"outer\" needs a path that captures {event}");
    if (!rule.body_event.empty() && std::ranges::find(rule.needs, Need::entry) == rule.needs.end())
        blame(rule.line, "body_event belongs to a rule that needs \"entry\"");
    const bool needs_inside = std::ranges::find(rule.needs, Need::inside) != rule.needs.end();
    if (needs_inside != rule.ticket.has_value() &&
        (needs_inside ? !table.contains("ticket") : true))
        blame(rule.line, "\"inside\" and ticket = \"header:NAME\" go together");
    if (!rule.room.empty() && (captures || rule.needs.empty()))
        blame(rule.line, "a room is for a rule that needs something and captures no {event}");
    if (rule.room.size() > segment_bytes_max) blame(rule.line, "the name of the room is too long");
    if (rule.refusal && rule.lets_everybody_pass())
        blame(rule.line, "a rule that refuses nobody has no refusal");
    if (rule.refusal && table.contains("redirect"))
        blame(rule.line, "a rule has either redirect or refusal");
    const auto uses_event = [](const std::string& text) { return text.find(hole) != text.npos; };
    if (!captures &&
        (uses_event(rule.deny_redirect) || std::ranges::any_of(rule.redirects, uses_event)))
        blame(rule.line, "the redirect uses {event}, which the path does not capture");

    const auto unless_given = [&](Need need, std::string_view text) {
        std::string& redirect = rule.redirects[static_cast<std::size_t>(need)];
        if (redirect.empty()) redirect = text;
    };
    unless_given(Need::outer, "/vwr/{event}");
    unless_given(Need::entry, captures ? "/queue/{event}" : "/queue");
}

void RuleReader::check_order() {
    for (std::size_t later = 1; later < rules_.list.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            if (!hides(rules_.list[earlier], rules_.list[later])) continue;
            blame(rules_.list[later].line,
                  fmt::format("the rule \"{}\" never decides: \"{}\" in line {} takes all it fits",
                              rules_.list[later].name, rules_.list[earlier].name,
                              rules_.list[earlier].line));
            break;
        }
    const Rule& last = rules_.list.back();
    const bool fits_all = last.methods.empty() && last.hosts.empty() && last.conditions.empty() &&
                          std::ranges::any_of(last.paths, &Pattern::is_everything);
    if (!fits_all)
        blame(last.line, "the last rule must fit everything: path = \"/**\", and no conditions");
}

std::string RuleReader::text_of(const toml::node& node, std::string_view key) {
    if (const auto* text = node.as_string(); text && !text->get().empty()) return text->get();
    blame(line_of(node), fmt::format("{} must be a text", key));
    return {};
}

bool RuleReader::truth_of(const toml::node& node, std::string_view key) {
    if (const auto* truth = node.as_boolean()) return truth->get();
    blame(line_of(node), fmt::format("{} must be true or false", key));
    return false;
}

Texts RuleReader::texts_of(const toml::node& node, std::string_view key) {
    const toml::array* list = node.as_array();
    if (!list || list->empty() || list->size() > list_length_max ||
        !list->is_homogeneous<std::string>()) {
        blame(line_of(node),
              fmt::format("{} must be a list of 1 to {} texts", key, list_length_max));
        return {};
    }
    Texts texts;
    for (const toml::node& one : *list) texts.push_back(one.as_string()->get());
    return texts;
}

std::string RuleReader::redirect_of(const toml::node& node) {
    std::string text = text_of(node, "redirect");
    if (text.empty()) return text;
    if (!is_redirect(text))
        blame(line_of(node),
              "a redirect begins with one slash or with https://, and has no spaces");
    else if (has_other_holes(text))
        blame(line_of(node), "a redirect may hold {event}, and no other braces");
    return text;
}

} // namespace

Result<Rules> read_rules(std::string_view toml, std::string_view file) {
    return RuleReader(file).read(toml);
}

} // namespace anteroom::gate
