#include "sim/plan.h"

#include <algorithm>

namespace anteroom::sim {
namespace {

std::int64_t make_capacity(Random& random) {
    return random.pick<std::int64_t>({0, 1, 2, 5, 20, 50, 100, 100, 300, 1'000, limits::count_max});
}

Millis make_idle(Random& random) {
    return random.pick({seconds(20), minutes(1), minutes(3), minutes(10), minutes(10)});
}

void set_pace(Settings& set, Random& random) {
    set.admit_batch = random.pick<std::int64_t>({1, 2, 5, 20, 100, 100, 6'000, limits::count_max});
    set.admit_interval = random.pick({Millis{1}, Millis{100}, seconds(1), seconds(1), seconds(3),
                                      seconds(10), minutes(5), hours(1)});
    const bool has_rate = random.percent(40);
    set.rate_milli = has_rate ? random.pick<std::int64_t>({7, 333, 1'000, 1'500, 2'718, 8'333,
                                                           10'000, 64'000, limits::rate_milli_max})
                              : 0;
}

void set_leases(Settings& set, Random& random) {
    set.lease = random.pick({seconds(10), seconds(30), minutes(2), minutes(10)});
    set.lease_max = Millis{set.lease.count * random.between(1, 6)};
    set.lease_start = random.percent(50) ? LeaseStart::at_call : LeaseStart::at_claim;
    const bool needs_window = set.lease_start == LeaseStart::at_claim;
    set.claim_window = random.pick({Millis{0}, seconds(5), seconds(30), minutes(2)});
    if (needs_window && set.claim_window == Millis{0}) set.claim_window = seconds(15);
    set.claim_by_look = random.percent(60);
}

Habits make_habits(Random& random) {
    const auto some = [&](std::int64_t chance_max) {
        return random.percent(50) ? random.between(1, chance_max) : 0;
    };
    Habits habits;
    habits.no_show = some(40);
    habits.vanish = some(60);
    habits.sleep = some(5);
    habits.streams = some(100);
    habits.half_open = some(3);
    habits.background = some(30);
    habits.refresh = some(random.percent(30) ? 50 : 10);
    habits.join_again = some(20);
    habits.come_back = some(50);
    habits.patience = random.pick({minutes(1), minutes(2), minutes(10), hours(1), hours(10)});
    habits.stay = random.pick({seconds(3), seconds(20), minutes(1), minutes(5)});
    habits.sleep_length = random.pick({seconds(30), minutes(2), minutes(8)});
    habits.look_factor = random.pick<std::int64_t>({1, 2, 3, 5});
    habits.drift_percent = random.pick<std::int64_t>({100, 100, 100, 50, 99, 101, 200});
    return habits;
}

Load make_load(Random& random, const Plan& plan) {
    Load load;
    load.visitors_per_hour =
        random.pick<std::int64_t>({30, 60, 500, 2'000, 4'000, 4'000, 8'000, 30'000});
    if (random.percent(50)) load.rush = random.between(10, 2'500);
    load.rush_length = random.pick({Millis{1}, seconds(5), seconds(60)});
    if (random.percent(40)) load.burst = random.between(5, 300);
    load.has_quiet_times = random.percent(30);
    // A longer world is not a denser one.
    load.rush = std::min(load.rush, load.visitors_per_hour * plan.length.count / hours(1).count);
    return load;
}

} // namespace

Settings make_settings(Random& random) {
    Settings set;
    set.capacity = make_capacity(random);
    set_leases(set, random);
    set_pace(set, random);
    set.admit_on_join = random.percent(70);
    if (random.percent(25)) set.wait_min = random.pick({seconds(1), seconds(20), minutes(2)});
    if (random.percent(25)) set.called_max = random.pick<std::int64_t>({1, 3, 50});
    if (random.percent(15)) set.waiting_max = random.pick<std::int64_t>({0, 1, 50, 1'000});
    if (random.percent(50)) set.lanes = static_cast<std::uint8_t>(random.between(2, 8));
    set.idle = make_idle(random);
    if (random.percent(30)) set.presence = random.pick({seconds(10), seconds(45), minutes(5)});
    set.sweep_interval = random.pick({Millis{50}, seconds(1), seconds(5), seconds(30), minutes(2)});
    set.leave_grace = random.pick({Millis{0}, seconds(2), seconds(10), seconds(10), minutes(2)});
    set.ended_memory = random.pick({Millis{0}, seconds(10), minutes(5), hours(24)});
    set.outer_batch = random.pick<std::int64_t>({1, 10, 100, 500, limits::count_max});
    set.outer_interval = random.pick({Millis{100}, seconds(1), seconds(10), minutes(1)});
    set.outer_lifetime = random.pick({seconds(90), minutes(10), hours(24)});
    return set;
}

Settings change_settings(Settings settings, Random& random) {
    const Settings fresh = make_settings(random);
    for (std::int64_t changes = random.between(1, 2); changes > 0; --changes) {
        switch (random.between(0, 11)) {
            case 0:
            case 1: settings.capacity = fresh.capacity; break;
            case 2: settings.admit_batch = fresh.admit_batch; break;
            case 3: settings.admit_interval = fresh.admit_interval; break;
            case 4: settings.rate_milli = fresh.rate_milli; break;
            case 5: settings.lanes = fresh.lanes; break;
            case 6: settings.idle = fresh.idle; break;
            case 7: settings.leave_grace = fresh.leave_grace; break;
            case 8: settings.wait_min = fresh.wait_min; break;
            case 9: settings.presence = fresh.presence; break;
            case 10:
                settings.lease = fresh.lease;
                settings.lease_max = fresh.lease_max;
                settings.lease_start = fresh.lease_start;
                settings.claim_window = fresh.claim_window;
                break;
            default: return fresh;
        }
    }
    // Impossible ones belong to it: the room must refuse them and stay as it is.
    if (random.percent(5)) settings.lease = Millis{settings.lease_max.count + 1};
    return settings;
}

Plan make_plan(std::uint64_t seed, Millis length) {
    Random random(seed);
    Plan plan{.seed = seed, .length = length};
    plan.origin = random.pick({Instant{0}, Instant{1'700'000'000'000}, Instant{-30'000'000}});
    plan.lateness_max = random.pick({Millis{0}, Millis{20}, Millis{200}});
    plan.two_tiers = random.percent(35);
    plan.settings = make_settings(random);
    plan.habits = make_habits(random);
    plan.load = make_load(random, plan);
    Faults& faults = plan.faults;
    for (bool* on :
         {&faults.restarts, &faults.stalls, &faults.steps, &faults.glitches, &faults.attacks,
          &faults.policies, &faults.states, &faults.calls, &faults.tunnels})
        *on = random.percent(40);
    faults.clears = random.percent(10);
    faults.interval = random.pick({seconds(20), minutes(1), minutes(3)});
    return plan;
}

} // namespace anteroom::sim
