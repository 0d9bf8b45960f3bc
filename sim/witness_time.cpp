// What is due when: deadlines, silence, free slots that nobody takes.
#include <algorithm>

#include "sim/witness.h"

namespace anteroom::sim {

Instant Witness::deadline_of(const Guest& guest) const {
    const Settings& set = book_.settings;
    const Instant sign = std::max({guest.seen, guest.since, awake_});
    const Instant lease_end = std::min(sign + set.lease, guest.since + set.lease_max);
    const Instant claim_end = std::max(guest.since, awake_) + set.claim_window;
    if (guest.state == VisitorState::leaving)
        return std::max(guest.since, awake_) + set.leave_grace;
    if (guest.state == VisitorState::active) return lease_end;
    if (set.lease_start == LeaseStart::at_claim) return claim_end;
    return set.claim_window > Millis{0} ? std::min(claim_end, lease_end) : lease_end;
}

bool Witness::is_silent(const Guest& guest) const {
    return std::max(guest.seen, awake_) + book_.settings.idle <= now_;
}

bool Witness::is_present(const Guest& guest, Instant now) const {
    const Settings& set = book_.settings;
    Millis presence = set.presence;
    if (presence == Millis{0}) presence = std::max(seconds(10), Millis{3 * guest.told.count});
    const Instant until = std::max(guest.seen, awake_) + std::min(presence, set.idle);
    return !guest.awaited && until > now;
}

// Whether it is the window for the claim that ends first, not the lease.
bool Witness::is_claim_missed(const Guest& guest) const {
    const Settings& set = book_.settings;
    if (set.lease_start == LeaseStart::at_claim) return true;
    const Instant sign = std::max({guest.seen, guest.since, awake_});
    const Instant lease_end = std::min(sign + set.lease, guest.since + set.lease_max);
    return set.claim_window > Millis{0} &&
           std::max(guest.since, awake_) + set.claim_window <= lease_end;
}

const Guest* Witness::head(std::size_t line, Instant now) const {
    for (const auto& [order, number] : book_.waits[line]) {
        const Guest& guest = book_.guests.at(number);
        if (is_present(guest, now)) return &guest;
    }
    return nullptr;
}

// Only when it is certain: a free slot, a pace that allows a call, and somebody present who is
// first in a line and has waited enough.
bool Witness::somebody_is_due(Instant now) const {
    const Settings& set = book_.settings;
    if (!may_call(book_.state)) return false;
    const bool through = book_.state == RoomState::passthrough;
    const bool has_slot =
        static_cast<std::int64_t>(book_.inside.size()) < set.capacity &&
        (set.called_max == 0 || static_cast<std::int64_t>(book_.called) < set.called_max);
    if (!through && !(has_slot && pace_.certainly_allows(now))) return false;
    const Millis wait_min = through ? Millis{0} : set.wait_min;
    for (std::size_t line = 0; line < GuestBook::lines_max; ++line)
        if (const Guest* first = head(line, now))
            if (first->joined + wait_min <= now) return true;
    return false;
}

void Witness::saw_time(Instant now) {
    if (!somebody_is_due(now)) return starving_since_.reset();
    if (!starving_since_) starving_since_ = now;
    expect(now - *starving_since_ <= slack_, "a free slot stays unused while somebody waits");
}

void Witness::look_for_overdue(Instant now) {
    const auto late = [&](Instant due) {
        return std::max({due, awake_, configured_}) + slack_ < now;
    };
    for (const Number number : book_.inside)
        expect(!late(deadline_of(*book_.find(number))), "a lease outlived its deadline", number);
    const Settings& set = book_.settings;
    for (std::size_t line = 0; line < GuestBook::lines_max; ++line) {
        for (const auto& [order, number] : book_.away[line])
            expect(!late(deadline_of(*book_.find(number))), "a leaver stays beyond the grace",
                   number);
        for (const auto& [order, number] : book_.waits[line]) {
            const Guest& guest = *book_.find(number);
            const Instant awake_or_set = std::max(awake_, configured_);
            const Instant due = std::max(guest.seen, awake_or_set) + set.idle + set.sweep_interval;
            expect(!late(due), "somebody silent was not swept", number);
        }
    }
}

} // namespace anteroom::sim
