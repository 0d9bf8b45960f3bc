// LeakyBucket: no second sees more people enter an event than its rate allows.
//
// Who is ready is told so and must get in, so nobody is refused here: whoever comes too early is
// given a moment at which to come back, and goes in then. A window slides over the moments at which
// people really went, not over those that were planned: a loop that wakes late breaks no limit.
// Nobody waits past a deadline: truth goes before pace.
//
// Of this process only. Bounded: events in which nobody enters are forgotten, and while there are
// too many others nobody is held in a new one. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/time.h"

namespace anteroom::api::tacos {

class LeakyBucket {
  public:
    static constexpr std::size_t default_events_max = 1'024;

    explicit LeakyBucket(std::size_t events_max = default_events_max) : events_max_(events_max) {}

    struct Enter {
        std::uint32_t room = 0;
        std::int64_t rate_milli = 0; // Of the room, now. 0: no limit.
        Instant now;
        Instant deadline;        // Nobody is asked to come back after it.
        bool has_waited = false; // Was asked to come back, and does.
    };
    struct Turn {
        bool has_come = true;
        // The moment that was taken, or that at which to come back. instant_max: none was taken,
        // because there is no limit, or because it gives way.
        Instant at = instant_max;
    };
    Turn take(const Enter& enter);
    // Who was asked to come back need not enter any more.
    void give_up(std::uint32_t room);
    // Who was let in at `taken` was really inside at `granted`, a little later.
    void amend(std::uint32_t room, Instant taken, Instant granted);

    std::size_t size() const; // Events.

  private:
    // At most so many in any window of this length.
    struct Pace {
        std::size_t count = 1;
        Millis window;
    };
    static Pace pace_of(std::int64_t rate_milli);

    struct Event {
        Pace pace;
        std::deque<Instant> entered; // The last ones, oldest first; at most pace.count.
        std::size_t waiting = 0;     // Asked to come back.

        void set_pace(const Pace& wanted);
        // When somebody may go whom so many go before.
        Instant next(std::size_t before, Instant now) const;
        void record(Instant now);
    };
    Event* find_or_make(std::uint32_t room, Instant now);
    void forget_idle(Instant now);

    const std::size_t events_max_;
    mutable std::mutex mutex_;
    std::unordered_map<std::uint32_t, Event> events_; // Guarded by mutex_, as is the rest.
    Instant cleaned_ = instant_min; // Looking through all of them is for once a second.
};

} // namespace anteroom::api::tacos
