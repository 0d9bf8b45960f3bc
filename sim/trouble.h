// Trouble: what goes wrong around a room. Restarts, stalls and clocks that jump; operators who
// change their minds; people who try what they should not.
#pragma once

#include <cstdint>

#include "sim/driver.h"
#include "sim/events.h"
#include "sim/plan.h"
#include "sim/random.h"
#include "sim/visitors.h"

namespace anteroom::sim {

class Trouble {
  public:
    Trouble(const Plan& plan, Driver& driver, Visitors& visitors, Events& events);

    void begin();
    void strike(); // One fault or one change by an operator; plans the next.
    void attack(); // One try to get what is not one's own; plans the next.
    // Faults off, doors wide open: from here on everybody must get through.
    void end();

    std::uint64_t faults() const { return faults_; }

  private:
    void fault_clock();
    void operate();
    void operate_outer_line();
    void change_state();
    Number some_number();

    const Plan& plan_;
    Driver& driver_;
    Visitors& visitors_;
    Events& events_;
    Random random_;
    std::uint64_t faults_ = 0;
    bool over_ = false;
};

} // namespace anteroom::sim
