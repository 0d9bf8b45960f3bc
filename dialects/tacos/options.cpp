#include "dialects/tacos/options.h"

namespace anteroom::tacos {

RoomSettings room_settings(const Rules& rules, RoomSettings defaults) {
    // Places are taken by `join` only, and visitors go in by `enter` only.
    defaults.profile.dialect = "tacos";
    Settings& set = defaults.rules;
    // The pace limits, not how many are inside: a reservation token makes its visitor the origin's
    // guest.
    set.capacity = limits::count_max;
    set.admit_batch = limits::count_max;
    set.admit_interval = seconds(1);
    set.rate_milli = rules.rate_milli;
    set.called_max = rules.rank;
    set.wait_min = rules.min_wait;
    set.admit_on_join = false;
    set.claim_by_look = false; // Only `enter` goes in.
    set.claim_window = rules.enter_window;
    set.lease_start = LeaseStart::at_claim;
    set.lease = rules.grant;
    set.lease_max = rules.grant; // Asking does not make it longer.
    set.idle = rules.idle;
    set.sweep_interval = seconds(1); // A token that was silent for too long is gone soon after.
    set.leave_grace = Millis{0};     // After `leave` the token is not found, at once.
    return defaults;
}

token::AccessRules login_rules(const Options& options) {
    return {.type_required = false,
            .issuer = options.issuer,
            .audience = options.audience,
            .checks_audience = !options.audience.empty(),
            .secret_is_text = true};
}

} // namespace anteroom::tacos
