// TimerWheel: deadlines for tens of thousands of connections, O(1) each, without allocation.
//
// Six-bit levels of slots (1 ms, 64 ms, 4 s, 4 min, 5 h); a timer moves down a level as its time
// comes near. Pushing a deadline back only writes a number: the timer stays in its slot and finds
// its new one when the slot comes up, so a busy keep-alive connection pays one store per request.
// Pure: reads no clock. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/time.h"

namespace anteroom::net {

class TimerWheel;

// Lives inside what it guards; cancels itself when that dies. Does not move.
class Timer {
  public:
    using Fire = void (*)(void* owner);

    Timer(void* owner, Fire fire) : owner_(owner), fire_(fire) {}
    ~Timer() { cancel(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    bool armed() const { return next_ != nullptr; }
    Instant due() const { return due_; }
    void cancel();

  private:
    friend class TimerWheel;
    Timer() = default; // Head of a slot's ring.

    Timer* prev_ = nullptr;
    Timer* next_ = nullptr;
    Instant due_{};
    Instant placed_{}; // Where the wheel will look at it; never after due_.
    void* owner_ = nullptr;
    Fire fire_ = nullptr;
};

class TimerWheel {
  public:
    explicit TimerWheel(Instant now);
    TimerWheel(const TimerWheel&) = delete;
    TimerWheel& operator=(const TimerWheel&) = delete;

    // Sets or moves a deadline. One that has passed fires at the next advance past this instant.
    // Returns whether next() may be sooner than before.
    bool arm(Timer& timer, Instant due);

    // Fires everything due at or before now. A timer may arm, cancel or destroy any other.
    void advance(Instant now);

    // When to call advance next at the latest; empty: nothing waits.
    std::optional<Instant> next() const;

  private:
    static constexpr int level_bits = 6;
    static constexpr int levels = 5;
    static constexpr int slots = 1 << level_bits;

    struct Expiry {
        std::uint64_t at;
        int level;
        int slot;
    };

    std::optional<Expiry> next_expiry() const;
    void place(Timer& timer);
    void expire(const Expiry& expiry);

    std::uint64_t elapsed_ = 0; // Milliseconds since origin_.
    Instant origin_;
    mutable std::array<std::uint64_t, levels> occupied_{}; // A set bit may be stale, never missing.
    Timer rings_[levels][slots];
};

} // namespace anteroom::net
