// What can be set of system P's dialect.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "base/time.h"
#include "service/profile.h"
#include "token/access.h"

namespace anteroom::portal {

// What tells entry tokens from tickets of other systems; tickets of the outer line have their
// generation there.
inline constexpr std::uint32_t token_generation = 0x0b00;

struct Options {
    Settings defaults{};           // Of a queue, where neither its activation nor P says anything.
    Millis entered = minutes(10);  // How long a visitor who entered holds the slot.
    Millis idle = minutes(10);     // Not seen for longer: the entry expires.
    Millis stream = minutes(5);    // How long one event stream lasts.
    bool idempotent_enter = false; // A second enter of a user gets 200, not 409.
    bool drains = false;  // Deactivating admits the waiting visitors; otherwise they expire.
    std::string issuer{}; // Of access tokens of system P's login; empty: any.
};

// As system T's, and a token without `roles` is a refresh token.
token::AccessRules login_rules(const Options& options);

// The three numbers of an activation; the first two are at most this.
inline constexpr std::int64_t pace_count_max = std::numeric_limits<std::int32_t>::max();
struct Pace {
    std::int64_t capacity = 0;
    std::int64_t batch = 0;
    std::int64_t interval_seconds = 0;
};

// The rules of system P as settings of a room.
Settings room_rules(const Options& options, const Pace& pace);

} // namespace anteroom::portal
