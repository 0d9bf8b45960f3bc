// LeakyBucket: no second sees more visitors enter an event than its rate allows.
//
// A visitor who is ready was told so and must get in, so the bucket refuses no visitor: a call that
// comes too early is given an instant at which to ask again, and goes in then. The window slides
// over the instants at which visitors really entered, not over the planned ones: a loop that wakes
// late breaks no limit. A call whose instant would be past its deadline goes in at once, even above
// the rate.
//
// Concurrent calls of one visitor, on whatever connections, share one slot of the bucket: while one
// call is held or goes in, the others follow it. A call that take() told to come ends with
// settle(); a call that was held and need not enter any more with give_up().
//
// Of this process only. Bounded: events without visitors are forgotten, and while there are
// `events_max` others no call is held in a new one. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/time.h"
#include "engine/visitor.h"

namespace anteroom::tacos {

class LeakyBucket {
  public:
    static constexpr std::size_t default_events_max = 1'024;
    static constexpr std::size_t followers_max = 8; // Of one visitor.

    explicit LeakyBucket(std::size_t events_max = default_events_max) : events_max_(events_max) {}

    // What a call was told before, if it asks again.
    enum class Was : std::uint8_t { nothing, held, following };
    struct Enter {
        std::uint32_t room = 0;
        Number number = 0;
        std::int64_t rate_milli = 0; // Of the room, now. 0: no limit.
        Instant now;
        Instant deadline; // A call is held no longer.
        Was was = Was::nothing;
    };
    enum class Turn : std::uint8_t {
        come,
        come_back, // At the moment; held until then.
        follow,    // Another call of the same visitor is held, or goes in: ask again at the moment.
        crowd,     // And too many follow it already.
    };
    struct Told {
        Turn turn = Turn::come;
        // Of `come`, the moment that was taken; instant_max: none was, because there is no limit,
        // or because it gives way.
        Instant at = instant_max;
    };
    Told take(const Enter& enter);
    // The visitor who came at `taken` was really inside at `granted`, a little later; instant_min:
    // the claim was refused.
    void settle(std::uint32_t room, Number number, Instant taken, Instant granted);
    // The visitor whose call was held need not enter any more.
    void give_up(std::uint32_t room, Number number);

    std::size_t size() const; // Events.

  private:
    // At most so many in any window of this length.
    struct Allowance {
        std::size_t count = 1;
        Millis window;
    };
    static Allowance allowance_of(std::int64_t rate_milli);

    // A visitor whose call is held, or goes in.
    struct Visitor {
        Instant until;
        bool is_held = false;
        std::size_t followers = 0;
    };
    struct Event {
        Allowance allowance;
        std::deque<Instant> entered; // The last ones, oldest first; at most allowance.count.
        std::unordered_map<Number, Visitor> visitors;
        std::size_t held = 0; // How many of the visitors.

        void hold(Visitor& visitor, bool is_held);
        void allow(const Allowance& wanted);
        // When a visitor may enter after `before` others.
        Instant next(std::size_t before, Instant now) const;
        void record(Instant now);
    };
    static Told follow(Visitor& first, Instant now);
    static Told take(Event& event, const Enter& enter);
    Event* find(std::uint32_t room);
    Event* find_or_make(std::uint32_t room, Instant now);
    void forget_idle(Instant now);

    const std::size_t events_max_;
    mutable std::mutex mutex_;
    std::unordered_map<std::uint32_t, Event> events_; // Guarded by mutex_, as is the rest.
    Instant cleaned_ = instant_min; // Looking through all of them is for once a second.
};

} // namespace anteroom::tacos
