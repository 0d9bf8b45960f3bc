// Plan: what a seed decides about a world before it begins. Each seed picks its own few features,
// load and settings (a swarm): rare combinations meet more often than if everything were always on.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "engine/settings.h"
#include "sim/random.h"

namespace anteroom::sim {

// Chances are in percent.
struct Habits {
    std::int64_t no_show = 0; // Never comes when called.
    std::int64_t vanish = 0;  // Goes silently instead of saying so.
    std::int64_t sleep = 0;   // Per look: the phone sleeps for minutes.
    std::int64_t streams = 0; // Holds an event stream open instead of asking.
    std::int64_t half_open =
        0; // Per beat of a stream: its visitor goes away for a while, and it stays open.
    std::int64_t background = 0; // Asks once a minute: the browser slows the tab down.
    std::int64_t refresh = 0;    // Per look: leaves and comes back.
    std::int64_t join_again = 0; // Per look: joins once more with the same key.
    std::int64_t come_back = 0;  // After the end: another visit.
    Millis patience = hours(1);
    Millis stay = minutes(2);
    Millis sleep_length = minutes(5);
    std::int64_t look_factor = 1;     // Times the usual interval between looks.
    std::int64_t drift_percent = 100; // Their clocks against the server's.
};

struct Load {
    std::int64_t visitors_per_hour = 1'000;
    std::int64_t rush = 0;            // So many at the opening…
    Millis rush_length = seconds(30); // …within so long.
    std::int64_t burst = 0;           // So many at once, now and then.
    bool has_quiet_times = false;
};

struct Faults {
    bool restarts = false;
    bool stalls = false;   // The server stands still, then wakes.
    bool steps = false;    // The clock jumps.
    bool glitches = false; // Some commands carry an old time.
    bool attacks = false;
    bool policies = false; // An operator changes settings…
    bool states = false;   // …pauses, drains, closes, …
    bool calls = false;    // …and calls by hand.
    bool clears = false;
    bool tunnels = false; // Many visitors at once lose their network, and all come back at once.
    Millis interval = minutes(2);
    bool any_operator() const { return policies || states || calls || clears; }
    bool any_clock() const { return restarts || stalls || steps || glitches || tunnels; }
};

struct Plan {
    std::uint64_t seed = 0;
    Millis length{};
    Instant origin{};
    Millis lateness_max{};
    bool two_tiers = false;
    Settings settings;
    Habits habits;
    Load load;
    Faults faults;
};

Plan make_plan(std::uint64_t seed, Millis length);
// Settings that can work, now and then with an extreme in them.
Settings make_settings(Random& random);
// The same with one or two of them changed.
Settings change_settings(Settings settings, Random& random);

} // namespace anteroom::sim
