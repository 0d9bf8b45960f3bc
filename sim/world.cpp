#include "sim/world.h"

#include "sim/events.h"
#include "sim/trouble.h"
#include "sim/visitors.h"

namespace anteroom::sim {
namespace {

constexpr Millis quiet_length = minutes(3); // Longer than any lease of the quiet end and a sweep.

class World {
  public:
    World(const Plan& plan, const Watch& watch)
        : plan_(plan),
          watch_(watch),
          driver_(plan, events_),
          visitors_(plan, driver_, events_),
          trouble_(plan, driver_, visitors_, events_),
          random_(plan.seed ^ 0xa0d17) {}

    Report run() {
        trouble_.begin();
        visitors_.open();
        events_.add(plan_.origin + seconds(1), EventKind::second);
        events_.add(plan_.origin + seconds(20), EventKind::audit);
        run_until(plan_.origin + plan_.length);
        visitors_.close();
        if (is_going_on()) trouble_.end();
        run_until(driver_.world_time() + quiet_length);
        if (is_going_on()) check_the_end();
        return report();
    }

  private:
    bool is_going_on() { return going_on_ && driver_.witness().is_content(); }

    void run_until(Instant end) {
        while (is_going_on()) {
            const std::optional<Event> event = events_.take_before(end);
            if (!event) break;
            ++handled_;
            driver_.advance_to(event->at);
            handle(*event);
        }
        driver_.advance_to(end);
    }

    void handle(const Event& event) {
        switch (event.kind) {
            case EventKind::arrival: return visitors_.arrive();
            case EventKind::visitor: return visitors_.act(event.who);
            case EventKind::tick: return driver_.tick(event.who);
            case EventKind::fault: return trouble_.strike();
            case EventKind::attack: return trouble_.attack();
            case EventKind::second:
                driver_.pass_second();
                if (watch_) going_on_ = watch_(driver_);
                return events_.add(driver_.world_time() + seconds(1), EventKind::second);
            case EventKind::audit:
                driver_.audit(random_);
                return events_.add(driver_.world_time() + random_.around(seconds(30)),
                                   EventKind::audit);
        }
    }

    // With the doors open for minutes nobody may be left in the line, and every lease has ended.
    void check_the_end() {
        Witness& witness = driver_.witness();
        const Room& room = driver_.room();
        driver_.audit(random_);
        witness.expect(room.waiting() == 0, "somebody was never called though the doors are open");
        witness.expect(room.inside() == 0, "somebody is inside for ever");
        const Room::Totals& totals = room.totals();
        witness.expect(totals.joined == totals.finished + totals.left + totals.expired,
                       "somebody was lost: the totals do not add up");
        driver_.restart(Millis{0});
    }

    Report report() {
        return {.seed = plan_.seed,
                .length = plan_.length,
                .events = handled_,
                .faults = trouble_.faults(),
                .visitors = visitors_.size(),
                .facts = driver_.ledger().size(),
                .digest = driver_.room().digest(),
                .violation = driver_.witness().violation()};
    }

    const Plan& plan_;
    const Watch& watch_;
    Events events_;
    Driver driver_;
    Visitors visitors_;
    Trouble trouble_;
    Random random_;
    std::uint64_t handled_ = 0;
    bool going_on_ = true;
};

std::string hours_of(Millis length) {
    std::string text = std::to_string(static_cast<double>(length.count) / 3.6e6);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
}

} // namespace

Report run_world(const Plan& plan, const Watch& watch) {
    return World(plan, watch).run();
}

std::string summary_of(const Report& report) {
    return "seed=" + std::to_string(report.seed) + " hours=" + hours_of(report.length) +
           " events=" + std::to_string(report.events) + " faults=" + std::to_string(report.faults) +
           " violations=" + (report.violation ? "1" : "0");
}

std::string repeat_command_of(const Report& report) {
    return "anteroom-sim --seed " + std::to_string(report.seed) + " --hours " +
           hours_of(report.length);
}

} // namespace anteroom::sim
