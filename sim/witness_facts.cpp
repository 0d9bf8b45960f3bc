// What may happen, and when: one function per fact, and the deadlines behind them.
#include <algorithm>

#include "sim/witness.h"

namespace anteroom::sim {

Guest* Witness::live_guest(Number number, const char* otherwise) {
    Guest* guest = book_.find(number);
    const bool live = guest && is_live(guest->state);
    return expect(live, otherwise, number) ? guest : nullptr;
}

void Witness::saw(const Joined& joined) {
    const Join* join = asked_for<Join>();
    if (!expect(join && join->visitor == joined.visitor && join->lane == joined.lane,
                "somebody joined who did not ask", joined.number))
        return;
    ++step_.joined;
    expect(joined.number > book_.issued, "a number was used again", joined.number);
    expect(book_.holder(joined.visitor) == 0, "one visitor has two places", joined.number);
    expect(may_join(book_.state), "a join into a closed or draining room", joined.number);
    expect(joined.lane < book_.settings.lanes, "a join into a lane that is not there",
           joined.number);
    expect(book_.state == RoomState::passthrough ||
               book_.waiting < static_cast<std::uint64_t>(book_.settings.waiting_max),
           "a join into a full room", joined.number);

    OuterBook& outer = book_.outer;
    expect((join->outer ? join->outer->number : 0) == joined.outer,
           "a join with another outer number than was shown", joined.number);
    expect(join->outer || !outer.active, "a join past the outer line", joined.number);
    bool carries = false;
    if (join->outer) {
        if (!expect(outer.knows(*join->outer), "a join with an unknown outer number",
                    joined.number))
            return;
        OuterGuest& place = outer.at(joined.outer);
        expect(outer.has_released(joined.outer), "a join before the outer turn", joined.number);
        expect(!place.bound || place.user == joined.visitor,
               "a join with somebody else's outer number", joined.number);
        expect(joined.bound_only == place.spent, "an outer number was carried twice",
               joined.number);
        place.bound = true;
        place.user = joined.visitor;
        carries = !joined.bound_only;
    }
    if (violation_) return;

    Guest guest{.number = joined.number, .key = joined.visitor, .state = VisitorState::waiting};
    guest.lane = joined.lane;
    guest.line = static_cast<std::uint8_t>(2 * joined.lane + (carries ? 0 : 1));
    guest.order = carries ? outer.base + joined.outer : joined.number;
    guest.joined = now_;
    guest.seen = now_;
    book_.waits[guest.line].emplace(guest.order, guest.number);
    book_.live[guest.key] = guest.number;
    ++book_.joins[guest.line];
    ++book_.waiting;
    book_.issued = joined.number;
    book_.guests.emplace(guest.number, guest);
}

void Witness::saw(const Called& called) {
    Guest* guest = live_guest(called.number, "somebody was called who is not here");
    if (!guest) return;
    ++step_.called;
    const bool by_pace = asked<Tick>() || asked<Join>();
    const bool through = book_.state == RoomState::passthrough;
    const auto inside = static_cast<std::int64_t>(book_.inside.size());
    const std::int64_t called_max = book_.settings.called_max;
    expect(by_pace || asked<CallNext>(), "a call that nobody asked for", guest->number);
    expect(guest->calls == guest->missed, "somebody was called twice", guest->number);
    expect(guest->missed < limits::missed_max, "somebody was called again and again",
           guest->number);
    expect(guest->state == VisitorState::waiting, "somebody was called who does not wait",
           guest->number);
    expect(is_present(*guest, now_), "somebody was called who is absent", guest->number);
    expect(may_call(book_.state), "a call in a paused or closed room", guest->number);
    expect(through || inside < book_.settings.capacity, "a call above the capacity", guest->number);
    const bool paced = by_pace && !through;
    expect(!paced || called_max == 0 || static_cast<std::int64_t>(book_.called) < called_max,
           "a call while too many have not come yet", guest->number);
    check_turn(*guest, paced);
    pace_.record(now_, paced);
    if (paced && pace_.fault()) expect(false, pace_.fault(), guest->number);
    starving_since_.reset();

    if (guest->line % 2 == 0 && guest->order > book_.outer.base) {
        const Number outer = guest->order - book_.outer.base;
        if (outer > book_.outer.forgotten) book_.outer.at(outer).spent = true;
    }
    book_.waits[guest->line].erase({guest->order, guest->number});
    guest->state = VisitorState::called;
    guest->since = now_;
    ++guest->calls;
    --book_.waiting;
    if (guest->missed > 0) --book_.first_again;
    ++book_.called;
    book_.inside.insert(guest->number);
    book_.serving = std::max(book_.serving, guest->number);
}

// Whose turn is it? That of the first who is present, in the first line where that one has waited
// long enough.
void Witness::check_turn(const Guest& guest, bool paced) {
    const Millis wait_min = paced ? book_.settings.wait_min : Millis{0};
    const auto may_go = [&](const Guest& other) { return other.joined + wait_min <= now_; };
    expect(may_go(guest), "somebody was called before the least wait", guest.number);
    const Guest* first = head(guest.line, now_);
    expect(first && first->number == guest.number, "somebody was overtaken within the lane",
           first ? first->number : 0);
    for (std::size_t line = 0; line < guest.line; ++line)
        if (const Guest* earlier = head(line, now_))
            expect(!may_go(*earlier), "a lower lane was called first", earlier->number);
}

void Witness::saw(const Missed& missed) {
    Guest* guest = live_guest(missed.number, "somebody missed a call who is not here");
    if (!guest) return;
    if (!expect(asked<Tick>() && guest->state == VisitorState::called,
                "somebody missed a call who was not called", missed.number))
        return;
    expect(is_claim_missed(*guest) && deadline_of(*guest) <= now_,
           "a call was taken back before the time for the claim was over", missed.number);
    expect(!is_silent(*guest), "somebody silent was kept in the line", missed.number);
    expect(guest->missed + 1 < limits::missed_max, "a call was missed too often", missed.number);
    guest->state = VisitorState::waiting;
    guest->awaited = true;
    ++guest->missed;
    book_.waits[guest->line].emplace(guest->order, guest->number);
    ++book_.waiting;
    ++book_.first_again;
    --book_.called;
    book_.inside.erase(guest->number);
}

// A request of the visitor's own.
void Witness::see(Guest& guest, Instant now, Millis told) {
    guest.seen = std::max(guest.seen, now);
    guest.awaited = false;
    if (told > Millis{0}) guest.told = told;
}

void Witness::saw(const Claimed& claimed) {
    Guest* guest = live_guest(claimed.number, "a claim of somebody who is not here");
    if (!guest) return;
    expect(asked<Touch>() || asked<Seek>() || asked<Claim>() || asked<Redeem>() ||
               asked<SetLease>() || asked<Join>(),
           "a claim that nobody asked for", claimed.number);
    if (!expect(guest->state == VisitorState::called, "a claim without a call", claimed.number))
        return;
    guest->state = VisitorState::active;
    see(*guest, now_);
    if (book_.settings.lease_start == LeaseStart::at_claim) guest->since = now_;
    --book_.called;
    ++book_.active;
}

void Witness::saw(const Redeemed& redeemed) {
    Guest* guest = live_guest(redeemed.number, "a pass of somebody who is not here");
    if (!guest) return;
    expect(asked<Redeem>() && guest->state == VisitorState::active, "a pass without a place inside",
           redeemed.number);
    expect(!guest->redeemed, "a pass was exchanged twice", redeemed.number);
    guest->redeemed = guest->was_redeemed_now = true;
}

void Witness::saw(const LeaseSet& set) {
    Guest* guest = live_guest(set.number, "a lease of somebody who is not here");
    if (!guest) return;
    const SetLease* asked = asked_for<SetLease>();
    expect(asked && guest->state == VisitorState::active, "a lease without a place inside",
           set.number);
    expect(asked && set.until == now_ + asked->lease, "another lease than was asked for",
           set.number);
    guest->since = set.until - book_.settings.lease_max;
}

void Witness::saw(const Finished& finished) {
    Guest* guest = live_guest(finished.number, "somebody finished who is not here");
    if (!guest) return;
    expect(asked<Finish>() && is_inside(guest->state), "somebody finished who is not inside",
           finished.number);
    end(*guest, VisitorState::finished);
}

void Witness::saw(const Leaving& leaving) {
    Guest* guest = live_guest(leaving.number, "somebody leaves who is not here");
    if (!guest) return;
    if (!expect(asked<Leave>() && guest->state == VisitorState::waiting,
                "somebody leaves who does not wait", leaving.number))
        return;
    book_.waits[guest->line].erase({guest->order, guest->number});
    book_.away[guest->line].emplace(guest->order, guest->number);
    guest->state = VisitorState::leaving;
    guest->since = now_;
}

void Witness::saw(const Returned& returned) {
    Guest* guest = live_guest(returned.number, "somebody returned who is not here");
    if (!guest) return;
    if (!expect(guest->state == VisitorState::leaving, "somebody returned who had not left",
                returned.number))
        return;
    book_.away[guest->line].erase({guest->order, guest->number});
    book_.waits[guest->line].emplace(guest->order, guest->number);
    guest->state = VisitorState::waiting;
    see(*guest, now_);
}

void Witness::saw(const Left& left) {
    Guest* guest = live_guest(left.number, "somebody left who is not here");
    if (!guest) return;
    if (asked<Tick>()) {
        ++step_.left;
        expect(guest->state == VisitorState::leaving && deadline_of(*guest) <= now_,
               "the grace of leaving ended too early", left.number);
    } else {
        expect(asked<Leave>(), "somebody left who did not ask", left.number);
        const bool has_grace = book_.settings.leave_grace > Millis{0};
        expect(is_inside(guest->state) || !has_grace, "somebody left without the grace",
               left.number);
    }
    end(*guest, VisitorState::left);
}

void Witness::saw(const Expired& expired) {
    Guest* guest = live_guest(expired.number, "somebody expired who is not here");
    if (!guest) return;
    ++step_.expired;
    const VisitorState state = guest->state;
    if (expired.cause == Expiry::silent) {
        expect(state == VisitorState::waiting && is_silent(*guest),
               "somebody was swept before the time of silence was over", expired.number);
    } else {
        const bool no_show = expired.cause == Expiry::no_show;
        expect(state == (no_show ? VisitorState::called : VisitorState::active),
               "a lease ended for the wrong cause", expired.number);
        expect(asked<Tick>() && deadline_of(*guest) <= now_, "a lease ended too early",
               expired.number);
        const bool is_last = guest->missed + 1 >= limits::missed_max || is_silent(*guest);
        expect(!no_show || is_last || !is_claim_missed(*guest),
               "a visit ended with the first call that was missed", expired.number);
    }
    end(*guest, VisitorState::expired);
}

void Witness::end(Guest& guest, VisitorState state) {
    const std::pair place{guest.order, guest.number};
    if (is_in_line(guest.state)) {
        const std::size_t found = book_.waits[guest.line].erase(place);
        if (found == 0) book_.away[guest.line].erase(place);
        --book_.waiting;
        if (guest.missed > 0) --book_.first_again;
    } else {
        const bool has_begun = guest.state == VisitorState::active ||
                               book_.settings.lease_start == LeaseStart::at_call;
        const Instant last =
            std::max({guest.since + book_.settings.lease_max, configured_, awake_});
        expect(!has_begun || now_ <= last + slack_, "a lease lasted beyond its maximum",
               guest.number);
        --(guest.state == VisitorState::called ? book_.called : book_.active);
        book_.inside.erase(guest.number);
    }
    book_.live.erase(guest.key);
    guest.state = state;
    guest.ended = now_;
}

void Witness::saw(const NumberTaken& taken) {
    OuterBook& outer = book_.outer;
    expect(asked<TakeNumber>() && outer.active, "an outer number that nobody asked for",
           taken.number);
    expect(holder_before_ == 0, "one visitor has two outer numbers", taken.number);
    if (!expect(taken.number == outer.issued + 1, "an outer number out of order", taken.number))
        return;
    outer.issued = taken.number;
    outer.holders[taken.visitor] = taken.number;
    outer.guests.push_back({.key = taken.visitor, .taken = now_});
}

void Witness::saw(const Advanced& advanced) {
    OuterBook& outer = book_.outer;
    expect(advanced.serving > outer.serving, "the outer line went back");
    expect(advanced.serving <= outer.issued, "the outer line serves beyond what it issued");
    if (violation_) return;
    const auto by = static_cast<std::int64_t>(advanced.serving - outer.serving);
    if (const Advance* advance = asked_for<Advance>()) {
        expect(by <= advance->count, "the outer line advanced by more than was asked");
    } else {
        expect(asked<Tick>() && outer.active, "the outer line advanced by itself");
        expect(by <= book_.settings.outer_batch, "the outer line advanced by more than a batch");
        expect(outer.advanced + book_.settings.outer_interval <= now_,
               "the outer line advanced before its interval was over");
    }
    step_.advanced += static_cast<std::uint64_t>(by);
    outer.serving = advanced.serving;
    outer.advanced = now_;
}

void Witness::saw(const OuterExpired& expired) {
    OuterBook& outer = book_.outer;
    if (!expect(
            asked<Tick>() && expired.through <= outer.issued && expired.through > outer.forgotten,
            "outer numbers were forgotten wrongly"))
        return;
    for (Number number = outer.forgotten + 1; number <= expired.through; ++number) {
        const OuterGuest& guest = outer.at(number);
        expect(guest.taken + book_.settings.outer_lifetime <= now_,
               "an outer number was forgotten too early", number);
        outer.holders.erase(guest.key);
    }
    outer.forgotten = expired.through;
}

void Witness::saw(const Activated& activated) {
    OuterBook& outer = book_.outer;
    expect(asked<Activate>() && activated.generation == outer.generation + 1,
           "a generation that nobody asked for");
    outer = OuterBook{.active = true,
                      .generation = activated.generation,
                      .base = outer.base + outer.issued,
                      .advanced = now_,
                      .holders = {},
                      .guests = {}};
}

void Witness::saw(const Deactivated&) {
    expect(asked<Deactivate>(), "the outer line closed by itself");
    book_.outer.active = false;
}

void Witness::saw(const Configured& configured) {
    const Configure* configure = asked_for<Configure>();
    expect(configure && configure->settings == configured.settings,
           "settings that nobody asked for");
    for (std::size_t line = std::size_t{configured.settings.lanes} * 2; line < GuestBook::lines_max;
         ++line)
        expect(book_.waits[line].empty() && book_.away[line].empty(),
               "a lane was closed with somebody in it");
    for (const Number number : book_.inside) {
        const Guest& guest = *book_.find(number);
        expect(guest.state == VisitorState::active || guest.lane < configured.settings.lanes,
               "a lane was closed with somebody called out of it", number);
    }
    book_.settings = configured.settings;
    pace_.configure(configured.settings);
    configured_ = now_;
}

void Witness::saw(const StateChanged& changed) {
    const SetState* set = asked_for<SetState>();
    const RoomState wanted = set ? set->to : book_.before_pause;
    expect(set || (asked<Resume>() && book_.state == RoomState::paused),
           "the room changed its state by itself");
    expect(changed.to == wanted, "the room went into another state than was asked for");
    if (changed.to == RoomState::paused) book_.before_pause = book_.state;
    book_.state = changed.to;
}

void Witness::saw(const Cleared&) {
    expect(asked<Clear>(), "the room was cleared by itself");
    const auto everybody = book_.live;
    for (const auto& [key, number] : everybody) end(*book_.find(number), VisitorState::expired);
}

} // namespace anteroom::sim
