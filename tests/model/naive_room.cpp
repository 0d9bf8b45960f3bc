#include "tests/model/naive_room.h"

#include <algorithm>

namespace anteroom::model {

bool stands_before(const Visitor& a, const Visitor& b) {
    if (a.lane != b.lane) return a.lane < b.lane;
    if ((a.carried > 0) != (b.carried > 0)) return a.carried > 0;
    return a.carried > 0 ? a.carried < b.carried : a.number < b.number;
}

Outcome NaiveRoom::apply(const Command& command, Instant now) {
    now_ = std::max(now_, now);
    return std::visit([this](const auto& asked) { return on(asked); }, command);
}

Standing NaiveRoom::standing(Number number) const {
    Standing result{.number = number};
    for (const Visitor& me : visitors_) {
        if (me.number != number) continue;
        result.state = me.state;
        if (!is_live(me.state)) break; // The standing of an ended visit has no more members.
        result.lane = static_cast<std::uint8_t>(me.lane);
        result.line = static_cast<std::uint8_t>(me.lane * 2 + (me.carried > 0 ? 0 : 1));
        result.order = me.carried > 0 ? me.carried : me.number;
        result.joined = me.joined;
        result.redeemed = me.redeemed;
        result.missed = static_cast<std::uint8_t>(me.missed);
        if (is_inside(me.state)) result.until = deadline(me);
        if (!is_in_line(me.state)) continue;
        for (const Visitor& other : visitors_) {
            if (!is_in_line(other.state) || other.number == me.number) continue;
            if (other.missed > 0) continue; // Was called before, so it is not counted as ahead.
            ++(stands_before(other, me) ? result.ahead : result.behind);
        }
    }
    return result;
}

std::uint64_t NaiveRoom::outside_before(const Visitor& me) const {
    return static_cast<std::uint64_t>(
        std::count_if(visitors_.begin(), visitors_.end(), [&](const Visitor& other) {
            const bool outside = is_live(other.state) && other.state != VisitorState::active;
            return outside && stands_before(other, me);
        }));
}

std::size_t NaiveRoom::count(VisitorState state) const {
    return static_cast<std::size_t>(
        std::count_if(visitors_.begin(), visitors_.end(),
                      [&](const Visitor& visitor) { return visitor.state == state; }));
}

Visitor* NaiveRoom::find(Number number) {
    for (Visitor& visitor : visitors_)
        if (visitor.number == number) return &visitor;
    return nullptr;
}

Visitor* NaiveRoom::find_live(const VisitorKey& key) {
    for (Visitor& visitor : visitors_)
        if (visitor.key == key && is_live(visitor.state)) return &visitor;
    return nullptr;
}

OuterVisitor* NaiveRoom::outer(Number number) {
    if (number <= outer_forgotten_ || number > outer_.size()) return nullptr;
    return &outer_[number - 1];
}

std::size_t NaiveRoom::inside() const {
    return count(VisitorState::called) + count(VisitorState::active);
}

// --- Visitors ------------------------------------------------------------------------------------

Outcome NaiveRoom::on(const Join& join) {
    if (Visitor* there = find_live(join.visitor)) return on(Touch{there->number});
    if (state_ == RoomState::draining) return Refused{Reason::room_draining};
    if (state_ == RoomState::closed) return Refused{Reason::room_closed};
    if (join.lane >= settings_.lanes) return Refused{Reason::unknown_lane};
    if (outer_active_ && !join.outer) return Refused{Reason::outer_required};
    OuterVisitor* from = nullptr;
    if (join.outer) {
        if (join.outer->generation == generation_) from = outer(join.outer->number);
        if (!from) return Refused{Reason::outer_unknown};
        if (outer_active_ && from->number > outer_serving_)
            return Refused{Reason::outer_not_released};
        if (from->user && *from->user != join.visitor) return Refused{Reason::outer_taken};
    }
    const std::size_t waiting = count(VisitorState::waiting) + count(VisitorState::leaving);
    if (waiting >= static_cast<std::size_t>(settings_.waiting_max) &&
        state_ != RoomState::passthrough)
        return Refused{Reason::room_full};

    Visitor visitor{.number = visitors_.size() + 1, .key = join.visitor, .lane = join.lane};
    visitor.joined = visitor.seen = now_;
    if (from) {
        from->user = join.visitor;
        if (!from->spent) visitor.carried = older_numbers_ + from->number;
    }
    visitors_.push_back(visitor);

    Done done;
    if (settings_.admit_on_join) admit(done, 10'000, true);
    Visitor& me = visitors_.back();
    if (me.state == VisitorState::called && settings_.claim_by_look) claim(me);
    Standing result = standing(me.number);
    result.is_new = true;
    return result;
}

Outcome NaiveRoom::on(const Touch& touch) {
    Visitor* visitor = find(touch.number);
    if (!visitor) return Refused{Reason::unknown_number};
    if (is_live(visitor->state)) see(*visitor, touch.told);
    if (visitor->state == VisitorState::leaving)
        visitor->state = VisitorState::waiting;
    else if (visitor->state == VisitorState::called && settings_.claim_by_look)
        claim(*visitor);
    return standing(touch.number);
}

Outcome NaiveRoom::on(const Seek& seek) {
    const Visitor* there = find_live(seek.visitor);
    return on(Touch{there ? there->number : 0});
}

Outcome NaiveRoom::on(const Claim& asked) {
    Visitor* visitor = find(asked.number);
    if (!visitor) return Refused{Reason::unknown_number};
    if (!is_inside(visitor->state)) return Refused{Reason::not_called};
    see(*visitor);
    if (visitor->state == VisitorState::called) claim(*visitor);
    return standing(asked.number);
}

Outcome NaiveRoom::on(const Redeem& redeem) {
    Outcome claimed = on(Claim{redeem.number});
    if (std::holds_alternative<Refused>(claimed)) return claimed;
    Visitor* visitor = find(redeem.number);
    if (visitor->redeemed) return Refused{Reason::redeemed};
    visitor->redeemed = true;
    return standing(redeem.number);
}

Outcome NaiveRoom::on(const SetLease& set) {
    if (set.lease < Millis{1} || set.lease > settings_.lease) return Refused{Reason::bad_lease};
    Outcome claimed = on(Claim{set.number});
    if (std::holds_alternative<Refused>(claimed)) return claimed;
    find(set.number)->since = now_ + set.lease - settings_.lease_max;
    return standing(set.number);
}

Outcome NaiveRoom::on(const Finish& finish) {
    Visitor* visitor = find(finish.number);
    if (!visitor) return Refused{Reason::unknown_number};
    if (is_in_line(visitor->state)) return Refused{Reason::not_called};
    if (is_inside(visitor->state)) visitor->state = VisitorState::finished;
    return Done{};
}

Outcome NaiveRoom::on(const Leave& leave) {
    Visitor* visitor = find(leave.number);
    if (!visitor) return Refused{Reason::unknown_number};
    const bool may_return =
        visitor->state == VisitorState::waiting && settings_.leave_grace > Millis{0};
    if (may_return) {
        visitor->state = VisitorState::leaving;
        visitor->since = now_;
    } else if (visitor->state != VisitorState::leaving && is_live(visitor->state)) {
        visitor->state = VisitorState::left;
    }
    return Done{};
}

void NaiveRoom::call(Visitor& visitor) {
    visitor.state = VisitorState::called;
    visitor.since = now_;
    // Calls that no longer count when the next one is made are forgotten.
    std::erase_if(calls_, [&](Instant at) { return at + settings_.admit_interval <= now_; });
    calls_.push_back(now_);
    if (visitor.carried > older_numbers_)
        if (OuterVisitor* from = outer(visitor.carried - older_numbers_)) from->spent = true;
    if (settings_.rate_milli == 0) return;
    std::erase_if(rated_calls_, [&](Instant at) { return at + rate_window() <= now_; });
    rated_calls_.push_back(now_);
    const std::int64_t most = std::max<std::int64_t>(1'000'000, settings_.rate_milli * 100);
    const std::int64_t level =
        std::min(most, bucket_ + (now_ - bucket_at_).count * settings_.rate_milli);
    bucket_ = std::max<std::int64_t>(0, level - 1'000'000);
    bucket_at_ = now_;
}

void NaiveRoom::claim(Visitor& visitor) {
    visitor.state = VisitorState::active;
    visitor.seen = now_;
    if (settings_.lease_start == LeaseStart::at_claim) visitor.since = now_;
}

// --- The clock -----------------------------------------------------------------------------------

Instant NaiveRoom::lease_end(const Visitor& visitor) const {
    return std::min(std::max({visitor.seen, visitor.since, awake_since_}) + settings_.lease,
                    visitor.since + settings_.lease_max);
}

Instant NaiveRoom::claim_end(const Visitor& visitor) const {
    return std::max(visitor.since, awake_since_) + settings_.claim_window;
}

Instant NaiveRoom::deadline(const Visitor& visitor) const {
    if (visitor.state == VisitorState::leaving)
        return std::max(visitor.since, awake_since_) + settings_.leave_grace;
    if (visitor.state == VisitorState::active) return lease_end(visitor);
    return is_claim_missed(visitor) ? claim_end(visitor) : lease_end(visitor);
}

// Whether the window for the claim ends before the lease does.
bool NaiveRoom::is_claim_missed(const Visitor& visitor) const {
    if (settings_.lease_start == LeaseStart::at_claim) return true;
    return settings_.claim_window > Millis{0} && claim_end(visitor) <= lease_end(visitor);
}

bool NaiveRoom::is_silent(const Visitor& visitor) const {
    return std::max(visitor.seen, awake_since_) + settings_.idle <= now_;
}

bool NaiveRoom::is_present(const Visitor& visitor) const {
    Millis presence = settings_.presence;
    if (presence == Millis{0}) presence = std::max(seconds(10), Millis{3 * visitor.told.count});
    presence = std::min(presence, settings_.idle);
    return !visitor.awaited && std::max(visitor.seen, awake_since_) + presence > now_;
}

void NaiveRoom::see(Visitor& visitor, Millis told) {
    visitor.seen = now_;
    visitor.awaited = false;
    if (told > Millis{0}) visitor.told = told;
}

Outcome NaiveRoom::on(const Tick&) {
    Done done;
    for (Visitor& visitor : visitors_) {
        if (!is_live(visitor.state) || visitor.state == VisitorState::waiting) continue;
        if (deadline(visitor) > now_) continue;
        const bool has_another_try = visitor.state == VisitorState::called &&
                                     is_claim_missed(visitor) && visitor.missed < 2 &&
                                     !is_silent(visitor);
        if (has_another_try) {
            visitor.state = VisitorState::waiting;
            visitor.awaited = true;
            ++visitor.missed;
            continue;
        }
        const bool leaves = visitor.state == VisitorState::leaving;
        visitor.state = leaves ? VisitorState::left : VisitorState::expired;
        ++(leaves ? done.left : done.expired);
    }
    const std::size_t waiting = count(VisitorState::waiting) + count(VisitorState::leaving);
    if (swept_ + settings_.sweep_interval <= now_ && waiting > 0) {
        swept_ = now_;
        for (Visitor& visitor : visitors_) {
            if (visitor.state != VisitorState::waiting || !is_silent(visitor)) continue;
            visitor.state = VisitorState::expired;
            ++done.expired;
        }
    }
    while (outer_forgotten_ < outer_.size() &&
           outer_[outer_forgotten_].taken + settings_.outer_lifetime <= now_)
        ++outer_forgotten_;
    if (outer_active_ && outer_advanced_ + settings_.outer_interval <= now_) {
        const std::uint64_t before = outer_serving_;
        outer_serving_ = std::min<std::uint64_t>(
            outer_.size(), before + static_cast<std::uint64_t>(settings_.outer_batch));
        done.advanced = outer_serving_ - before;
        if (done.advanced > 0) outer_advanced_ = now_;
    }
    admit(done, 10'000, true);
    return done;
}

Outcome NaiveRoom::on(const Wake&) {
    awake_since_ = now_;
    for (Visitor& visitor : visitors_) visitor.awaited = false;
    return Done{};
}

// The shortest window of at least a second in which the rate is a whole number of calls.
Millis NaiveRoom::rate_window() const {
    Millis span{1'000};
    while (span.count * settings_.rate_milli % 1'000'000 != 0) ++span.count;
    return span;
}

bool NaiveRoom::pace_allows() const {
    const auto count_within = [&](const std::vector<Instant>& calls, Millis span) {
        return std::count_if(calls.begin(), calls.end(),
                             [&](Instant at) { return at + span > now_; });
    };
    if (count_within(calls_, settings_.admit_interval) >= settings_.admit_batch) return false;
    const std::int64_t rate = settings_.rate_milli;
    if (rate == 0) return true;
    const Millis span = rate_window();
    if (count_within(rated_calls_, span) >= span.count * rate / 1'000'000) return false;
    const std::int64_t most = std::max<std::int64_t>(1'000'000, rate * 100);
    return std::min(most, bucket_ + (now_ - bucket_at_).count * rate) >= 1'000'000;
}

bool NaiveRoom::may_call_one(bool keep_pace) const {
    if (state_ == RoomState::paused || state_ == RoomState::closed) return false;
    if (state_ == RoomState::passthrough) return true;
    if (inside() >= static_cast<std::size_t>(settings_.capacity)) return false;
    if (!keep_pace) return true;
    const auto called = static_cast<std::int64_t>(count(VisitorState::called));
    if (settings_.called_max > 0 && called >= settings_.called_max) return false;
    return pace_allows();
}

Visitor* NaiveRoom::next_to_call(bool keep_pace) {
    const bool no_minimum = !keep_pace || state_ == RoomState::passthrough;
    // Each half of each lane is a line of its own: its first present visitor is called, and one who
    // must still wait holds up that line only.
    for (int lane = 0; lane < settings_.lanes; ++lane) {
        for (const bool carrying : {true, false}) {
            Visitor* head = nullptr;
            for (Visitor& visitor : visitors_) {
                const bool here = visitor.state == VisitorState::waiting && is_present(visitor) &&
                                  visitor.lane == lane && (visitor.carried > 0) == carrying;
                if (here && (!head || stands_before(visitor, *head))) head = &visitor;
            }
            const bool may_go = head && (no_minimum || head->joined + settings_.wait_min <= now_);
            if (may_go) return head;
        }
    }
    return nullptr;
}

void NaiveRoom::admit(Done& done, std::int64_t most, bool keep_pace) {
    for (; most > 0 && may_call_one(keep_pace); --most) {
        Visitor* next = next_to_call(keep_pace);
        if (!next) break;
        call(*next);
        ++done.called;
    }
}

// --- The outer line ------------------------------------------------------------------------------

Outcome NaiveRoom::on(const TakeNumber& take) {
    if (!outer_active_) return Refused{Reason::outer_inactive};
    OuterStanding result{.generation = generation_, .serving = outer_serving_};
    for (const OuterVisitor& visitor : outer_)
        if (visitor.key == take.visitor && visitor.number > outer_forgotten_)
            result.number = visitor.number;
    if (result.number == 0) {
        outer_.push_back({.number = outer_.size() + 1, .key = take.visitor, .taken = now_});
        result.number = outer_.back().number;
        result.is_new = true;
    }
    result.issued = outer_.size();
    result.released = result.number <= outer_serving_;
    return result;
}

Outcome NaiveRoom::on(const Advance& advance) {
    if (advance.count < 1 || advance.count > limits::count_max) return Refused{Reason::bad_count};
    const std::uint64_t before = outer_serving_;
    outer_serving_ =
        std::min<std::uint64_t>(outer_.size(), before + static_cast<std::uint64_t>(advance.count));
    if (outer_serving_ > before) outer_advanced_ = now_;
    return Done{.advanced = outer_serving_ - before};
}

Outcome NaiveRoom::on(const Activate&) {
    older_numbers_ += outer_.size();
    outer_.clear();
    outer_serving_ = outer_forgotten_ = 0;
    outer_advanced_ = now_;
    outer_active_ = true;
    ++generation_;
    return Done{};
}

Outcome NaiveRoom::on(const Deactivate&) {
    outer_active_ = false;
    return Done{};
}

// --- Operators -----------------------------------------------------------------------------------

Outcome NaiveRoom::on(const Configure& configure) {
    const Settings& wanted = configure.settings;
    if (const Reason reason = fault_of(wanted); reason != Reason::none) return Refused{reason};
    // Also of called visitors: one who misses the call returns to its lane.
    for (const Visitor& visitor : visitors_)
        if (is_live(visitor.state) && visitor.state != VisitorState::active &&
            visitor.lane >= wanted.lanes)
            return Refused{Reason::lane_in_use};
    if (wanted.rate_milli != settings_.rate_milli && wanted.rate_milli > 0) {
        bucket_ = 1'000'000;
        bucket_at_ = now_;
    }
    settings_ = wanted;
    return Done{};
}

Outcome NaiveRoom::on(const SetState& set) {
    if (set.to == RoomState::paused && state_ != RoomState::paused) resume_to_ = state_;
    state_ = set.to;
    return Done{};
}

Outcome NaiveRoom::on(const Resume&) {
    if (state_ != RoomState::paused) return Refused{Reason::not_paused};
    state_ = resume_to_;
    return Done{};
}

Outcome NaiveRoom::on(const CallNext& asked) {
    if (asked.count < 1 || asked.count > limits::count_max) return Refused{Reason::bad_count};
    if (state_ == RoomState::paused) return Refused{Reason::room_paused};
    if (state_ == RoomState::closed) return Refused{Reason::room_closed};
    Done done;
    admit(done, asked.count, false);
    return done;
}

Outcome NaiveRoom::on(const Clear&) {
    Done done;
    for (Visitor& visitor : visitors_) {
        if (!is_live(visitor.state)) continue;
        visitor.state = VisitorState::expired;
        ++done.expired;
    }
    return done;
}

} // namespace anteroom::model
