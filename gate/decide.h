// decide: may this request pass? One function for the proxy, the verify route and the command line;
// the edge files say the same (tests/gate/decisions.json compares them).
//
// Pure: everything that changes is asked of the witness. A request that passes allocates nothing
// here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "gate/path.h"
#include "gate/question.h"
#include "gate/rules.h"
#include "gate/witness.h"

namespace anteroom::gate {

enum class Verdict : std::uint8_t {
    pass,
    redirect,    // 302 to `location`.
    refuse,      // 401 or 403 with a JSON body.
    bad_request, // 400, or 415: the path or the body can be read in two ways.
};
std::string_view name(Verdict verdict);

// An event's id, copied so that a decision outlives its request.
class EventId {
  public:
    void assign(std::string_view text); // Empty afterwards when it is too long to be a room's.
    void to_lower_case();
    std::string_view view() const { return {text_.data(), length_}; }
    bool empty() const { return length_ == 0; }

  private:
    std::array<char, segment_bytes_max> text_{};
    std::size_t length_ = 0;
};

// Which rule a request meets.
struct MatchedRule {
    const Rule* rule = nullptr; // Null: the path cannot be read. Lives with the rules.
    PathFault fault = PathFault::none;
    EventId event; // Captured from the path, or the rule's own room.
    bool names_event = false;
    bool is_api = false; // Below /api.
};
MatchedRule match_rule(const Rules& rules, const Question& question);

struct Decision {
    Verdict verdict = Verdict::bad_request;
    std::uint16_t status = 400; // What the client gets; 200 stands for "passes".
    const Rule* rule = nullptr; // Which rule decided; null: none. Lives with the rules.
    std::string_view error;     // For the client, in system U's words; empty: passes.
    std::string_view reason;    // For people, one clause.
    std::string_view detail;    // A stable word that says more, or empty.
    EventId event;              // Captured from the path, or else named by the entry pass.
    std::string_view user;      // As the witness named it, if it was asked. Lives with the witness.
    std::string location;       // Where to go: the Location of a redirect, `redirectTo` in JSON.
};

Decision decide(const Rules& rules, const Question& question, const MatchedRule& matched,
                Witness& witness);
inline Decision decide(const Rules& rules, const Question& question, Witness& witness) {
    return decide(rules, question, match_rule(rules, question), witness);
}

// {"error":"…","redirectTo":"…"}. REQUIRES: the verdict is refuse or bad_request.
std::string refusal_body(const Decision& decision);

// The Cache-Control of every answer that the gate writes itself.
inline constexpr std::string_view refusal_cache_control = "no-store, no-cache, must-revalidate";

} // namespace anteroom::gate
