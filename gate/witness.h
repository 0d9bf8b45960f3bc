// Witness: the facts that a decision depends on besides the request and the rules: active lines,
// users, passes, tickets.
//
// One witness serves one request. A fact that a witness does not have is reported as the one that
// lets no request pass: the line is active, the pass is not valid, there is no user.
#pragma once

#include <optional>
#include <string_view>

namespace anteroom::gate {

struct User {
    std::string_view id;
    std::string_view role; // "admin", whatever the case, may operate.
};

// What a pass turned out to be.
struct ShownPass {
    bool valid = false;
    bool is_untold = false;   // Not known now, maybe later: 503.
    std::string_view event;   // The event of a valid one.
    std::string_view visitor; // The visitor of a valid one.
    std::string_view why;     // A stable word; only of one that is not valid.
};

class Witness {
  public:
    virtual ~Witness() = default;

    virtual bool outer_line_active(std::string_view event) = 0;

    // Nothing: no user is logged in. Views live as long as the witness.
    virtual std::optional<User> user() = 0;

    // Views live until the next call.
    virtual ShownPass outer_pass(std::string_view token, std::string_view event) = 0;
    // Nothing for the event: a pass of any event will do.
    virtual ShownPass entry_pass(std::string_view token, std::optional<std::string_view> event) = 0;
    // A ticket in any of the server's shapes; valid: its visitor is inside now. `visitor` is empty
    // when the ticket does not name one.
    virtual ShownPass inside(std::string_view, std::optional<std::string_view>) {
        return {.why = "only the server can tell"};
    }
};

} // namespace anteroom::gate
