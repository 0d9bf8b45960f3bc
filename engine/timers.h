// Timers: when must a visitor be looked at again? A heap of (time, number).
//
// Deadlines mostly move later (a lease slides with every sign of life) and are not moved here: when
// an entry comes up, the room computes the real deadline and puts the number back if it lies ahead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/time.h"
#include "engine/visitor.h"

namespace anteroom {

class Timers {
  public:
    void add(Instant at, Number number) {
        heap_.push_back({at, number});
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
    }

    std::optional<Instant> next() const {
        if (heap_.empty()) return std::nullopt;
        return heap_.front().at;
    }

    // The number whose timer is due first, if it is due by now.
    std::optional<Number> take_due(Instant now) {
        if (heap_.empty() || heap_.front().at > now) return std::nullopt;
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
        const Number number = heap_.back().number;
        heap_.pop_back();
        return number;
    }

    void clear() { heap_.clear(); }

  private:
    struct Timer {
        Instant at;
        Number number;
        friend auto operator<=>(const Timer&, const Timer&) = default;
    };
    std::vector<Timer> heap_;
};

} // namespace anteroom
