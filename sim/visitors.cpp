#include "sim/visitors.h"

#include <algorithm>

#include "engine/poll.h"

namespace anteroom::sim {
namespace {

constexpr std::uint8_t tries_max = 6;
constexpr Millis beat = seconds(3);           // How often a stream tells that its visitor is there.
constexpr Millis half_open_max = seconds(40); // Then the server knows that a stream is dead.

} // namespace

Visitors::Visitors(const Plan& plan, Driver& driver, Events& events)
    : plan_(plan), driver_(driver), events_(events), random_(plan.seed ^ 0x715170) {}

void Visitors::open() {
    for (std::int64_t i = 0; i < plan_.load.rush; ++i)
        add(random_.between(Millis{0}, plan_.load.rush_length));
    events_.add(driver_.world_time(), EventKind::arrival);
}

void Visitors::add(Millis after) {
    Visitor visitor{.key = {random_.next(), random_.next()}, .outer = {}};
    visitor.phase = plan_.two_tiers && random_.percent(90) ? Phase::outer : Phase::joining;
    visitor.lane = static_cast<std::uint8_t>(random_.between(0, plan_.settings.lanes - 1));
    visitor.gives_up = driver_.world_time() + after + random_.around(plan_.habits.patience);
    visitor.comes_when_called = !random_.percent(plan_.habits.no_show);
    visitor.says_goodbye = !random_.percent(plan_.habits.vanish);
    visitor.has_stream = random_.percent(plan_.habits.streams);
    visitor.in_background = random_.percent(plan_.habits.background);
    visitors_.push_back(visitor);
    plan(visitors_.size() - 1, after);
}

void Visitors::arrive() {
    if (closed_) return;
    add(Millis{0});
    const bool bursts = plan_.load.burst > 0 && random_.between(0, 999) < 3;
    for (std::int64_t i = 0; bursts && i < plan_.load.burst; ++i)
        add(random_.between(Millis{0}, seconds(5)));
    Millis gap = random_.around(Millis{hours(1).count / plan_.load.visitors_per_hour});
    const std::int64_t quarter = driver_.world_time().ms / minutes(5).count;
    if (plan_.load.has_quiet_times && quarter % 2 != 0) gap = Millis{gap.count * 20};
    events_.add(driver_.world_time() + gap, EventKind::arrival);
}

void Visitors::plan(std::uint64_t id, Millis after) {
    const Millis drifted{std::max<std::int64_t>(1, after.count * plan_.habits.drift_percent / 100)};
    events_.add(driver_.world_time() + drifted, EventKind::visitor, id);
}

void Visitors::cut_off(std::uint64_t percent, Millis length) {
    cut_off_percent_ = percent;
    cut_off_until_ = driver_.world_time() + length;
}

void Visitors::act(std::uint64_t id) {
    Visitor& visitor = visitors_[id];
    const Instant now = driver_.world_time();
    if (now < cut_off_until_ && id % 100 < cut_off_percent_)
        return plan(id, cut_off_until_ - now + random_.between(Millis{0}, seconds(3)));
    const bool is_outside = visitor.phase == Phase::outer || visitor.phase == Phase::joining;
    if (closed_ && is_outside) return;
    switch (visitor.phase) {
        case Phase::outer: return act_outer(id, visitor);
        case Phase::joining: return act_joining(id, visitor);
        case Phase::in_line: return act_in_line(id, visitor);
        case Phase::refreshing: return act_refreshing(id, visitor);
        case Phase::inside: return act_inside(id, visitor);
        case Phase::gone: return;
    }
}

void Visitors::act_outer(std::uint64_t id, Visitor& visitor) {
    if (driver_.world_time() >= visitor.gives_up) return go(id, visitor);
    const Outcome outcome = driver_.ask(TakeNumber{visitor.key});
    const OuterStanding* standing = std::get_if<OuterStanding>(&outcome);
    if (standing) visitor.outer = {.generation = standing->generation, .number = standing->number};
    if (!standing || standing->released) visitor.phase = Phase::joining;
    plan(id, random_.around(standing && !standing->released ? seconds(5) : Millis{300}));
}

Outcome Visitors::join(const Visitor& visitor) {
    Join join{.visitor = visitor.key, .lane = visitor.lane};
    if (visitor.outer.number > 0) join.outer = visitor.outer;
    return driver_.ask(join);
}

void Visitors::act_joining(std::uint64_t id, Visitor& visitor) {
    if (closed_) return follow(id, visitor, driver_.look(visitor.number));
    const Outcome outcome = join(visitor);
    if (const Standing* standing = std::get_if<Standing>(&outcome)) {
        visitor.number = standing->number;
        visitor.phase = Phase::in_line;
        // The answer to a join tells them when to ask again.
        return follow(id, visitor,
                      is_in_line(standing->state) ? driver_.look(visitor.number) : *standing);
    }
    if (++visitor.tries > tries_max) return go(id, visitor);
    switch (std::get<Refused>(outcome).reason) {
        case Reason::outer_required:
        case Reason::outer_unknown:
        case Reason::outer_not_released:
            visitor.outer = {};
            visitor.phase = Phase::outer;
            return plan(id, random_.around(seconds(1)));
        case Reason::unknown_lane: visitor.lane = 0; return plan(id, seconds(1));
        default: return plan(id, random_.around(seconds(30)));
    }
}

void Visitors::act_in_line(std::uint64_t id, Visitor& visitor) {
    const Habits& habits = plan_.habits;
    if (driver_.world_time() >= visitor.gives_up) return give_up(id, visitor);
    if (random_.percent(habits.sleep)) return plan(id, random_.around(habits.sleep_length));
    if (random_.percent(habits.refresh)) {
        driver_.ask(Leave{visitor.number});
        visitor.phase = Phase::refreshing;
        const Millis grace = driver_.room().settings().leave_grace;
        return plan(id, random_.between(Millis{0}, Millis{grace.count * 5 / 4}));
    }
    const bool is_called = driver_.glance(visitor.number).state == VisitorState::called;
    if (!visitor.comes_when_called && is_called && random_.percent(50)) {
        visitor.phase = Phase::gone;
        return;
    }
    if (visitor.has_stream && !is_called) return act_on_stream(id, visitor);
    if (!random_.percent(habits.join_again))
        return follow(id, visitor, driver_.look(visitor.number));
    act_joining(id, visitor);
}

// Some streams stay open for a while after their visitor has gone: the server cannot know.
void Visitors::act_on_stream(std::uint64_t id, Visitor& visitor) {
    const Instant now = driver_.world_time();
    if (visitor.wakes <= now && random_.percent(plan_.habits.half_open))
        visitor.wakes = now + random_.between(beat, minutes(3));
    const Millis away = visitor.wakes - now;
    if (away <= Millis{0} || away < half_open_max) driver_.stay(visitor.number);
    if (away > Millis{0}) return plan(id, std::min(beat, away));
    const VisitorState state = driver_.glance(visitor.number).state;
    if (state == VisitorState::waiting) {
        // A page that has slept asks where it stands; afterwards the stream is enough.
        if (now - visitor.wakes < beat) driver_.look(visitor.number);
        return plan(id, beat);
    }
    follow(id, visitor, driver_.look(visitor.number));
}

void Visitors::act_refreshing(std::uint64_t id, Visitor& visitor) {
    visitor.phase = Phase::in_line;
    if (random_.percent(50)) return act_joining(id, visitor);
    follow(id, visitor, driver_.look(visitor.number));
}

// What a visitor does after an answer.
void Visitors::follow(std::uint64_t id, Visitor& visitor, const Standing& standing) {
    if (standing.state == VisitorState::called && visitor.comes_when_called) {
        driver_.ask(Claim{visitor.number});
        return plan(id, Millis{1});
    }
    if (standing.state == VisitorState::active) {
        visitor.phase = Phase::inside;
        visitor.stays_until = driver_.world_time() + random_.around(plan_.habits.stay);
        return plan(id, Millis{1});
    }
    if (!is_live(standing.state)) return go(id, visitor);
    std::int64_t pause = poll_after_seconds(standing.ahead);
    pause *= plan_.habits.look_factor;
    if (visitor.in_background) pause = std::max<std::int64_t>(pause, 60);
    plan(id, random_.around(seconds(pause)));
}

void Visitors::act_inside(std::uint64_t id, Visitor& visitor) {
    const Instant now = driver_.world_time();
    if (now < visitor.stays_until) {
        if (!is_inside(driver_.look(visitor.number).state)) return go(id, visitor);
        const Millis look = random_.around(seconds(15));
        return plan(id, std::min(look, visitor.stays_until - now));
    }
    if (!visitor.says_goodbye) {
        visitor.phase = Phase::gone;
        return;
    }
    if (random_.percent(90))
        driver_.ask(Finish{visitor.number});
    else
        driver_.ask(Leave{visitor.number});
    go(id, visitor);
}

void Visitors::give_up(std::uint64_t id, Visitor& visitor) {
    if (visitor.says_goodbye) {
        driver_.ask(Leave{visitor.number});
        return go(id, visitor);
    }
    visitor.phase = Phase::gone;
}

// The end of a visit; some come again.
void Visitors::go(std::uint64_t id, Visitor& visitor) {
    visitor.phase = Phase::gone;
    if (closed_ || !random_.percent(plan_.habits.come_back)) return;
    visitor.phase = Phase::joining;
    visitor.tries = 0;
    visitor.gives_up = driver_.world_time() + random_.around(plan_.habits.patience);
    plan(id, random_.around(seconds(40)));
}

} // namespace anteroom::sim
