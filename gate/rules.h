// Rules: which requests need what, as an ordered list. The first rule that fits decides.
//
// Invariant (kept by read_rules): the last rule fits everything, every rule can be reached, and a
// redirect that names {event} belongs to paths that capture one. A value; reading it from several
// threads is safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gate/pattern.h"
#include "gate/question.h"

namespace anteroom::gate {

enum class Need : std::uint8_t {
    outer,  // The outer pass of the captured event, while that event's outer line is active.
    entry,  // The entry pass of the captured event, or of any, and of the user who shows it.
    user,   // A logged-in user.
    admin,  // A user who may operate.
    inside, // The ticket of a visitor who is inside, where the rule says. Only the server knows.
};
inline constexpr std::size_t need_count = 5;
std::string_view name(Need need);

enum class RequestKind : std::uint8_t { page, api };

// A header or a cookie that must be there, or must not.
struct Condition {
    enum class Where : std::uint8_t { header, cookie };
    Where where;
    std::string name;
    bool present;
    friend bool operator==(const Condition&, const Condition&) = default;
};

// Where a request shows a token.
struct TokenPlace {
    Condition::Where where;
    std::string name;
};

// The answer to a refused request, instead of the built-in one.
struct OwnRefusal {
    std::uint16_t status = 403; // 401 or 403.
    std::string body;           // JSON.
};

struct Rule {
    std::string name;
    std::uint32_t line = 0;            // Where it stands in its file.
    std::vector<std::string> methods;  // Empty: all.
    std::vector<std::string> hosts;    // In small letters; "*.x" is every host below x. Empty: all.
    std::vector<Pattern> paths;        // One of them must fit.
    std::vector<Condition> conditions; // All must hold.
    std::vector<Need> needs;           // All must hold; none: the request passes.
    bool deny = false;
    std::string body_event; // Which member of the JSON body names the pass's event; empty: none.
    std::optional<RequestKind> kind; // Nothing: by the path.
    // Where a refused request is redirected to; "{event}" stands for the event. Empty: nowhere.
    std::array<std::string, need_count> redirects;
    std::string deny_redirect;
    std::string room;                 // The event of paths that capture none; empty: any.
    std::optional<TokenPlace> ticket; // With the need `inside`.
    std::optional<OwnRefusal> refusal;

    bool lets_everybody_pass() const { return needs.empty() && !deny; }
    bool captures() const { return paths.front().captures(); }
    const std::string& redirect(Need need) const {
        return redirects[static_cast<std::size_t>(need)];
    }
};

struct Rules {
    std::vector<Rule> list;
    bool redirect_api = false;    // API requests are redirected like pages.
    bool anonymous_entry = false; // An entry pass counts without a logged-in user.
};

struct Match {
    const Rule* rule;
    std::optional<std::string_view> event; // As it stands in the path.
};

// A rule with needs ignores the case of paths, one without needs does not: whether the origin
// ignores case or not, no spelling of a path gets around a rule with needs.
Match first_match(const Rules& rules, const Question& question, const CleanPath& path);

// Whether everything that fits `later` fits `earlier`, so that `later` never decides.
bool hides(const Rule& earlier, const Rule& later);

// Rules as text (docs/gate.md). `file` is its name in faults. The fault has one line for each
// mistake, with its line number.
Result<Rules> read_rules(std::string_view toml, std::string_view file);

// System U's matrix, repaired; and as it was, as far as rules can say it.
const Rules& default_rules();
const Rules& compat_rules();

} // namespace anteroom::gate
