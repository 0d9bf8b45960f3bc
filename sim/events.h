// Events: what will happen in a world, in order of time; at the same time, in the order of
// planning.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "base/time.h"

namespace anteroom::sim {

enum class EventKind : std::uint8_t { arrival, visitor, tick, second, audit, fault, attack };

struct Event {
    Instant at;
    std::uint64_t order = 0;
    EventKind kind = EventKind::second;
    std::uint64_t who = 0;
};

class Events {
  public:
    void add(Instant at, EventKind kind, std::uint64_t who = 0) {
        queue_.push({.at = at, .order = ++planned_, .kind = kind, .who = who});
    }
    std::optional<Event> take_before(Instant end) {
        if (queue_.empty() || queue_.top().at >= end) return std::nullopt;
        const Event event = queue_.top();
        queue_.pop();
        return event;
    }

  private:
    struct Later {
        bool operator()(const Event& a, const Event& b) const {
            return a.at != b.at ? a.at > b.at : a.order > b.order;
        }
    };
    std::priority_queue<Event, std::vector<Event>, Later> queue_;
    std::uint64_t planned_ = 0;
};

} // namespace anteroom::sim
