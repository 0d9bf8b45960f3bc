// What can be set of system T's dialect.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "service/profile.h"
#include "token/access.h"

namespace anteroom::tacos {

struct Options {
    RoomSettings room; // Of an event that is created by its first join; see room_settings().
    // Calls per client address; 0 per second: no limit, and no headers about one.
    std::int64_t limit_burst = 100;
    std::int64_t limit_per_second = 50;
    // How long the answer to an Idempotency-Key is kept, and whether POST needs one.
    Millis idempotency = minutes(5);
    bool requires_idempotency_key = false;
    // The body's user_id names the visitor whoever sends it; otherwise only a trusted backend may.
    bool trusts_body_user = false;
    // A caller who shows it with X-Dev-Mode or X-Load-Test is a test user; empty: there are none.
    std::string test_token;
    // Rooms whose ids begin so may be flushed by an admin; "*": all; empty: none.
    std::string flush_prefix;
    bool comes_first = false; // What several systems have is said in the words of this one.
    std::string version = "dev";
    // What access tokens of system T's login must say; empty: anything.
    std::string issuer;
    std::string audience = "traffic-tacos-api";
};

// Tokens of system T's login have no `type`, and are signed with the secret as it stands.
token::AccessRules login_rules(const Options& options);

// The rules of system T, as they can be set.
struct Rules {
    std::int64_t rank = 100;           // Only the first so many may enter; 0: everybody.
    Millis min_wait = seconds(5);      // After the join, before the turn.
    std::int64_t rate_milli = 50'000;  // Entries per 1 000 s; 0: no limit.
    Millis idle = minutes(5);          // Not asked for longer: the token expires.
    Millis enter_window = seconds(20); // A turn that is not used is lost then.
    Millis grant = seconds(30);        // The life of a reservation token.
};

// The same as settings of a room; what the rules do not say stays as in `defaults`.
RoomSettings room_settings(const Rules& rules, RoomSettings defaults);

// Whether a room is an event of system T: only its visitors take places, and go in by `enter`.
inline bool is_event(const Profile& profile) {
    return profile.dialect == "tacos";
}

} // namespace anteroom::tacos
