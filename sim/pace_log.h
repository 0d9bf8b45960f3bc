// PaceLog: the witness's own log of calls, to say whether a window of time saw too many.
//
// A window is checked only from the moment its rule was set. For the liveness of a room it says the
// opposite with a little patience: could somebody certainly have been called by now?
#pragma once

#include <cstdint>
#include <deque>

#include "base/time.h"
#include "engine/settings.h"

namespace anteroom::sim {

class PaceLog {
  public:
    explicit PaceLog(const Settings& settings);

    void configure(const Settings& settings);
    // Calls by hand count in the windows of those that keep the pace, but owe nothing to the
    // bucket.
    void record(Instant at, bool paced);
    // Null, or which rule the last call broke.
    const char* fault() const;
    // True only if neither rule stands against a call.
    bool certainly_allows(Instant now) const;

  private:
    // Calls in the last `span`, since the rule was set.
    struct Window {
        Millis span{1};
        std::int64_t max = 0; // 0: no rule.
        std::deque<Instant> calls{};
        void record(Instant at);
        bool is_full() const { return max > 0 && static_cast<std::int64_t>(calls.size()) > max; }
    };
    std::int64_t calls_since(Instant from) const;
    void configure_rate(std::int64_t rate_milli);

    Window batch_;
    Window rate_;   // The shortest window of a second or more with a whole number of calls.
    Window second_; // The rate in a second, and a tenth of a second's worth more.
    std::int64_t rate_milli_ = 0;
    Millis patience_{1};
    std::deque<Instant> all_; // Whatever the rules were: for certainly_allows().
};

} // namespace anteroom::sim
