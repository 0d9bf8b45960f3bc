// Witness: who knows what a decision depends on besides the request and the rules.
//
// One witness speaks about one request. When a witness cannot know, it gives the answer that lets
// nobody through: the line is active, the pass is not valid, the user is nobody.
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
    bool is_untold = false;   // Nobody can say now; later, perhaps.
    std::string_view event;   // Whose pass it is; only of a valid one.
    std::string_view visitor; // Likewise.
    std::string_view why;     // A stable word; only of one that is not valid.
};

class Witness {
  public:
    virtual ~Witness() = default;

    virtual bool outer_line_active(std::string_view event) = 0;

    // Nothing: nobody is logged in. Views live as long as the witness.
    virtual std::optional<User> user() = 0;

    // Views live until the next call.
    virtual ShownPass outer_pass(std::string_view token, std::string_view event) = 0;
    // Nothing for the event: a pass of any event will do.
    virtual ShownPass entry_pass(std::string_view token, std::optional<std::string_view> event) = 0;
    // A ticket, in whatever shape the server gave it out: is who holds it inside now? `visitor` of
    // a valid one is empty when the ticket does not say.
    virtual ShownPass inside(std::string_view, std::optional<std::string_view>) {
        return {.why = "only the server can tell"};
    }
};

} // namespace anteroom::gate
