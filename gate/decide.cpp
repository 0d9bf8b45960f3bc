#include "gate/decide.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "gate/body_event.h"
#include "net/text.h"
#include "token/json_object.h"

namespace anteroom::gate {
namespace {

struct Unmet {
    std::uint16_t status;
    std::string_view error;
    std::string_view reason;
    std::string_view detail = {};
};

Unmet no_outer(std::string_view reason, std::string_view detail = {}) {
    return {403, "Waiting room pass required", reason, detail};
}

// System U says the same whatever is wrong with the pass.
Unmet no_entry(std::string_view reason, std::string_view detail = {}) {
    return {403, "Queue entry token required", reason, detail};
}

Unmet untold(std::string_view detail) {
    return {503, "Try again later", "nobody can say now who is inside", detail};
}

constexpr Unmet nobody{401, "Authentication required", "nobody is logged in"};

bool is_unreserved(char c) {
    const char lower = net::to_lower(c);
    return (lower >= 'a' && lower <= 'z') || net::is_digit(c) ||
           std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string expand(std::string_view redirect, std::string_view event) {
    constexpr std::string_view hole = "{event}";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (std::size_t at = 0; at < redirect.size();) {
        if (redirect.substr(at).starts_with(hole)) {
            for (const char c : event) {
                const auto byte = static_cast<unsigned char>(c);
                if (is_unreserved(c))
                    out += c;
                else
                    out += {'%', digits[byte >> 4], digits[byte & 15]};
            }
            at += hole.size();
        } else {
            out += redirect[at++];
        }
    }
    return out;
}

// One decision in the making.
class Judge {
  public:
    Judge(const Rules& rules, const Question& question, Witness& witness)
        : rules_(rules), question_(question), witness_(witness) {}

    Decision decide(const MatchedRule& matched) {
        if (!matched.rule) {
            decision_.error = "Bad request";
            decision_.reason = "the path can be read in two ways: it has";
            decision_.detail = words(matched.fault);
            if (matched.fault == PathFault::not_absolute || matched.fault == PathFault::overlong)
                decision_.reason = "the path cannot be read: it has";
            return std::move(decision_);
        }
        decision_.rule = matched.rule;
        decision_.event = matched.event;
        captured_ = matched.names_event;
        is_api_ = matched.is_api;
        judge(*matched.rule);
        return std::move(decision_);
    }

  private:
    void judge(const Rule& rule) {
        if (rule.deny) {
            const Unmet denied{403, "Forbidden", "the rule lets nobody pass"};
            return refuse(denied, rule.deny_redirect);
        }
        for (const Need need : rule.needs)
            if (const std::optional<Unmet> unmet = look(need))
                return refuse(*unmet, rule.redirect(need));
        if (!rule.body_event.empty() && question_.body)
            if (const std::optional<Unmet> unmet = look_at_body(rule))
                return refuse(*unmet, rule.redirect(Need::entry));
        decision_.verdict = Verdict::pass;
        decision_.status = 200;
        decision_.reason =
            rule.needs.empty() ? "the rule asks for nothing" : "everything the rule asks for holds";
    }

    std::optional<Unmet> look(Need need) {
        switch (need) {
            case Need::outer: return look_for_outer();
            case Need::entry: return look_for_entry();
            case Need::user: return user() ? std::nullopt : std::optional(nobody);
            case Need::admin: return look_for_admin();
            case Need::inside: return look_for_inside();
        }
        CHECK(false);
    }

    std::optional<Unmet> look_for_outer() {
        const std::string_view event = decision_.event.view();
        if (!witness_.outer_line_active(event)) return std::nullopt;
        const std::string_view token = outer_token(question_);
        if (token.empty()) return no_outer("the outer line is active and no outer pass was shown");
        const ShownPass pass = witness_.outer_pass(token, event);
        if (!pass.valid) return no_outer("the outer pass is not valid", pass.why);
        return std::nullopt;
    }

    std::optional<Unmet> look_for_entry() {
        const std::string_view token = entry_token(question_);
        if (token.empty()) return no_entry("no entry pass was shown");
        const std::optional<User> shower = user();
        std::optional<std::string_view> event;
        if (captured_) event = decision_.event.view();
        const ShownPass pass = witness_.entry_pass(token, event);
        if (pass.is_untold) return untold(pass.why);
        if (!pass.valid) return no_entry("the entry pass is not valid", pass.why);
        if (!shower && !rules_.anonymous_entry)
            return no_entry("an entry pass was shown, but nobody is logged in");
        if (shower && shower->id != pass.visitor)
            return no_entry("the entry pass is somebody else's");
        if (!captured_) decision_.event.assign(pass.event);
        return std::nullopt;
    }

    std::optional<Unmet> look_for_inside() {
        const TokenPlace& place = *decision_.rule->ticket;
        const std::string_view ticket = place.where == Condition::Where::header
                                            ? header_token(question_, place.name)
                                            : cookie_token(question_, place.name);
        if (ticket.empty()) return no_entry("no ticket was shown");
        const std::optional<User> shower = user();
        std::optional<std::string_view> event;
        if (captured_) event = decision_.event.view();
        const ShownPass shown = witness_.inside(ticket, event);
        if (shown.is_untold) return untold(shown.why);
        if (!shown.valid) return no_entry("who holds the ticket is not inside", shown.why);
        const bool is_known = shower && !shower->id.empty() && !shown.visitor.empty();
        if (is_known && shower->id != shown.visitor)
            return no_entry("the ticket is somebody else's");
        if (!captured_) decision_.event.assign(shown.event);
        return std::nullopt;
    }

    std::optional<Unmet> look_for_admin() {
        const std::optional<User> who = user();
        if (!who) return nobody;
        if (net::equals_ignoring_case(who->role, "admin")) return std::nullopt;
        return Unmet{403, "Admin role required", "the user is no admin"};
    }

    // After the entry pass turned out to be good: the body must be about the same event.
    std::optional<Unmet> look_at_body(const Rule& rule) {
        const NamedEvent named = event_in_body(question_, rule.body_event);
        if (named.fault == BodyFault::not_json || named.fault == BodyFault::encoded)
            return Unmet{415, "The body must be plain application/json", "the body",
                         words(named.fault)};
        if (named.fault != BodyFault::none)
            return Unmet{400, "The body must be a JSON object that names its event once",
                         "the body", words(named.fault)};
        const std::string_view event = decision_.event.view();
        const bool same = is_uuid(named.event) ? net::equals_ignoring_case(named.event, event)
                                               : named.event == event;
        if (same) return std::nullopt;
        return no_entry("the body names another event than the entry pass");
    }

    std::optional<User> user() {
        const std::optional<User> who = witness_.user();
        if (who) decision_.user = who->id;
        return who;
    }

    void refuse(const Unmet& unmet, const std::string& redirect) {
        decision_.error = unmet.error;
        decision_.reason = unmet.reason;
        decision_.detail = unmet.detail;
        if (unmet.status == 400 || unmet.status == 415) {
            decision_.status = unmet.status;
            return; // A malformed request is not redirected.
        }
        if (unmet.status == 503) {
            decision_.verdict = Verdict::refuse;
            decision_.status = unmet.status;
            return; // Neither redirected nor given the rule's own answer: the server is at fault.
        }
        const RequestKind kind =
            decision_.rule->kind.value_or(is_api_ ? RequestKind::api : RequestKind::page);
        const bool is_page = kind == RequestKind::page || rules_.redirect_api;
        const std::optional<OwnRefusal>& own = decision_.rule->refusal;
        const bool redirects = is_page && !redirect.empty() && !own;
        decision_.verdict = redirects ? Verdict::redirect : Verdict::refuse;
        decision_.status = redirects ? std::uint16_t{302} : own ? own->status : unmet.status;
        decision_.location = expand(redirect, decision_.event.view());
    }

    const Rules& rules_;
    const Question& question_;
    Witness& witness_;
    Decision decision_;
    bool captured_ = false;
    bool is_api_ = false;
};

} // namespace

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case Verdict::pass: return "pass";
        case Verdict::redirect: return "redirect";
        case Verdict::refuse: return "refuse";
        case Verdict::bad_request: return "bad_request";
    }
    CHECK(false);
}

void EventId::assign(std::string_view text) {
    length_ = text.size() <= text_.size() ? text.size() : 0;
    std::copy_n(text.begin(), length_, text_.begin());
}

void EventId::to_lower_case() {
    for (char& c : text_) c = net::to_lower(c);
}

MatchedRule match_rule(const Rules& rules, const Question& question) {
    MatchedRule matched;
    CleanPath path;
    matched.fault = path.read(question.target);
    if (matched.fault != PathFault::none) return matched;
    const Match match = first_match(rules, question, path);
    matched.rule = match.rule;
    matched.is_api = path.is_api();
    matched.names_event = match.event.has_value() || !match.rule->room.empty();
    if (matched.names_event) matched.event.assign(match.event.value_or(match.rule->room));
    if (match.event && is_uuid(*match.event)) matched.event.to_lower_case();
    return matched;
}

Decision decide(const Rules& rules, const Question& question, const MatchedRule& matched,
                Witness& witness) {
    return Judge(rules, question, witness).decide(matched);
}

std::string refusal_body(const Decision& decision) {
    CHECK(decision.verdict == Verdict::refuse || decision.verdict == Verdict::bad_request);
    const bool has_own = decision.rule && decision.rule->refusal;
    if (has_own && decision.status == decision.rule->refusal->status)
        return decision.rule->refusal->body;
    std::string body = R"({"error":)";
    token::append_json_string(body, decision.error);
    if (!decision.location.empty()) {
        body += R"(,"redirectTo":)";
        token::append_json_string(body, decision.location);
    }
    return body += '}';
}

} // namespace anteroom::gate
