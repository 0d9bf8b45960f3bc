// Driver: a real room, and around it what the service does: a clock, a ledger, ticks when they are
// due (a little late, as on a busy machine), a Wake after every absence, and a witness who sees it
// all.
//
// Two clocks: the world's time, in which events are planned, and the server's clock, which may
// jump.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/time.h"
#include "engine/room.h"
#include "sim/events.h"
#include "sim/plan.h"
#include "sim/random.h"
#include "sim/witness.h"

namespace anteroom::sim {

class Driver {
  public:
    Driver(const Plan& plan, Events& events);

    Outcome ask(const Command& command);
    // A poll: a sign of life where no decision is needed, and a look. The visitor is told to ask
    // again as our own clients are.
    Standing look(Number number);
    // What an open stream does for its visitor.
    void stay(Number number);
    Standing glance(Number number); // Without a sign of life.

    // The world.
    Instant world_time() const { return world_time_; }
    void advance_to(Instant world_time);
    void tick(std::uint64_t plan_id);
    // Every free slot is looked for each second, everybody is counted now and then.
    void pass_second();
    void audit(Random& random);

    // Faults.
    void restart(Millis down);
    void stall(Millis length);
    void step_clock(Millis by);
    void glitch(Millis back); // For the commands of the next half second.

    const Room& room() const { return *room_; }
    Witness& witness() { return witness_; }
    const Facts& ledger() const { return ledger_; }

  private:
    Instant clock() const { return world_time_ + clock_offset_; }
    Instant command_time() const;
    void plan_tick();
    void compare_counts();

    Events& events_;
    Random random_;
    Millis lateness_max_;
    std::unique_ptr<Room> room_ = std::make_unique<Room>();
    Facts ledger_;
    Witness witness_;
    Instant world_time_;
    Millis clock_offset_{0};
    Millis glitch_{0};
    Instant glitch_end_ = instant_min;
    std::optional<Instant> tick_due_;
    std::uint64_t tick_id_ = 0;
};

} // namespace anteroom::sim
