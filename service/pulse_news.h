// PulseNews: is the pulse of this moment worth sending to the room's event streams?
//
// A pulse holds numbers that move although nothing happened to anybody: when it was made, the
// measured rate, estimates that drift by a second. Sending it to 20 000 sockets costs a fifth of a
// core, so it is sent when a client would compute or show something else from it:
//   at once       state, message, capacity, who is called or has left, an estimate that is more
//                 than a twentieth (and two seconds) off what streams were told
//   every 5 s     only people behind joined: nobody's `ahead` changes, `behind` does (who joins a
//                 lane that goes first is ahead of others, and they hear of that no later)
//   never alone   the time, the rate, smaller drifts of the estimates
//
// Pure: time is an argument. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "engine/flow.h"
#include "engine/pulse.h"

namespace anteroom {

// The waiting time of a visitor with so many ahead.
struct WaitPoint {
    std::uint64_t ahead = 0;
    Wait wait;
};

// The content of a pulse, without its time.
struct PulseContent {
    Pulse pulse;
    std::string message; // Empty: there is none.
    std::vector<WaitPoint> waits;
};

class PulseNews {
  public:
    enum class Verdict : std::uint8_t { nothing, later, now };

    Verdict judge(const PulseContent& next, Instant now) const;
    void tell(PulseContent content, Instant now);

  private:
    std::optional<PulseContent> told_;
    Instant told_at_{};
};

} // namespace anteroom
