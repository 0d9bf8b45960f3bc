// Visitors: the people of a world. Each has one event planned: the next time they look at their
// phone.
//
// They take a number in the outer line where there is one, join, look again and again, lose
// patience, refresh, fall asleep, come when called or not, stay for a while, and say goodbye or
// just vanish.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "engine/command.h"
#include "sim/driver.h"
#include "sim/events.h"
#include "sim/plan.h"
#include "sim/random.h"

namespace anteroom::sim {

class Visitors {
  public:
    Visitors(const Plan& plan, Driver& driver, Events& events);

    void open();                     // The rush, and the first of those who come later.
    void arrive();                   // One more, or a burst of them; plans the next arrival.
    void close() { closed_ = true; } // No new visitors come.
    // So many in a hundred are cut off for so long, and then all come back within seconds.
    void cut_off(std::uint64_t percent, Millis length);
    void act(std::uint64_t id);

    std::size_t size() const { return visitors_.size(); }

  private:
    enum class Phase : std::uint8_t { outer, joining, in_line, refreshing, inside, gone };
    struct Visitor {
        VisitorKey key;
        OuterPlace outer;
        Number number = 0;
        Instant gives_up{};
        Instant stays_until{};
        std::uint8_t lane = 0;
        Phase phase = Phase::joining;
        std::uint8_t tries = 0;
        bool comes_when_called = true;
        bool says_goodbye = true;
        bool has_stream = false;
        bool in_background = false;
        Instant wakes{}; // Until then the visitor is away, though the stream looks open.
    };

    void add(Millis after);
    void act_outer(std::uint64_t id, Visitor& visitor);
    void act_joining(std::uint64_t id, Visitor& visitor);
    void act_in_line(std::uint64_t id, Visitor& visitor);
    void act_on_stream(std::uint64_t id, Visitor& visitor);
    void act_refreshing(std::uint64_t id, Visitor& visitor);
    void act_inside(std::uint64_t id, Visitor& visitor);
    void give_up(std::uint64_t id, Visitor& visitor);
    void follow(std::uint64_t id, Visitor& visitor, const Standing& standing);
    void go(std::uint64_t id, Visitor& visitor);
    void plan(std::uint64_t id, Millis after);
    Outcome join(const Visitor& visitor);

    const Plan& plan_;
    Driver& driver_;
    Events& events_;
    Random random_;
    std::vector<Visitor> visitors_;
    bool closed_ = false;
    std::uint64_t cut_off_percent_ = 0;
    Instant cut_off_until_ = instant_min;
};

} // namespace anteroom::sim
