// What commands come to, and what can be seen of a room from outside.
#include "sim/witness.h"

#include <algorithm>
#include <array>

namespace anteroom::sim {
namespace {

// In the order of Command.
constexpr std::array<const char*, std::variant_size_v<Command>> command_names{
    "Join",     "Touch",      "Claim",     "Redeem",   "Finish", "Leave",    "TakeNumber",
    "Tick",     "Wake",       "Configure", "SetState", "Resume", "CallNext", "Advance",
    "Activate", "Deactivate", "Clear",     "SetLease", "Seek"};

} // namespace

bool Witness::expect(bool holds, const char* what, Number who) {
    if (holds || violation_) return holds;
    std::string text = what;
    if (who > 0) text += " (number " + std::to_string(who) + ")";
    if (command_) text += std::string(", at ") + command_names.at(command_->index());
    violation_ = Violation{.what = std::move(text), .at = now_};
    return false;
}

void Witness::saw(const Command& command, Instant now, const Outcome& outcome,
                  std::span<const Fact> facts) {
    if (violation_) return;
    now_ = std::max(now_, now);
    command_ = &command;
    step_ = {};
    if (const Join* join = asked_for<Join>()) holder_before_ = book_.holder(join->visitor);
    if (const TakeNumber* take = asked_for<TakeNumber>()) {
        const auto found = book_.outer.holders.find(take->visitor);
        holder_before_ = found == book_.outer.holders.end() ? 0 : found->second;
    }
    for (const Fact& fact : facts) {
        expect(fact.sequence == sequence_ + 1, "the sequence of facts has a gap");
        expect(fact.at == now_, "a fact has another time than its command");
        if (violation_) break;
        sequence_ = fact.sequence;
        ++step_.facts;
        std::visit([this](const auto& what) { saw(what); }, fact.what);
    }
    if (!violation_)
        std::visit([&](const auto& asked_command) { check(asked_command, outcome); }, command);
    const bool refused = std::holds_alternative<Refused>(outcome);
    expect(!refused || step_.facts == 0, "a refused command changed the room");
    command_ = nullptr;
}

void Witness::check(const Join& join, const Outcome& outcome) {
    if (const Refused* refused = std::get_if<Refused>(&outcome)) {
        expect(holder_before_ == 0, "who has a place was refused", holder_before_);
        return check_refusal(join, refused->reason);
    }
    const Standing* standing = std::get_if<Standing>(&outcome);
    if (!expect(standing, "a join was answered with something else")) return;
    expect(standing->is_new == (step_.joined == 1), "a join says new or old wrongly",
           standing->number);
    if (holder_before_ > 0) {
        expect(standing->number == holder_before_, "the same visitor got another place",
               standing->number);
        Guest& guest = *book_.find(holder_before_);
        if (is_live(guest.state)) see(guest, now_);
        expect(guest.state != VisitorState::leaving, "a return did not restore the place",
               holder_before_);
    }
    expect(book_.holder(join.visitor) == standing->number, "a join told somebody else's number",
           standing->number);
    saw_standing(*standing);
}

// Whether the reason is true; which of several true ones is given does not matter.
void Witness::check_refusal(const Join& join, Reason reason) {
    const OuterBook& outer = book_.outer;
    const bool known = join.outer && outer.knows(*join.outer);
    const bool full = book_.waiting >= static_cast<std::uint64_t>(book_.settings.waiting_max);
    const auto is_true = [&] {
        switch (reason) {
            case Reason::room_draining: return book_.state == RoomState::draining;
            case Reason::room_closed: return book_.state == RoomState::closed;
            case Reason::unknown_lane: return join.lane >= book_.settings.lanes;
            case Reason::outer_required: return outer.active && !join.outer;
            case Reason::outer_unknown: return join.outer && !known;
            case Reason::outer_not_released:
                return known && !outer.has_released(join.outer->number);
            case Reason::outer_taken:
                return known && outer.at(join.outer->number).bound &&
                       outer.at(join.outer->number).user != join.visitor;
            case Reason::room_full: return full && book_.state != RoomState::passthrough;
            default: return false;
        }
    };
    expect(is_true(), "a join was refused for no good reason");
}

void Witness::check(const TakeNumber& take, const Outcome& outcome) {
    const OuterBook& outer = book_.outer;
    if (const Refused* refused = std::get_if<Refused>(&outcome)) {
        expect(refused->reason == Reason::outer_inactive && !outer.active,
               "an outer number was refused for no good reason");
        return;
    }
    const OuterStanding* standing = std::get_if<OuterStanding>(&outcome);
    if (!expect(standing && outer.active, "an outer number out of an inactive line")) return;
    expect(standing->generation == outer.generation, "an outer number of another generation");
    expect(holder_before_ == 0 || standing->number == holder_before_,
           "the same visitor got another outer number", standing->number);
    const auto found = outer.holders.find(take.visitor);
    expect(found != outer.holders.end() && found->second == standing->number,
           "an outer number that was not issued to this visitor", standing->number);
    expect(standing->serving <= standing->issued, "the outer line serves beyond what it issued");
    expect(standing->released == outer.has_released(standing->number),
           "an outer number is released wrongly", standing->number);
}

void Witness::check_unknown(Number number, const Outcome& outcome) {
    const Guest* guest = book_.find(number);
    const Refused* refused = std::get_if<Refused>(&outcome);
    const bool said_unknown = refused && refused->reason == Reason::unknown_number;
    if (!guest)
        expect(said_unknown, "a number that was never issued is known", number);
    else if (is_live(guest->state) || guest->ended > forgets_before_)
        expect(!said_unknown, "somebody was lost", number);
}

void Witness::check(const Touch& touch, const Outcome& outcome) {
    check_unknown(touch.number, outcome);
    const Standing* standing = std::get_if<Standing>(&outcome);
    Guest* guest = book_.find(touch.number);
    if (!standing || !guest) return;
    if (is_live(guest->state)) see(*guest, now_, touch.told);
    expect(guest->state != VisitorState::leaving, "a return did not restore the place",
           touch.number);
    saw_standing(*standing);
}

void Witness::check(const Seek& seek, const Outcome& outcome) {
    const Standing* standing = std::get_if<Standing>(&outcome);
    if (!standing) return;
    const Guest* guest = book_.find(standing->number);
    expect(guest && guest->key == seek.visitor, "the place of another visitor was told",
           standing->number);
    check(Touch{.number = standing->number}, outcome);
}

void Witness::check(const Claim& claim, const Outcome& outcome) {
    check_unknown(claim.number, outcome);
    Guest* guest = book_.find(claim.number);
    if (!guest) return;
    const bool claimed = std::holds_alternative<Standing>(outcome);
    expect(claimed == is_inside(guest->state), "a claim was answered wrongly", claim.number);
    if (!claimed) return;
    see(*guest, now_);
    expect(guest->state == VisitorState::active, "a claim did not let in", claim.number);
    saw_standing(std::get<Standing>(outcome));
}

void Witness::check(const Redeem& redeem, const Outcome& outcome) {
    check_unknown(redeem.number, outcome);
    Guest* guest = book_.find(redeem.number);
    if (!guest) return;
    const bool given = std::holds_alternative<Standing>(outcome);
    if (is_inside(guest->state)) see(*guest, now_);
    expect(!given || guest->was_redeemed_now, "a session for a pass that was exchanged before",
           redeem.number);
    guest->was_redeemed_now = false;
    expect(given || !is_inside(guest->state) || guest->redeemed, "a good pass was refused",
           redeem.number);
}

void Witness::check(const SetLease& set, const Outcome& outcome) {
    const bool is_possible = set.lease >= Millis{1} && set.lease <= book_.settings.lease;
    const Standing* standing = std::get_if<Standing>(&outcome);
    if (!is_possible) {
        expect(!standing, "a lease was set that the room does not have", set.number);
        return;
    }
    check_unknown(set.number, outcome);
    Guest* guest = book_.find(set.number);
    if (!guest) return;
    expect(!!standing == is_inside(guest->state), "a lease was set wrongly", set.number);
    if (!standing) return;
    see(*guest, now_);
    expect(standing->until == now_ + set.lease, "a lease ends at another time than was set",
           set.number);
    saw_standing(*standing);
}

void Witness::check(const Finish& finish, const Outcome& outcome) {
    check_unknown(finish.number, outcome);
    const Guest* guest = book_.find(finish.number);
    if (!guest) return;
    const bool done = std::holds_alternative<Done>(outcome);
    expect(!is_inside(guest->state), "who finished is still inside", finish.number);
    expect(!(done && is_in_line(guest->state)), "who waits was let finish", finish.number);
}

void Witness::check(const Leave& leave, const Outcome& outcome) {
    check_unknown(leave.number, outcome);
    const Guest* guest = book_.find(leave.number);
    if (!guest) return;
    expect(guest->state == VisitorState::leaving || !is_live(guest->state),
           "who left is still here", leave.number);
}

void Witness::check(const Tick&, const Outcome& outcome) {
    forgets_before_ = std::max(forgets_before_, now_ - book_.settings.ended_memory);
    const Done* done = std::get_if<Done>(&outcome);
    if (!expect(done, "a tick was refused")) return;
    expect(done->called == step_.called && done->expired == step_.expired &&
               done->left == step_.left && done->advanced == step_.advanced,
           "a tick counts wrongly what it did");
    const bool had_enough = step_.called >= limits::calls_per_tick_max;
    expect(had_enough || !somebody_is_due(now_), "a tick left a slot free that somebody waits for");
}

void Witness::check(const Wake&, const Outcome&) {
    awake_ = now_;
    for (auto& [number, guest] : book_.guests) guest.awaited = false;
    starving_since_.reset();
}

template <class Operators>
void Witness::check(const Operators&, const Outcome& outcome) {
    const Done* done = std::get_if<Done>(&outcome);
    if (!done) return;
    const std::uint64_t cleared = asked<Clear>() ? done->expired : step_.expired;
    expect(done->called == step_.called && done->expired == cleared &&
               done->advanced == step_.advanced,
           "a command counts wrongly what it did");
}

void Witness::saw_touch(Number number, Instant now, Millis told) {
    Guest* guest = book_.find(number);
    if (!expect(guest &&
                    (guest->state == VisitorState::waiting || guest->state == VisitorState::active),
                "a sign of life was taken from nobody", number))
        return;
    expect(!guest->awaited, "who missed a call came back without the room's knowledge", number);
    see(*guest, now, told);
}

void Witness::saw_restart() {
    for (auto& [number, guest] : book_.guests) guest.told = Millis{0};
}

void Witness::saw_stay(Number number, Instant now, bool asked) {
    Guest* guest = book_.find(number);
    if (!guest || violation_) return;
    const bool keeps =
        guest->state == VisitorState::waiting || guest->state == VisitorState::active;
    if (asked)
        expect(guest->state == VisitorState::waiting && !guest->awaited,
               "a stream is to bring back who missed a call", number);
    else if (keeps && !guest->awaited)
        guest->seen = std::max(guest->seen, now);
}

void Witness::saw_standing(const Standing& standing) {
    if (violation_) return;
    Guest* guest = book_.find(standing.number);
    if (!guest) {
        expect(standing.state == VisitorState::unknown, "somebody nobody has seen",
               standing.number);
        return;
    }
    if (!is_live(guest->state)) {
        const bool forgotten =
            standing.state == VisitorState::unknown && guest->ended <= forgets_before_;
        expect(standing.state == guest->state || forgotten, "an end is told wrongly",
               standing.number);
        return;
    }
    expect(standing.state == guest->state, "somebody is in another state than the facts say",
           standing.number);
    expect(standing.lane == guest->lane && standing.line == guest->line &&
               standing.order == guest->order && standing.joined == guest->joined,
           "somebody stands elsewhere than the facts say", standing.number);
    if (is_inside(guest->state)) {
        expect(standing.until == deadline_of(*guest), "a deadline is told wrongly",
               standing.number);
        return;
    }
    const std::uint64_t oneself = guest->missed > 0 ? 0 : 1;
    expect(standing.ahead + standing.behind + oneself == book_.waiting - book_.first_again,
           "ahead, behind and oneself are not everybody", standing.number);
    expect(standing.missed == guest->missed, "missed calls are told wrongly", standing.number);
    const std::uint64_t joins = book_.joins_before(*guest);
    expect(!guest->was_told || standing.ahead <= guest->told_ahead + joins - guest->told_joins,
           "a place in the line became worse", standing.number);
    guest->was_told = true;
    guest->told_ahead = standing.ahead;
    guest->told_joins = joins;
}

void Witness::saw_standing(const Standing& standing, std::uint64_t ahead) {
    saw_standing(standing);
    expect(standing.ahead == ahead, "ahead is not the number of those before", standing.number);
}

void Witness::saw_counts(const Counts& counts) {
    expect(counts.waiting == book_.waiting, "the room counts other people in the line");
    expect(counts.called == book_.called, "the room counts other called visitors");
    expect(counts.active == book_.active, "the room counts other people inside");
    expect(counts.issued == book_.issued, "the room has issued other numbers");
    expect(counts.serving == book_.serving, "the room says it serves another number");
}

} // namespace anteroom::sim
