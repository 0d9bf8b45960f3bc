// What a tick does: ends what has lapsed, sweeps the silent, advances the outer line, calls the
// next.
#include <algorithm>

#include "base/check.h"
#include "engine/planted.h"
#include "engine/room.h"

namespace anteroom {

Room::Ends Room::ends_of(const Record& record) const {
    const Settings& set = settings();
    const Instant awake{awake_since_.load(std::memory_order_relaxed)};
    Ends ends{.lease = std::min(std::max({record.seen(), record.since(), awake}) + set.lease,
                                record.since() + set.lease_max),
              .claim = std::max(record.since(), awake) + set.claim_window};
    if (planted(Bug::lease_slides_for_ever))
        ends.lease = std::max(record.seen(), record.since()) + set.lease;
    return ends;
}

Instant Room::deadline_of(const Record& record, VisitorState state) const {
    const Settings& set = settings();
    const Instant awake{awake_since_.load(std::memory_order_relaxed)};
    const Ends ends = ends_of(record);
    switch (state) {
        case VisitorState::leaving: return std::max(record.since(), awake) + set.leave_grace;
        case VisitorState::active: return ends.lease;
        case VisitorState::called:
            if (set.lease_start == LeaseStart::at_claim) return ends.claim;
            return set.claim_window > Millis{0} ? std::min(ends.claim, ends.lease) : ends.lease;
        default: return instant_max;
    }
}

// Whether it is the window for the claim that has passed, not the lease.
bool Room::is_claim_missed(const Record& record) const {
    const Settings& set = settings();
    if (set.lease_start == LeaseStart::at_claim) return true;
    const Ends ends = ends_of(record);
    return set.claim_window > Millis{0} && ends.claim <= ends.lease;
}

void Room::set_timer(Number number) {
    timers_.add(deadline_of(*roll_.record(number)), number);
}

void Room::lapse(Done& done) {
    const auto ended = [&] { return done.left + done.expired; };
    while (ended() < limits::ends_per_tick_max) {
        const std::optional<Number> number = timers_.take_due(now_);
        if (!number) return;
        const Record* record = roll_.record(*number);
        const VisitorState state = record ? record->place().state : VisitorState::unknown;
        if (!is_live(state) || state == VisitorState::waiting) continue; // Over, or came back.
        if (deadline_of(*record) > now_) {
            set_timer(*number);
        } else if (state == VisitorState::leaving) {
            happen(Left{*number});
            ++done.left;
        } else if (state == VisitorState::called) {
            miss_or_expire(*number, *record, done);
        } else {
            happen(Expired{*number, Expiry::lease});
            ++done.expired;
        }
    }
}

// A visitor who did not claim a call is first in line again, and absent until the next sign of
// life; the last miss that the settings allow ends the visit.
void Room::miss_or_expire(Number number, const Record& record, Done& done) {
    const bool is_last = record.place().missed + 1 >= limits::missed_max;
    const bool may_stay = !is_last || planted(Bug::called_for_ever);
    if (may_stay && is_claim_missed(record) && !is_silent(record)) {
        happen(Missed{number});
    } else {
        happen(Expired{number, Expiry::no_show});
        ++done.expired;
    }
}

bool Room::is_silent(const Record& record) const {
    const Instant awake{awake_since_.load(std::memory_order_relaxed)};
    return std::max(record.seen(), awake) + settings().idle <= now_;
}

// Ends the visits of the silent, and passes over the absent, so that the estimate leaves them out.
void Room::sweep(Done& done) {
    const Instant before = now_ - std::min(settings().idle, limits::presence_min);
    const Instant awake{awake_since_.load(std::memory_order_relaxed)};
    if (swept_ + settings().sweep_interval > now_ || waiting() == 0) return;
    std::uint64_t passed_over = 0;
    const auto look = [&](Number number, Record& record) {
        if (done.expired == limits::ends_per_tick_max) return Roll::Look::enough;
        if (passed_over == limits::passed_over_per_tick_max) return Roll::Look::enough;
        const Seen sign = record.sign();
        if (!is_silent(record)) {
            const bool is_absent = !sign.passed_over && !is_present(sign, now_);
            passed_over += is_absent && pass_over(record, sign);
            return Roll::Look::stays;
        }
        if (planted(Bug::present_after_sweep)) {
            welcome(record, Millis{0});
            return Roll::Look::stays;
        }
        happen(Expired{number, Expiry::silent});
        ++done.expired;
        return Roll::Look::ended;
    };
    if (awake > before || roll_.for_each_silent(before, look)) swept_ = now_;
}

void Room::advance_outer(Done& done) {
    const Settings& set = settings();
    const Number forgotten = outer_.taken_through(now_ - set.outer_lifetime);
    if (forgotten > outer_.forgotten()) happen(OuterExpired{forgotten});
    if (!outer_.active() || outer_.advanced() + set.outer_interval > now_) return;
    const Number wanted = outer_.serving() + static_cast<Number>(set.outer_batch);
    const Number serving =
        planted(Bug::outer_beyond_issued) ? wanted : std::min(outer_.issued(), wanted);
    if (serving <= outer_.serving()) return;
    done.advanced += serving - outer_.serving();
    happen(Advanced{serving});
}

bool Room::may_call_one(Pace pace) const {
    const bool stopped = !may_call(state()) && !planted(Bug::pause_still_calls);
    if (stopped) return false;
    if (state() == RoomState::passthrough) return true;
    const auto capacity = static_cast<std::uint64_t>(settings().capacity);
    const bool has_slot =
        inside() < capacity || (planted(Bug::capacity_off_by_one) && inside() == capacity);
    if (!has_slot) return false;
    if (pace == Pace::ignored) return true;
    const auto called_max = static_cast<std::uint64_t>(settings().called_max);
    return (called_max == 0 || called() < called_max) && pacer_.allowed(now_) > 0;
}

void Room::admit(Done& done, std::uint64_t count_max, Pace pace) {
    const std::uint64_t most = std::min(count_max, limits::calls_per_tick_max);
    std::uint64_t passed_over = 0;
    for (std::uint64_t calls = 0; calls < most && may_call_one(pace); ++calls) {
        const Number number = next_to_call(passed_over, pace);
        if (number == 0) return;
        happen(Called{number});
        ++done.called;
    }
}

Number Room::number_at(std::size_t line, std::uint64_t order) const {
    return carries(line) ? carriers_.at(order) : order;
}

// Whether one more outer number may be taken: the oldest order that somebody still stands outside
// with must not fall too far behind. Nobody's does before there were that many orders.
bool Room::outer_has_room() const {
    const std::uint64_t next = outer_.order_of(outer_.next_number());
    if (!outer_.has_room()) return false;
    if (OuterLine::spans(0, next)) return true;
    for (std::size_t line = 0; line < lines_max; ++line) {
        if (!carries(line)) continue;
        const std::optional<std::uint64_t> oldest = lines_[line].outside.front();
        if (oldest && !OuterLine::spans(*oldest, next)) return false;
    }
    return true;
}

// The first who is present, of the first line where one may be called. The absent before them are
// passed over: they never stand in anybody's way. 0: there is nobody, or enough was looked at for
// one time.
Number Room::next_to_call(std::uint64_t& passed_over, Pace pace) {
    const Millis wait_min =
        pace == Pace::kept && state() != RoomState::passthrough ? settings().wait_min : Millis{0};
    for (std::size_t i = 0; i < lines_in_use(); ++i) {
        const std::size_t line = planted(Bug::lower_lane_first) ? lines_in_use() - 1 - i : i;
        while (std::optional<std::uint64_t> head = lines_[line].present.front()) {
            if (planted(Bug::overtaking_after_sweep) && swept_ == now_)
                head = lines_[line].present.select(1).value_or(*head);
            const Number number = number_at(line, *head);
            Record& record = *roll_.record(number);
            const Seen sign = record.sign();
            if (!is_present(sign, now_) && !planted(Bug::absent_is_called)) {
                if (planted(Bug::absent_head_blocks)) return 0;
                if (passed_over == limits::passed_over_per_tick_max) return 0;
                passed_over += pass_over(record, sign);
                continue;
            }
            if (record.joined + wait_min > now_ && !planted(Bug::least_wait_ignored)) break;
            return number;
        }
    }
    return 0;
}

std::optional<Instant> Room::next_admission() const {
    if (!may_call_one(Pace::ignored)) return std::nullopt;
    const bool all = state() == RoomState::passthrough;
    const auto called_max = static_cast<std::uint64_t>(settings().called_max);
    if (!all && called_max > 0 && called() >= called_max) return std::nullopt;
    Instant eligible = instant_max;
    for (std::size_t line = 0; line < lines_in_use(); ++line) {
        const std::optional<std::uint64_t> head = lines_[line].present.front();
        if (!head) continue;
        const Record& record = *roll_.record(number_at(line, *head));
        eligible = std::min(eligible, all ? now_ : record.joined + settings().wait_min);
    }
    if (eligible == instant_max) return std::nullopt;
    return all ? now_ : pacer_.next(std::max(eligible, now_));
}

std::optional<Instant> Room::next_deadline() const {
    std::optional<Instant> next = next_admission();
    const auto consider = [&](Instant at) { next = next ? std::min(*next, at) : at; };
    if (const std::optional<Instant> timer = timers_.next()) consider(*timer);
    if (waiting() > 0) consider(swept_ == instant_min ? now_ : swept_ + settings().sweep_interval);
    if (outer_.active() && outer_.serving() < outer_.issued())
        consider(outer_.advanced() + settings().outer_interval);
    if (const std::optional<Instant> taken = outer_.oldest_taken())
        consider(*taken + settings().outer_lifetime);
    return next;
}

} // namespace anteroom
