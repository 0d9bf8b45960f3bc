// Breaker: stops requests to a service that fails. Closed: may_ask() is true; when half of the last
// ten answers were failures it opens. Open: may_ask() is false for `rest`; then `trials` requests
// are let through, and their answers decide.
#pragma once

#include <array>
#include <cstddef>

#include "base/time.h"

namespace anteroom::urr {

class Breaker {
  public:
    static constexpr std::size_t window = 10;
    static constexpr std::size_t failures_max = 5; // So many of the window open it.
    static constexpr std::size_t trials = 3;
    static constexpr Millis rest = seconds(10);

    // True: ask, and tell how it went.
    bool may_ask(Instant now);
    void tell(bool worked, Instant now);

  private:
    enum class State : unsigned char { closed, open, trying };
    void open(Instant now);

    State state_ = State::closed;
    Instant opened_{}; // Or when the trials began.
    std::array<bool, window> failed_{};
    std::size_t count_ = 0;  // Answers since it closed.
    std::size_t asked_ = 0;  // Of the trials, and…
    std::size_t worked_ = 0; // …those that went well.
};

} // namespace anteroom::urr
