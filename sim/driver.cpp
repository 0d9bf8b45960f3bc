#include "sim/driver.h"

#include <algorithm>
#include <span>

#include "engine/poll.h"
#include "sim/audit.h"

namespace anteroom::sim {

Driver::Driver(const Plan& plan, Events& events)
    : events_(events),
      random_(plan.seed ^ 0xd217),
      lateness_max_(plan.lateness_max),
      witness_(plan.lateness_max),
      world_time_(plan.origin) {}

Instant Driver::command_time() const {
    return world_time_ < glitch_end_ ? clock() - glitch_ : clock();
}

Outcome Driver::ask(const Command& command) {
    const std::size_t before = ledger_.size();
    const Instant now = command_time();
    const Outcome outcome = room_->apply(command, now, ledger_);
    const std::span<const Fact> facts(ledger_.begin() + static_cast<std::ptrdiff_t>(before),
                                      ledger_.end());
    witness_.saw(command, now, outcome, facts);
    compare_counts();
    { const Retired unlinked = room_->take_retired(); }
    plan_tick();
    return outcome;
}

void Driver::compare_counts() {
    witness_.saw_counts({.waiting = room_->waiting(),
                         .called = room_->called(),
                         .active = room_->active(),
                         .issued = room_->issued(),
                         .serving = room_->serving()});
    const OuterBook& outer = witness_.book().outer;
    witness_.expect(room_->outer().issued() == outer.issued &&
                        room_->outer().serving() == outer.serving &&
                        room_->outer().generation() == outer.generation,
                    "the outer line counts otherwise");
}

void Driver::stay(Number number) {
    const Instant now = clock();
    const bool is_taken = room_->stay(number, now);
    witness_.saw_stay(number, now, !is_taken);
    if (!is_taken) ask(Touch{number});
}

Standing Driver::look(Number number) {
    const Instant now = clock();
    const std::uint64_t ahead = room_->standing(number).ahead;
    const Millis told = seconds(poll_after_seconds(ahead));
    if (room_->touch(number, now, told)) {
        witness_.saw_touch(number, now, told);
        return glance(number);
    }
    const Outcome outcome = ask(Touch{.number = number, .told = told});
    if (const Standing* standing = std::get_if<Standing>(&outcome)) return *standing;
    return {.number = number};
}

Standing Driver::glance(Number number) {
    const Standing standing = room_->standing(number);
    witness_.saw_standing(standing);
    return standing;
}

void Driver::advance_to(Instant world_time) {
    world_time_ = std::max(world_time_, world_time);
}

void Driver::plan_tick() {
    const std::optional<Instant> due = room_->next_deadline();
    if (!due || (tick_due_ && *tick_due_ <= *due)) return;
    tick_due_ = due;
    // While the clock is wrong a tick may find nothing to do: try again, but let time pass.
    const Instant soonest = world_time_ < glitch_end_ ? clock() + Millis{10} : clock();
    const Instant at = std::max(*due, soonest) + random_.between(Millis{0}, lateness_max_);
    events_.add(at - clock_offset_, EventKind::tick, ++tick_id_);
}

void Driver::tick(std::uint64_t plan_id) {
    if (plan_id != tick_id_) return; // An earlier one took its place.
    tick_due_.reset();
    const std::size_t before = ledger_.size();
    ask(Tick{});
    const std::optional<Instant> next = room_->next_deadline();
    witness_.expect(ledger_.size() > before || !next || *next > witness_.now(),
                    "the room asks for a tick that does nothing");
}

void Driver::pass_second() {
    witness_.saw_time(clock());
}

void Driver::audit(Random& random) {
    sim::audit(*room_, clock(), witness_, random);
}

void Driver::restart(Millis down) {
    auto fresh = std::make_unique<Room>();
    for (const Fact& fact : ledger_)
        if (!witness_.expect(fresh->replay(fact), "the ledger does not replay")) return;
    const std::uint64_t digest = fresh->digest();
    witness_.expect(digest == room_->digest(), "the replayed room is another one");
    if (!ledger_.empty())
        witness_.expect(!fresh->replay(ledger_.back()) && fresh->digest() == digest,
                        "a fact was taken twice");
    room_ = std::move(fresh);
    witness_.saw_restart();
    tick_due_.reset();
    stall(down);
}

void Driver::stall(Millis length) {
    world_time_ = world_time_ + length;
    glitch_end_ = instant_min; // A restarted server reads the clock anew.
    ask(Wake{});
}

void Driver::step_clock(Millis by) {
    clock_offset_ = Millis{clock_offset_.count + by.count};
    tick_due_.reset(); // What was planned was planned for another clock.
    if (by > seconds(1))
        ask(Wake{});
    else
        plan_tick();
}

void Driver::glitch(Millis back) {
    glitch_ = back;
    glitch_end_ = world_time_ + Millis{500};
}

} // namespace anteroom::sim
