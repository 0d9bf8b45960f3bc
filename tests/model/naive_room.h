// The rules of a room, written so that anyone can check them by reading: a list of visitors, loops
// over it, and no cleverness at all. The engine must behave exactly like this.
#pragma once

#include <optional>
#include <vector>

#include "engine/command.h"
#include "engine/outcome.h"

namespace anteroom::model {

struct Visitor {
    Number number = 0;
    VisitorKey key;
    int lane = 0;
    std::uint64_t carried = 0; // The order brought along from the outer line; 0: none.
    VisitorState state = VisitorState::waiting;
    bool redeemed = false;
    int missed = 0;       // Calls that were not claimed.
    bool awaited = false; // Missed one, and has not been seen since.
    Instant joined;
    Instant seen;
    Millis told; // The poll interval in the last answer.
    Instant since;
};

struct OuterVisitor {
    Number number = 0;
    VisitorKey key;
    Instant taken;
    std::optional<VisitorKey> user; // The first visitor who joined the inner line with this number.
    bool spent = false;             // Its order has brought somebody in.
};

class NaiveRoom {
  public:
    Outcome apply(const Command& command, Instant now);
    Standing standing(Number number) const;
    // How many stand before this visitor and have not come in.
    std::uint64_t outside_before(const Visitor& me) const;
    std::size_t count(VisitorState state) const;

    const std::vector<Visitor>& visitors() const { return visitors_; }
    std::uint64_t outer_issued() const { return outer_.size(); }
    std::uint64_t outer_serving() const { return outer_serving_; }

  private:
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

    Visitor* find(Number number);
    Visitor* find_live(const VisitorKey& key);
    OuterVisitor* outer(Number number);
    void call(Visitor& visitor);
    void claim(Visitor& visitor);
    std::size_t inside() const;
    Millis rate_window() const;
    bool pace_allows() const;
    bool may_call_one(bool keep_pace) const;
    Visitor* next_to_call(bool keep_pace);
    void admit(Done& done, std::int64_t most, bool keep_pace);
    Instant deadline(const Visitor& visitor) const;
    bool is_silent(const Visitor& visitor) const;
    bool is_present(const Visitor& visitor) const;
    bool is_claim_missed(const Visitor& visitor) const;
    Instant lease_end(const Visitor& visitor) const;
    Instant claim_end(const Visitor& visitor) const;
    void see(Visitor& visitor, Millis told = Millis{0});

    Instant now_ = instant_min;
    Instant awake_since_ = instant_min;
    Instant swept_ = instant_min;
    Settings settings_;
    RoomState state_ = RoomState::open;
    RoomState resume_to_ = RoomState::open;
    std::vector<Visitor> visitors_;
    std::vector<Instant> calls_;       // Those of the last interval.
    std::vector<Instant> rated_calls_; // Those of the rate's window.
    std::int64_t bucket_ = 0;          // Millionths of a call.
    Instant bucket_at_;

    bool outer_active_ = false;
    std::uint32_t generation_ = 0;
    std::uint64_t older_numbers_ = 0; // Issued by all older generations.
    std::vector<OuterVisitor> outer_; // outer_[i] holds number i + 1.
    std::uint64_t outer_serving_ = 0;
    std::uint64_t outer_forgotten_ = 0;
    Instant outer_advanced_;
};

// Whether `a` is called before `b`.
bool stands_before(const Visitor& a, const Visitor& b);

} // namespace anteroom::model
