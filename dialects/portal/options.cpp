#include "dialects/portal/options.h"

namespace anteroom::portal {

Settings room_rules(const Options& options, const Pace& pace) {
    Settings set = options.defaults;
    set.capacity = pace.capacity;
    set.admit_batch = pace.batch;
    set.admit_interval = seconds(pace.interval_seconds);
    set.rate_milli = 0;
    set.admit_on_join = false; // Every visitor waits first; batches call.
    set.wait_min = Millis{0};
    set.called_max = 0;
    set.lease = options.entered;
    set.lease_max = options.entered; // Asking does not make it longer.
    set.lease_start = LeaseStart::at_call;
    set.claim_window = Millis{0}; // A call is the entry.
    set.claim_by_look = true;
    set.lanes = 1;
    set.idle = options.idle;
    set.leave_grace = Millis{0}; // A user who left and enters again has another entry.
    return set;
}

token::AccessRules login_rules(const Options& options) {
    return {.type_required = false,
            .issuer = options.issuer,
            .roles_required = true,
            .secret_is_text = true};
}

} // namespace anteroom::portal
