#include "dialects/urr/breaker.h"

#include <algorithm>

namespace anteroom::urr {

void Breaker::open(Instant now) {
    state_ = State::open;
    opened_ = now;
}

bool Breaker::may_ask(Instant now) {
    if (state_ == State::closed) return true;
    const bool rested = now >= opened_ + rest;
    if (state_ == State::open && !rested) return false;
    // After the rest; or those who tried last time were never heard of again.
    if (state_ == State::open || rested) {
        state_ = State::trying;
        opened_ = now;
        asked_ = worked_ = 0;
    }
    return asked_++ < trials;
}

void Breaker::tell(bool worked, Instant now) {
    if (state_ == State::trying) {
        if (!worked) return open(now);
        if (++worked_ < trials) return;
        *this = {};
        return;
    }
    if (state_ == State::open) return; // A late answer to an old question.
    failed_[count_++ % window] = !worked;
    const auto failures =
        static_cast<std::size_t>(std::count(failed_.begin(), failed_.end(), true));
    if (count_ >= window && failures >= failures_max) open(now);
}

} // namespace anteroom::urr
