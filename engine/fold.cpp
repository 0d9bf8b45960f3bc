// The only place where hard state changes: one function per fact, the same live and in replay.
#include <algorithm>

#include "base/check.h"
#include "base/overload.h"
#include "engine/counter.h"
#include "engine/planted.h"
#include "engine/room.h"

namespace anteroom {

bool Room::replay(const Fact& fact) {
    if (fact.sequence != sequence_ + 1 || fact.at < now_ || !fits(fact.what)) return false;
    now_ = fact.at;
    fold(fact);
    return true;
}

void Room::fold(const Fact& fact) {
    CHECK(fact.sequence == sequence_ + 1);
    sequence_ = fact.sequence;
    flow_.elapse(fact.at, scene());
    std::visit([&](const auto& what) { fold(what, fact.at); }, fact.what);
}

// Whether a fact can follow: what fold() takes for granted, asked of facts that come from a disk.
bool Room::fits(const Happening& what) const {
    const auto state = [&](Number number) { return roll_.state_of(number); };
    const auto fits = Overload{
        [&](const Joined& j) {
            const bool known = j.outer > outer_.forgotten() && j.outer <= outer_.issued();
            const bool carried = j.outer > 0 && !j.bound_only;
            return j.number == roll_.next_number() && roll_.has_room() &&
                   j.lane < limits::lanes_max && find(j.visitor) == 0 && (j.outer == 0 || known) &&
                   !(j.outer && outer_.is_bound_to_other(j.outer, j.visitor)) &&
                   !(carried && carriers_.at(outer_.order_of(j.outer)) != 0);
        },
        [&](const Called& c) { return state(c.number) == VisitorState::waiting; },
        [&](const Claimed& c) { return state(c.number) == VisitorState::called; },
        [&](const Missed& m) {
            return state(m.number) == VisitorState::called &&
                   standing(m.number).missed + 1 < limits::missed_max;
        },
        [&](const Redeemed& r) {
            return state(r.number) == VisitorState::active && !standing(r.number).redeemed;
        },
        [&](const LeaseSet& l) { return state(l.number) == VisitorState::active; },
        [&](const Finished& f) { return is_inside(state(f.number)); },
        [&](const Leaving& l) { return state(l.number) == VisitorState::waiting; },
        [&](const Returned& r) { return state(r.number) == VisitorState::leaving; },
        [&](const Left& l) { return is_live(state(l.number)); },
        [&](const Expired& e) { return is_live(state(e.number)); },
        [&](const NumberTaken& t) {
            return t.number == outer_.next_number() && outer_has_room() &&
                   outer_.find(t.visitor) == 0;
        },
        [&](const Advanced& a) {
            return a.serving >= outer_.serving() && a.serving <= outer_.issued();
        },
        [&](const OuterExpired& o) {
            return o.through >= outer_.forgotten() && o.through <= outer_.issued();
        },
        [&](const Activated& a) { return a.generation == outer_.generation() + 1; },
        [&](const Deactivated&) { return true; },
        [&](const Configured& c) { return fault_of(c.settings) == Reason::none; },
        [&](const StateChanged& s) { return s.to <= RoomState::passthrough; },
        [&](const Cleared&) { return true; },
    };
    return std::visit(fits, what);
}

void Room::fold(const Joined& joined, Instant at) {
    const bool carried = joined.outer > 0 && !joined.bound_only;
    const Place place{
        .state = VisitorState::waiting,
        .line = static_cast<std::uint8_t>(joined.lane * 2 + (carried ? 0 : 1)),
        .order = carried ? outer_.order_of(joined.outer) : joined.number,
    };
    if (joined.outer > 0) {
        before_outer_change(joined.outer);
        outer_.bind(joined.outer, joined.visitor);
    }
    if (carried) carriers_.add(place.order, joined.number);
    lines_[place.line].everybody.insert(place.order);
    lines_[place.line].present.insert(place.order);
    lines_[place.line].outside.insert(place.order);
    add(waiting_, +1);
    // The chunk that grows, or that may be buried now that the next one begins. One that begins was
    // not there when the snapshot did.
    if (copy_) [[unlikely]]
        copy_->keep_record(roll_.issued());
    roll_.add(joined.number, joined.visitor, place, at);
    ++totals_.joined;
}

void Room::fold(const Called& called, Instant at) {
    Record& record = record_to_change(called.number);
    Place place = record.place();
    CHECK(place.state == VisitorState::waiting);
    flow_.called(at, scene());
    add(inside_,
        +one_called); // First: a reader between the two counts the visitor twice, never not at all.
    // In a copy of the room: visitors before this one must be absent, or they would have been
    // called.
    Line& present = lines_[place.line].present;
    for (std::optional<std::uint64_t> first = present.front();
         !facts_ && first && *first < place.order; first = present.front())
        set_aside({.line = place.line, .order = *first});
    leave_line(place);
    if (carries(place.line)) {
        before_outer_change(outer_.number_of(place.order));
        outer_.spend(place.order);
    }
    place.state = VisitorState::called;
    record.start(at);
    record.put(place);
    serving_.store(std::max(serving(), called.number), std::memory_order_release);
    const bool forgotten = planted(Bug::replay_forgets_pace) && !facts_;
    if (!forgotten) pacer_.record(at);
    ++totals_.called;
    set_timer(called.number);
}

void Room::fold(const Claimed& claimed, Instant at) {
    Record& record = record_to_change(claimed.number);
    Place place = record.place();
    CHECK(place.state == VisitorState::called);
    place.state = VisitorState::active;
    if (settings().lease_start == LeaseStart::at_claim) record.start(at);
    record.touch(at);
    record.put(place);
    lines_[place.line].outside.erase(place.order);
    add(inside_, one_active - one_called);
    ++totals_.claimed;
    set_timer(claimed.number);
}

void Room::fold(const Missed& missed, Instant at) {
    Record& record = record_to_change(missed.number);
    Place place = record.place();
    CHECK(place.state == VisitorState::called);
    place.state = VisitorState::waiting;
    if (!planted(Bug::called_for_ever)) ++place.missed;
    record.await();
    if (carries(place.line)) carriers_.add(place.order, missed.number);
    add(waiting_,
        +1); // First: a reader between the two counts the visitor twice, never not at all.
    add(absent_, +1);
    add(first_again_, +1);
    record.put(place);
    leave_inside(VisitorState::called, at);
    Line& everybody = lines_[place.line].everybody;
    if (planted(Bug::ahead_grows_after_missed_call) && !everybody.contains(place.order))
        everybody.insert(place.order);
}

void Room::fold(const Redeemed& redeemed, Instant) {
    Record& record = record_to_change(redeemed.number);
    Place place = record.place();
    CHECK(place.state == VisitorState::active && !place.redeemed);
    place.redeemed = true;
    record.put(place);
}

// As if the stay had begun so that its longest possible time ends then: no deadline of its own has
// to be kept, and no sign of life leads beyond it.
void Room::fold(const LeaseSet& set, Instant) {
    Record& record = record_to_change(set.number);
    CHECK(record.place().state == VisitorState::active);
    record.start(set.until - settings().lease_max);
    set_timer(set.number);
}

void Room::fold(const Finished& finished, Instant at) {
    end(finished.number, VisitorState::finished, at);
    ++totals_.finished;
}

void Room::fold(const Leaving& leaving, Instant at) {
    Record& record = record_to_change(leaving.number);
    Place place = record.place();
    CHECK(place.state == VisitorState::waiting);
    if (lines_[place.line].present.contains(place.order)) set_aside(place);
    place.state = VisitorState::leaving;
    record.start(at);
    record.put(place);
    set_timer(leaving.number);
}

void Room::fold(const Returned& returned, Instant at) {
    Record& record = record_to_change(returned.number);
    Place place = record.place();
    CHECK(place.state == VisitorState::leaving);
    if (!planted(Bug::return_loses_place)) put_forward(place);
    place.state = VisitorState::waiting;
    record.revive(at);
    record.put(place);
}

void Room::fold(const Left& left, Instant at) {
    end(left.number, planted(Bug::leaver_vanishes) ? VisitorState::unknown : VisitorState::left,
        at);
    ++totals_.left;
}

void Room::fold(const Expired& expired, Instant at) {
    end(expired.number, VisitorState::expired, at);
    if (expired.cause == Expiry::no_show && planted(Bug::unclaimed_call_keeps_slot))
        add(inside_, +one_called);
    ++totals_.expired;
}

void Room::end(Number number, VisitorState state, Instant at) {
    const Place place = record_to_change(number).place();
    CHECK(is_live(place.state));
    if (place.state != VisitorState::active) lines_[place.line].outside.erase(place.order);
    if (is_in_line(place.state)) {
        // A visitor who was passed over was counted as departed in pass_over().
        if (lines_[place.line].present.contains(place.order)) flow_.departed(at);
        leave_line(place);
    } else {
        leave_inside(place.state, at);
        if (state == VisitorState::finished && planted(Bug::finish_keeps_slot))
            add(inside_, +one_active);
    }
    roll_.end(number, state, at);
}

void Room::leave_line(Place place) {
    Queue& queue = lines_[place.line];
    if (place.counts_as_ahead())
        queue.everybody.erase(place.order);
    else
        add(first_again_, -1);
    if (queue.present.contains(place.order))
        queue.present.erase(place.order);
    else
        add(absent_, -1);
    if (carries(place.line)) carriers_.remove(place.order);
    add(waiting_, -1);
}

void Room::leave_inside(VisitorState state, Instant at) {
    flow_.released(at, scene());
    add(inside_, state == VisitorState::called ? -one_called : -one_active);
}

void Room::fold(const NumberTaken& taken, Instant at) {
    before_outer_change(taken.number);
    outer_.take(taken.number, taken.visitor, at);
}

void Room::fold(const Advanced& advanced, Instant at) {
    outer_.advance(advanced.serving, at);
}

void Room::fold(const OuterExpired& expired, Instant) {
    if (copy_) copy_->keep_outer_through(expired.through);
    outer_.forget(expired.through);
}

void Room::fold(const Activated& activated, Instant at) {
    if (copy_) copy_->keep_outer_through(outer_.issued());
    outer_.activate(activated.generation, at);
}

void Room::fold(const Deactivated&, Instant) {
    outer_.deactivate();
}

void Room::fold(const Configured& configured, Instant at) {
    auto fresh = std::make_unique<Settings>(configured.settings);
    Settings* old = settings_.exchange(fresh.release(), std::memory_order_acq_rel);
    retired_.add(std::unique_ptr<Settings>(old));
    pacer_.configure(settings(), at);
    // Deadlines may have come nearer: look at everybody again.
    timers_.clear();
    for_each_live([&](Number number, const Record& record) {
        if (record.place().state != VisitorState::waiting) set_timer(number);
    });
}

void Room::fold(const StateChanged& changed, Instant) {
    if (changed.to == RoomState::paused) resume_to_ = state();
    // The pace before a pause says nothing about the pace after it.
    if (!may_call(state()) && may_call(changed.to)) flow_.restart();
    state_.store(changed.to, std::memory_order_release);
}

void Room::fold(const Cleared&, Instant at) {
    std::vector<Number> everybody;
    for_each_live([&](Number number, const Record&) { everybody.push_back(number); });
    for (const Number number : everybody) end(number, VisitorState::expired, at);
    totals_.expired += everybody.size();
}

} // namespace anteroom
