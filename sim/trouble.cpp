#include "sim/trouble.h"

#include <algorithm>

namespace anteroom::sim {

Trouble::Trouble(const Plan& plan, Driver& driver, Visitors& visitors, Events& events)
    : plan_(plan),
      driver_(driver),
      visitors_(visitors),
      events_(events),
      random_(plan.seed ^ 0x7ab1e) {}

void Trouble::begin() {
    driver_.ask(Configure{plan_.settings});
    if (plan_.two_tiers) driver_.ask(Activate{});
    const Instant now = driver_.world_time();
    if (plan_.faults.any_clock() || plan_.faults.any_operator())
        events_.add(now + random_.around(plan_.faults.interval), EventKind::fault);
    if (plan_.faults.attacks) events_.add(now + seconds(1), EventKind::attack);
}

void Trouble::strike() {
    if (over_) return;
    const bool by_operator = plan_.faults.any_operator() && random_.percent(50);
    if (by_operator)
        operate();
    else if (plan_.faults.any_clock())
        fault_clock();
    events_.add(driver_.world_time() + random_.around(plan_.faults.interval), EventKind::fault);
}

// What this world does not have is drawn too, so that the other faults stay rare; only those that
// strike are counted.
void Trouble::fault_clock() {
    const Faults& faults = plan_.faults;
    const std::int64_t kind = random_.between(0, 4);
    if (kind == 4 && faults.tunnels) {
        ++faults_;
        visitors_.cut_off(random_.pick<std::uint64_t>({10, 50, 100}),
                          random_.pick({seconds(8), seconds(30), minutes(3), minutes(12)}));
    } else if (kind == 0 && faults.restarts) {
        ++faults_;
        driver_.restart(random_.pick({Millis{0}, Millis{500}, seconds(20), minutes(5)}));
    } else if (kind == 1 && faults.stalls) {
        ++faults_;
        driver_.stall(random_.pick({seconds(3), seconds(30), minutes(2), minutes(10)}));
    } else if (kind == 2 && faults.steps) {
        ++faults_;
        driver_.step_clock(
            random_.pick({seconds(1), Millis{-1'000}, seconds(30), hours(1), hours(24)}));
    } else if (kind == 3 && faults.glitches) {
        ++faults_;
        driver_.glitch(random_.pick({Millis{1}, seconds(1), hours(1), hours(87'600)}));
    }
}

void Trouble::operate() {
    const Faults& faults = plan_.faults;
    const std::int64_t kind = random_.between(0, 5);
    if (kind <= 1 && faults.policies) {
        ++faults_;
        driver_.ask(Configure{change_settings(driver_.room().settings(), random_)});
    } else if (kind == 2 && faults.states) {
        ++faults_;
        change_state();
    } else if (kind == 3 && faults.calls) {
        ++faults_;
        driver_.ask(CallNext{random_.pick<std::int64_t>({0, 1, 3, 50, 20'000})});
    } else if (kind == 4 && plan_.two_tiers) {
        ++faults_;
        operate_outer_line();
    } else if (kind == 5 && faults.clears) {
        ++faults_;
        driver_.ask(Clear{});
    }
}

void Trouble::operate_outer_line() {
    if (random_.percent(60))
        driver_.ask(Advance{random_.pick<std::int64_t>({-1, 1, 10, 1'000})});
    else if (random_.percent(50))
        driver_.ask(Activate{});
    else
        driver_.ask(Deactivate{});
}

void Trouble::change_state() {
    const bool is_open = driver_.room().state() == RoomState::open;
    if (!is_open && random_.percent(60)) {
        if (driver_.room().state() == RoomState::paused && random_.percent(70))
            driver_.ask(Resume{});
        else
            driver_.ask(SetState{RoomState::open});
        return;
    }
    driver_.ask(SetState{random_.pick({RoomState::paused, RoomState::paused, RoomState::draining,
                                       RoomState::closed, RoomState::passthrough})});
}

// Mostly the number of a visitor, sometimes one that was never issued.
Number Trouble::some_number() {
    const auto issued = static_cast<std::int64_t>(driver_.room().issued());
    if (random_.percent(10))
        return random_.pick<Number>({0, UINT64_MAX, driver_.room().issued() + 1, 1ULL << 40});
    const std::int64_t from = std::max<std::int64_t>(0, issued - 300);
    return static_cast<Number>(random_.between(random_.percent(50) ? from : 0, issued));
}

void Trouble::attack() {
    if (over_) return;
    const OuterLine& outer = driver_.room().outer();
    const auto outer_issued = static_cast<std::int64_t>(outer.issued());
    const VisitorKey stranger{random_.next(), random_.next()};
    const auto lane = static_cast<std::uint8_t>(random_.between(0, 255));
    const OuterPlace foreign{.generation = outer.generation() - (random_.percent(30) ? 1U : 0U),
                             .number = static_cast<Number>(random_.between(0, outer_issued + 2))};
    switch (random_.between(0, 9)) {
        case 0: driver_.ask(Join{.visitor = stranger, .lane = lane}); break;
        case 7: driver_.ask(Redeem{some_number()}); break;
        case 9: {
            const VisitorKey* somebody = driver_.room().visitor(some_number());
            driver_.ask(Seek{somebody ? *somebody : stranger});
            break;
        }
        case 8: {
            const std::int64_t lease = driver_.room().settings().lease.count;
            driver_.ask(SetLease{some_number(), Millis{random_.between(0, lease + 1)}});
            break;
        }
        case 1:
        case 2: driver_.ask(Join{.visitor = stranger, .lane = 0, .outer = foreign}); break;
        case 3: driver_.ask(Claim{some_number()}); break;
        case 4: driver_.ask(Touch{some_number()}); break;
        case 5: driver_.ask(Finish{driver_.room().issued() + 1}); break;
        default: {
            // Finish before the turn: only for numbers outside, because an attacker does not have
            // the tickets of visitors inside.
            const Number number = some_number();
            if (!is_inside(driver_.glance(number).state)) driver_.ask(Finish{number});
        }
    }
    events_.add(driver_.world_time() + random_.around(seconds(4)), EventKind::attack);
}

void Trouble::end() {
    over_ = true;
    visitors_.cut_off(0, Millis{0});
    driver_.glitch(Millis{0});
    Settings open = driver_.room().settings();
    open.capacity = limits::count_max;
    open.admit_batch = limits::count_max;
    open.admit_interval = seconds(1);
    open.rate_milli = 0;
    open.called_max = 0;
    open.wait_min = Millis{0};
    open.lease = seconds(20);
    open.lease_max = seconds(30);
    open.claim_window = seconds(15);
    open.leave_grace = std::min(open.leave_grace, seconds(5));
    // The doorman does not call the absent: the sweeper ends their visits.
    open.idle = seconds(60);
    open.sweep_interval = seconds(5);
    open.presence = Millis{0};
    driver_.ask(Configure{open});
    driver_.ask(SetState{RoomState::open});
}

} // namespace anteroom::sim
