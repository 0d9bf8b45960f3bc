// Room: the rules of one waiting room, as a deterministic state machine.
//
//   apply(command, now)  decides, and says what happened: an outcome for the caller,
//                        facts for the ledger
//   replay(fact)         does again what happened; the facts alone rebuild the room
//
// Every change of hard state goes through one function, fold(fact), live and in replay: the two
// cannot differ. Soft state (signs of life, timers, measured pace) only decides which facts come
// next.
//
// The inner line is made of lines 0, 1, 2, …, called in this order: each lane has two, first those
// who carry an outer number, by that number, then the others, by arrival. `ahead` counts everybody
// in earlier lines and everybody before in one's own, also those who left less than the grace
// period ago.
//
// The doorman calls the first who is present: seen within `presence` (see settings.h). The absent
// are passed over and keep number and place; the first sign of life brings them back. Who does not
// claim a call within `claim_window` is in line again, first, and absent until they ask.
//
// Threads: one writer calls apply, replay and the functions marked so; the functions under
// "Reading" may run beside it on other threads. Memory they may still see is handed out by
// take_retired().
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "engine/carriers.h"
#include "engine/command.h"
#include "engine/fact.h"
#include "engine/flow.h"
#include "engine/line.h"
#include "engine/outcome.h"
#include "engine/outer_line.h"
#include "engine/pacer.h"
#include "engine/presence_marks.h"
#include "engine/retired.h"
#include "engine/roll.h"
#include "engine/room_copy.h"
#include "engine/settings.h"
#include "engine/timers.h"

namespace anteroom {

class ByteReader;

class Room {
  public:
    Room();
    ~Room();
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

    // Writer. Appends to `facts` what happened. Time never goes back: an earlier `now` counts as
    // the latest one seen.
    Outcome apply(const Command& command, Instant now, Facts& facts);
    // Writer. False, and nothing changed, when the fact cannot follow what happened before.
    [[nodiscard]] bool replay(const Fact& fact);
    // Writer. When Tick will have something to do; it may be in the past. Nothing: only a command
    // changes that.
    std::optional<Instant> next_deadline() const;
    // Writer. The hard state in 64 bits: equal after the same facts, live or replayed.
    std::uint64_t digest() const;
    // Writer. A sign of life that another process took: no command, and nothing is claimed by it.
    void greet(Number number, Instant now, Millis told);
    // Writer. In a copy: takes over the writing process's summary of absent visitors.
    void follow_presence(PresenceMarks marks);
    // Writer. What was unlinked since the last call; destroy it when no reader can see it any more.
    [[nodiscard]] Retired take_retired() { return retired_.take(); }

    // Writer. A snapshot of the room as it is now, taken in pieces while commands go on: begin,
    // then take at least one and about `bytes` of pieces, until it returns false.
    void begin_snapshot();
    bool take_snapshot(std::vector<std::string>& pieces, std::size_t bytes);
    void abandon_snapshot() { copy_.reset(); }
    // Writer. All pieces, as they came, into a room in which nothing has happened yet. False: they
    // are no snapshot, and the room is of no use.
    [[nodiscard]] bool restore(std::string_view piece);

    // Reading: safe beside the writer.
    Standing standing(Number number) const;
    // The number will be asked about in a moment: a million records do not fit into a cache, and
    // waiting for one costs as much as the rest of a poll's reading.
    void expect(Number number) const { roll_.expect(number); }
    Number find(const VisitorKey& visitor) const { return roll_.find(visitor); }
    // Who holds the number; null when its record is gone.
    const VisitorKey* visitor(Number number) const { return roll_.key_of(number); }
    // A sign of life that needs no decision; `told`: how soon the visitor is told to ask again.
    // False: send a Touch instead (called, leaving, passed over, ended).
    bool touch(Number number, Instant now, Millis told = Millis{0}) const;
    // An open stream keeps its visitor present. False: the visitor was passed over; send a Touch.
    // Of a visitor who missed a call it returns true and does nothing: perhaps the stream is half
    // open.
    bool stay(Number number, Instant now) const;
    // Of a copy that another process writes: the visitor asked, and the writer is told so. From
    // then on touch() takes their signs of life again.
    void forgive(Number number) const;
    bool is_present(Number number, Instant now) const;
    // How soon the visitor was told to ask again; 0: nothing is known of it.
    Millis told(Number number) const;
    std::optional<Wait> wait(std::uint64_t ahead) const;
    // The same of somebody in line, without looking for their place.
    std::optional<Wait> wait(const Standing& standing) const {
        return wait_for_calls(callable_ahead(standing));
    }
    // Those of `ahead` who are not absent: so many calls come before this visitor's.
    std::uint64_t callable_ahead(const Standing& standing) const {
        return std::min(standing.ahead, callable_before(standing.line, standing.order));
    }
    // How many may be called before this order of this line.
    std::uint64_t callable_before(std::uint8_t line, std::uint64_t order) const;
    std::optional<Wait> wait_for_calls(std::uint64_t calls_before) const {
        return flow_.wait(calls_before, scene(), settings());
    }
    double rate_per_second() const { return flow_.rate_per_second(scene()); }
    const Settings& settings() const { return *settings_.load(std::memory_order_acquire); }
    RoomState state() const { return state_.load(std::memory_order_acquire); }
    std::uint64_t issued() const { return roll_.issued(); }
    std::uint64_t waiting() const { return waiting_.load(std::memory_order_acquire); }
    // Those of them who are not to be called at the moment: passed over, or leaving.
    std::uint64_t absent() const { return absent_.load(std::memory_order_acquire); }
    std::uint64_t called() const { return inside_.load(std::memory_order_acquire) % one_active; }
    std::uint64_t active() const { return inside_.load(std::memory_order_acquire) / one_active; }
    std::uint64_t inside() const {
        const std::uint64_t both = inside_.load(std::memory_order_acquire);
        return both % one_active + both / one_active;
    }
    // The highest number that was ever called.
    Number serving() const { return serving_.load(std::memory_order_acquire); }
    const OuterLine& outer() const { return outer_; }
    // The numbers of line 0, 1, … in order, with those who may still come back; see pulse.h.
    static constexpr std::size_t lines_max = 2 * limits::lanes_max;
    const Line& everybody(std::size_t line) const { return lines_[line].everybody; }
    // How many stand outside before this visitor: in line, or called and not come in yet. Never
    // grows for who waits in the only lane. REQUIRES: the standing is of somebody live.
    std::uint64_t outside_before(const Standing& standing) const;

    // Writer. How many ended, and how, since the room began.
    struct Totals {
        std::uint64_t joined = 0, called = 0, claimed = 0, finished = 0, left = 0, expired = 0;
    };
    const Totals& totals() const { return totals_; }
    std::uint64_t sequence() const { return sequence_; }
    // Writer. Everybody live, in order of numbers: visit(Number, const Record&).
    template <class Visit>
    void for_each_live(Visit visit) const {
        roll_.for_each_live(visit);
    }

  private:
    // One line of the inner line. Who left a moment ago is not called but still counts as ahead; a
    // second set, not a sum of two, so that a reader never meets anybody twice or not at all.
    struct Queue {
        explicit Queue(Retired& retired) : everybody(retired), present(retired), outside(retired) {}
        Line everybody; // Who counts as ahead of others: all but those who missed a call.
        Line present;   // Those who may be called.
        Line outside;   // Everybody, and those who were called and have not come in yet.
    };
    template <std::size_t... Index>
    static std::array<Queue, sizeof...(Index)> make_lines(Retired& retired,
                                                          std::index_sequence<Index...>) {
        return {((void)Index, Queue(retired))...};
    }

    // Deciding (room.cpp).
    Outcome on(const Join&);
    Outcome on(const Touch&);
    Outcome on(const Seek&);
    Outcome on(const Claim&);
    Outcome on(const Redeem&);
    Outcome on(const SetLease&);
    Outcome on(const Finish&);
    Outcome on(const Leave&);
    Outcome on(const TakeNumber&);
    Outcome on(const Tick&);
    Outcome on(const Wake&);
    Outcome on(const Configure&);
    Outcome on(const SetState&);
    Outcome on(const Resume&);
    Outcome on(const CallNext&);
    Outcome on(const Advance&);
    Outcome on(const Activate&);
    Outcome on(const Deactivate&);
    Outcome on(const Clear&);
    Reason join_fault(const Join& join) const;
    void happen(const Happening& what);

    // The doorman and the sweeper (doorman.cpp).
    enum class Pace { kept, ignored };
    void lapse(Done& done);
    void sweep(Done& done);
    void advance_outer(Done& done);
    void admit(Done& done, std::uint64_t count_max, Pace pace);
    bool may_call_one(Pace pace) const;
    Number next_to_call(std::uint64_t& passed_over, Pace pace);
    void miss_or_expire(Number number, const Record& record, Done& done);
    bool is_silent(const Record& record) const;

    // Presence (presence.cpp).
    Millis presence_of(Millis told) const;
    bool is_present(const Seen& sign, Instant now) const;
    bool pass_over(Record& record, const Seen& sign);
    void welcome(Record& record, Millis told);
    enum class Forgive : std::uint8_t { lapsed, everybody };
    void reconsider(Forgive whom);
    void set_aside(const Place& place);
    void put_forward(const Place& place);
    std::uint64_t callable_among(std::uint64_t ahead) const;

    Instant deadline_of(const Record& record) const {
        return deadline_of(record, record.place().state);
    }
    Instant deadline_of(const Record& record, VisitorState state) const;
    bool is_claim_missed(const Record& record) const;
    struct Ends {
        Instant lease, claim;
    };
    Ends ends_of(const Record& record) const;
    std::optional<Instant> next_admission() const;
    std::uint8_t lines_in_use() const { return static_cast<std::uint8_t>(2 * settings().lanes); }
    static bool carries(std::size_t line) { return line % 2 == 0; } // Its order is an outer one.
    Number number_at(std::size_t line, std::uint64_t order) const;
    bool outer_has_room() const;

    // Folding (fold.cpp).
    bool fits(const Happening& what) const;
    void fold(const Fact& fact);
    void fold(const Joined&, Instant at);
    void fold(const Called&, Instant at);
    void fold(const Claimed&, Instant at);
    void fold(const Missed&, Instant at);
    void fold(const Redeemed&, Instant at);
    void fold(const LeaseSet&, Instant at);
    void fold(const Finished&, Instant at);
    void fold(const Leaving&, Instant at);
    void fold(const Returned&, Instant at);
    void fold(const Left&, Instant at);
    void fold(const Expired&, Instant at);
    void fold(const NumberTaken&, Instant at);
    void fold(const Advanced&, Instant at);
    void fold(const OuterExpired&, Instant at);
    void fold(const Activated&, Instant at);
    void fold(const Deactivated&, Instant at);
    void fold(const Configured&, Instant at);
    void fold(const StateChanged&, Instant at);
    void fold(const Cleared&, Instant at);
    void end(Number number, VisitorState state, Instant at);
    // The record, about to be changed.
    Record& record_to_change(Number number) {
        if (copy_) [[unlikely]]
            copy_->keep_record(number);
        return *roll_.record(number);
    }
    void before_outer_change(Number number) {
        if (copy_) [[unlikely]]
            copy_->keep_outer(number);
    }
    // Restoring (snapshot.cpp).
    enum class Restored : std::uint8_t { nothing, head, everything };
    Restored restored_ = Restored::nothing;
    bool restore_head(ByteReader& in);
    bool finish_restore();
    // Called and active share a word, so that a claim never shows as two inside, or none.
    static constexpr std::int64_t one_called = 1;
    static constexpr std::int64_t one_active = std::int64_t{1} << 32;
    void leave_line(Place place);
    void leave_inside(VisitorState state, Instant at);
    void set_timer(Number number);
    Flow::Scene scene() const;

    Retired retired_; // First: everything below hands its old memory to it.
    std::atomic<Settings*> settings_;
    std::atomic<RoomState> state_{RoomState::open};
    RoomState resume_to_ = RoomState::open;
    std::array<Queue, lines_max> lines_;
    Roll roll_;
    OuterLine outer_;
    Carriers carriers_;
    Pacer pacer_;
    std::atomic<std::uint64_t> waiting_{0};
    std::atomic<std::uint64_t> first_again_{0}; // Of them, those who missed a call.
    std::atomic<std::uint64_t> inside_{0};
    std::atomic<Number> serving_{0};
    Totals totals_;
    std::uint64_t sequence_ = 0;

    std::unique_ptr<RoomCopy> copy_; // While a snapshot is being taken.

    // Soft state.
    std::atomic<std::uint64_t> absent_{0};       // Who waits and is not in `present` of a queue.
    std::atomic<PresenceMarks*> marks_{nullptr}; // In a copy, when the writer told them.
    Instant now_ = instant_min;
    std::atomic<std::int64_t> awake_since_{instant_min.ms};
    Instant swept_ = instant_min;
    Timers timers_;
    Flow flow_;
    Facts* facts_ = nullptr; // Where apply() writes; null outside of it.
};

} // namespace anteroom
