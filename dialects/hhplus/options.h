// What can be set of system H's dialect.
#pragma once

#include <string>

#include "service/origin_load.h"
#include "service/profile.h"

namespace anteroom::hhplus {

// 4 000 every 10 s, each for 10 minutes from the call, whether or not they are seen.
inline RoomSettings default_settings() {
    RoomSettings settings;
    settings.rules.capacity = limits::count_max;
    settings.rules.admit_batch = 4'000;
    settings.rules.admit_interval = seconds(10);
    settings.rules.admit_on_join = false;
    settings.rules.wait_min = seconds(1); // Who has just come is waiting, also in an empty queue.
    settings.rules.lease = minutes(10);
    settings.rules.lease_max = minutes(10);
    settings.rules.claim_window = Millis{0};
    settings.profile.dialect = "hhplus"; // Who is nobody takes no place.
    return settings;
}

struct Options {
    std::string room = "hhplus";                // There is one queue.
    RoomSettings settings = default_settings(); // Of the room, whoever makes it.
    Millis lease_reserved = minutes(5);         // What is left after a seat was reserved.
    // What the batch follows from when the origin says what it stands, and what is kept back of it.
    OriginLoad load{.queries_per_second = 10'000, .queries = 3, .calls = 5, .retry = 1.5};
    double margin = 0.1;
    bool trusts_user_id = false; // Whoever sends `userId` is that user, as in the original.
};

} // namespace anteroom::hhplus
