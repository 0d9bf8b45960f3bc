// What is asked of the room, one function per command: look, decide, let it happen.
#include "engine/room.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/planted.h"

namespace anteroom {

Room::Room()
    : settings_(new Settings),
      lines_(make_lines(retired_, std::make_index_sequence<lines_max>{})),
      roll_(retired_),
      outer_(retired_),
      carriers_(retired_) {
    pacer_.configure(settings(), Instant{});
}

Room::~Room() {
    delete settings_.load(std::memory_order_relaxed);
    delete marks_.load(std::memory_order_relaxed);
}

Outcome Room::apply(const Command& command, Instant now, Facts& facts) {
    now_ = std::max(now_, now);
    facts_ = &facts;
    Outcome outcome = std::visit([this](const auto& asked) { return on(asked); }, command);
    facts_ = nullptr;
    return outcome;
}

void Room::happen(const Happening& what) {
    CHECK(facts_);
    facts_->push_back(Fact{.sequence = sequence_ + 1, .at = now_, .what = what});
    fold(facts_->back());
}

Reason Room::join_fault(const Join& join) const {
    if (state() == RoomState::draining) return Reason::room_draining;
    if (state() == RoomState::closed) return Reason::room_closed;
    if (join.lane >= settings().lanes) return Reason::unknown_lane;
    if (outer_.active() && !join.outer) return Reason::outer_required;
    if (join.outer) {
        const std::optional<OuterStanding> outer = outer_.standing(*join.outer);
        if (!outer) return Reason::outer_unknown;
        if (!outer->released && !planted(Bug::outer_turn_ignored))
            return Reason::outer_not_released;
        if (outer_.is_bound_to_other(join.outer->number, join.visitor)) return Reason::outer_taken;
    }
    const bool full = waiting() >= static_cast<std::uint64_t>(settings().waiting_max);
    if ((full && state() != RoomState::passthrough) || !roll_.has_room()) return Reason::room_full;
    return Reason::none;
}

Outcome Room::on(const Join& join) {
    const Number there = find(join.visitor);
    const bool overlooked = there && planted(Bug::join_twice_two_places) &&
                            standing(there).state == VisitorState::leaving;
    if (there && !overlooked) return on(Touch{there});
    if (const Reason reason = join_fault(join); reason != Reason::none) return Refused{reason};

    const Number number = roll_.next_number();
    Joined joined{.number = number, .visitor = join.visitor, .lane = join.lane};
    if (join.outer) {
        joined.outer = join.outer->number;
        joined.bound_only = outer_.is_spent(joined.outer);
    }
    happen(joined);

    Done done;
    if (settings().admit_on_join) admit(done, limits::calls_per_tick_max, Pace::kept);
    const bool called = standing(number).state == VisitorState::called;
    if (called && settings().claim_by_look) happen(Claimed{number});
    Standing result = standing(number);
    result.is_new = true;
    return result;
}

Outcome Room::on(const Touch& touch) {
    Record* record = roll_.record(touch.number);
    const VisitorState state = roll_.state_of(touch.number);
    if (state == VisitorState::unknown) return Refused{Reason::unknown_number};
    const bool missed_a_call = state == VisitorState::waiting && record->sign().awaited;
    if (is_live(state)) welcome(*record, touch.told);
    if (missed_a_call && planted(Bug::called_twice_on_return)) happen(Called{touch.number});
    if (state == VisitorState::leaving) happen(Returned{touch.number});
    if (state == VisitorState::called && settings().claim_by_look) happen(Claimed{touch.number});
    return standing(touch.number);
}

Outcome Room::on(const Seek& seek) {
    return on(Touch{.number = find(seek.visitor)});
}

Outcome Room::on(const Claim& claim) {
    const VisitorState state = roll_.state_of(claim.number);
    if (state == VisitorState::unknown) return Refused{Reason::unknown_number};
    if (!is_inside(state)) return Refused{Reason::not_called};
    roll_.record(claim.number)->revive(now_);
    if (state == VisitorState::called) happen(Claimed{claim.number});
    return standing(claim.number);
}

Outcome Room::on(const Redeem& redeem) {
    const Outcome claimed = on(Claim{redeem.number});
    const auto* before = std::get_if<Standing>(&claimed);
    if (!before) return claimed;
    if (before->redeemed && !planted(Bug::pass_redeemed_twice)) return Refused{Reason::redeemed};
    if (!before->redeemed) happen(Redeemed{redeem.number});
    return standing(redeem.number);
}

Outcome Room::on(const SetLease& set) {
    if (set.lease < Millis{1} || set.lease > settings().lease) return Refused{Reason::bad_lease};
    const Outcome claimed = on(Claim{set.number});
    if (!std::holds_alternative<Standing>(claimed)) return claimed;
    if (!planted(Bug::lease_set_ignored)) happen(LeaseSet{set.number, now_ + set.lease});
    return standing(set.number);
}

Outcome Room::on(const Finish& finish) {
    const VisitorState state = roll_.state_of(finish.number);
    if (state == VisitorState::unknown) return Refused{Reason::unknown_number};
    if (is_in_line(state)) return Refused{Reason::not_called};
    if (is_inside(state)) happen(Finished{finish.number});
    return Done{};
}

Outcome Room::on(const Leave& leave) {
    const VisitorState state = roll_.state_of(leave.number);
    if (state == VisitorState::unknown) return Refused{Reason::unknown_number};
    const bool waits = state == VisitorState::waiting;
    const bool may_return =
        waits && settings().leave_grace > Millis{0} && !planted(Bug::leaving_without_grace);
    if (may_return)
        happen(Leaving{leave.number});
    else if (waits || is_inside(state))
        happen(Left{leave.number});
    return Done{};
}

Outcome Room::on(const TakeNumber& take) {
    if (!outer_.active()) return Refused{Reason::outer_inactive};
    Number number = outer_.find(take.visitor);
    const bool is_new = number == 0;
    if (is_new) {
        if (!outer_has_room()) return Refused{Reason::room_full};
        number = outer_.next_number();
        happen(NumberTaken{.number = number, .visitor = take.visitor});
    }
    OuterStanding result = *outer_.standing({.generation = outer_.generation(), .number = number});
    result.is_new = is_new;
    return result;
}

Outcome Room::on(const Tick&) {
    Done done;
    lapse(done);
    sweep(done);
    advance_outer(done);
    admit(done, limits::calls_per_tick_max, Pace::kept);
    roll_.forget(now_ - settings().ended_memory);
    flow_.elapse(now_, scene());
    flow_.learn(now_);
    return done;
}

Outcome Room::on(const Wake&) {
    if (!planted(Bug::wake_ignored)) awake_since_.store(now_.ms, std::memory_order_relaxed);
    reconsider(Forgive::everybody);
    flow_.restart();
#ifdef ANTEROOM_PLANTED_BUGS
    if (planted(Bug::number_reused_after_replay)) roll_.plant_reissue();
#endif
    return Done{};
}

Outcome Room::on(const Configure& configure) {
    const Settings& wanted = configure.settings;
    if (const Reason reason = fault_of(wanted); reason != Reason::none) return Refused{reason};
    for (std::size_t line = std::size_t{wanted.lanes} * 2; line < lines_max; ++line)
        if (lines_[line].outside.size() > 0) return Refused{Reason::lane_in_use};
    if (wanted == settings()) return Done{};
    happen(Configured{wanted});
    reconsider(Forgive::lapsed); // The time of presence may be another one.
    return Done{};
}

Outcome Room::on(const SetState& set) {
    if (set.to != state()) happen(StateChanged{set.to});
    return Done{};
}

Outcome Room::on(const Resume&) {
    if (state() != RoomState::paused) return Refused{Reason::not_paused};
    happen(StateChanged{resume_to_});
    return Done{};
}

Outcome Room::on(const CallNext& call) {
    if (call.count < 1 || call.count > limits::count_max) return Refused{Reason::bad_count};
    if (state() == RoomState::paused) return Refused{Reason::room_paused};
    if (state() == RoomState::closed) return Refused{Reason::room_closed};
    Done done;
    admit(done, static_cast<std::uint64_t>(call.count), Pace::ignored);
    return done;
}

Outcome Room::on(const Advance& advance) {
    if (advance.count < 1 || advance.count > limits::count_max) return Refused{Reason::bad_count};
    const Number serving =
        std::min(outer_.issued(), outer_.serving() + static_cast<Number>(advance.count));
    const Done done{.advanced = serving - outer_.serving()};
    if (done.advanced > 0) happen(Advanced{serving});
    return done;
}

Outcome Room::on(const Activate&) {
    happen(Activated{outer_.generation() + 1});
    return Done{};
}

Outcome Room::on(const Deactivate&) {
    if (outer_.active()) happen(Deactivated{});
    return Done{};
}

Outcome Room::on(const Clear&) {
    const Done done{.expired = waiting() + inside()};
    if (done.expired > 0) happen(Cleared{});
    return done;
}

} // namespace anteroom
