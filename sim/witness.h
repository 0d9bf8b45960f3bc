// Witness: an independent observer of a room. It sees every command, outcome and fact, keeps its
// own books and says so when a rule of the house is broken.
//
// The rules: nobody is let in twice, called while absent, overtaken within a lane while present, or
// lost; no call above the capacity or the pace, or out of a paused room; numbers only grow; `ahead`
// never does; nothing ends before its time or long after it; the same visitor gets the same place;
// no free slot stays unused for more than two seconds while somebody present may be called.
//
// Everything is a value, so that a wrong history can be told to it by hand (witness_test.cpp). Only
// the first violation is kept: what follows it proves nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/time.h"
#include "engine/command.h"
#include "engine/fact.h"
#include "engine/outcome.h"
#include "sim/guest_book.h"
#include "sim/pace_log.h"

namespace anteroom::sim {

struct Violation {
    std::string what;
    Instant at;
};

// What the room says of itself.
struct Counts {
    std::uint64_t waiting = 0;
    std::uint64_t called = 0;
    std::uint64_t active = 0;
    std::uint64_t issued = 0;
    std::uint64_t serving = 0;
};

class Witness {
  public:
    // How late a due tick may be: what happens later than that is the room's fault.
    explicit Witness(Millis lateness_max) : slack_{lateness_max.count + patience.count} {}

    // One step: the command, its outcome and the facts it led to.
    void saw(const Command& command, Instant now, const Outcome& outcome,
             std::span<const Fact> facts);
    // A sign of life that was not a command; `told` as in Touch.
    void saw_touch(Number number, Instant now, Millis told = Millis{0});
    // An open stream's: `asked` when the room wanted a Touch instead.
    void saw_stay(Number number, Instant now, bool asked);
    // The room was made anew from its facts: what visitors were told to do is in none of them.
    void saw_restart();
    // The room told a visitor this.
    void saw_standing(const Standing& standing);
    // The same, where the whole line is looked through: `ahead` must be right, not only plausible.
    void saw_standing(const Standing& standing, std::uint64_t ahead);
    void saw_counts(const Counts& counts);
    // Time passes: is there a free slot and somebody for it, for too long?
    void saw_time(Instant now);
    // Checks that every visit whose end is overdue has ended.
    void look_for_overdue(Instant now);

    // Any other observation that must hold.
    bool expect(bool holds, const char* what, Number who = 0);
    bool is_content() const { return !violation_; }
    const std::optional<Violation>& violation() const { return violation_; }

    const GuestBook& book() const { return book_; }
    Instant now() const { return now_; }

  private:
    static constexpr Millis patience = seconds(2);

    // Facts (witness_facts.cpp).
    void saw(const Joined&);
    void saw(const Called&);
    void saw(const Claimed&);
    void saw(const Missed&);
    void saw(const Redeemed&);
    void saw(const LeaseSet&);
    void saw(const Finished&);
    void saw(const Leaving&);
    void saw(const Returned&);
    void saw(const Left&);
    void saw(const Expired&);
    void saw(const NumberTaken&);
    void saw(const Advanced&);
    void saw(const OuterExpired&);
    void saw(const Activated&);
    void saw(const Deactivated&);
    void saw(const Configured&);
    void saw(const StateChanged&);
    void saw(const Cleared&);
    void check_turn(const Guest& guest, bool paced);
    void see(Guest& guest, Instant now, Millis told = Millis{0});
    void end(Guest& guest, VisitorState state);
    Guest* live_guest(Number number, const char* otherwise);

    // Outcomes (witness.cpp).
    void check(const Join&, const Outcome&);
    void check(const TakeNumber&, const Outcome&);
    void check(const Touch&, const Outcome&);
    void check(const Seek&, const Outcome&);
    void check(const Claim&, const Outcome&);
    void check(const Redeem&, const Outcome&);
    void check(const SetLease&, const Outcome&);
    void check(const Finish&, const Outcome&);
    void check(const Leave&, const Outcome&);
    void check(const Tick&, const Outcome&);
    void check(const Wake&, const Outcome&);
    template <class Operators>
    void check(const Operators&, const Outcome&);
    void check_refusal(const Join& join, Reason reason);
    void check_unknown(Number number, const Outcome& outcome);

    template <class T>
    bool asked() const {
        return std::holds_alternative<T>(*command_);
    }
    template <class T>
    const T* asked_for() const {
        return std::get_if<T>(command_);
    }
    Instant deadline_of(const Guest& guest) const;
    bool is_silent(const Guest& guest) const;
    bool is_present(const Guest& guest, Instant now) const;
    bool is_claim_missed(const Guest& guest) const;
    // The first of the line who is present.
    const Guest* head(std::size_t line, Instant now) const;
    bool somebody_is_due(Instant now) const;

    Millis slack_;
    GuestBook book_;
    PaceLog pace_{book_.settings};
    Instant now_ = instant_min;        // As the room knows it: the latest time of any command.
    Instant awake_ = instant_min;      // The last Wake.
    Instant configured_ = instant_min; // Deadlines may have moved nearer at this moment.
    Instant forgets_before_ = instant_min;
    std::uint64_t sequence_ = 0;
    std::optional<Instant> starving_since_;
    std::optional<Violation> violation_;

    // The step at hand.
    const Command* command_ = nullptr;
    Number holder_before_ = 0; // Of a Join's or TakeNumber's key, before the facts.
    struct {
        std::uint64_t facts = 0, joined = 0, called = 0, expired = 0, left = 0, advanced = 0;
    } step_;
};

} // namespace anteroom::sim
