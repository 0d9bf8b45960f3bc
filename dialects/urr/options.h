// What can be set of system U's dialect.
#pragma once

#include <string>

#include "base/time.h"

namespace anteroom::urr {

struct CatalogueOptions {
    std::string url;              // "{event}" stands for the id; empty: there is no catalogue.
    std::string token;            // Sent as a bearer token when there is one.
    Millis deadline = seconds(2); // Of one attempt.
    Millis memory = minutes(1);   // How long a name is believed.
    Millis patience{300};         // How long a visitor's answer waits for it.
    unsigned attempts = 3;
    Millis pause{500}; // Before the second attempt; twice as long before each further one.
};

struct Options {
    CatalogueOptions catalogue{};
    Millis entry_pass_life = minutes(10); // Never longer than the lease.
    // A gateway of ours sets vwrPosition itself; counts from trusted addresses only.
    bool trusts_vwr_position = false;
    bool unknown_is_404 = false; // Of GET /api/admin/vwr/status; the original says 200.
};

} // namespace anteroom::urr
