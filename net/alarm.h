// Alarm: a job that waits for its time on a loop (Loop::after, Loop::every). Destroying the Alarm
// cancels it; the job may destroy its own. Used on its loop's thread.
#pragma once

#include <memory>
#include <utility>

#include "base/time.h"
#include "net/job.h"
#include "net/timer_wheel.h"

namespace anteroom::net {

class Loop;

class Alarm {
  public:
    Alarm() = default;

  private:
    friend class Loop;
    struct State {
        State(Loop& on, Millis every, Job work)
            : loop(on), period(every), job(std::move(work)), timer(this, &State::fire) {}
        static void fire(void* self);
        Loop& loop;
        Millis period; // Zero: once.
        Job job;
        Timer timer;
        bool* destroyed = nullptr; // Set while the job runs: it may drop its own Alarm.
        ~State();
    };
    std::unique_ptr<State> state_;
};

} // namespace anteroom::net
