#include "net/timer_wheel.h"

#include <algorithm>
#include <bit>

namespace anteroom::net {

void Timer::cancel() {
    if (!armed()) return;
    prev_->next_ = next_;
    next_->prev_ = prev_;
    prev_ = next_ = nullptr;
}

TimerWheel::TimerWheel(Instant now) : origin_(now) {
    for (auto& level : rings_) {
        for (Timer& ring : level) ring.prev_ = ring.next_ = &ring;
    }
}

bool TimerWheel::arm(Timer& timer, Instant due) {
    timer.due_ = due;
    if (timer.armed() && due >= timer.placed_) return false;
    timer.cancel();
    place(timer);
    return true;
}

void TimerWheel::place(Timer& timer) {
    constexpr std::uint64_t reach = (std::uint64_t{1} << (level_bits * levels)) - 1;
    const std::int64_t span = (timer.due_ - origin_).count;
    std::uint64_t at = span > 0 ? static_cast<std::uint64_t>(span) : 0;
    at = std::clamp(at, elapsed_ + 1, elapsed_ + reach);

    const std::uint64_t differing = (at ^ elapsed_) | (slots - 1);
    const int level = std::min((63 - std::countl_zero(differing)) / level_bits, levels - 1);
    const int slot = static_cast<int>((at >> (level * level_bits)) & (slots - 1));
    Timer& ring = rings_[level][slot];
    timer.placed_ = origin_ + Millis{static_cast<std::int64_t>(at)};
    timer.prev_ = ring.prev_;
    timer.next_ = &ring;
    ring.prev_->next_ = &timer;
    ring.prev_ = &timer;
    occupied_[static_cast<std::size_t>(level)] |= std::uint64_t{1} << slot;
}

std::optional<TimerWheel::Expiry> TimerWheel::next_expiry() const {
    std::optional<Expiry> first;
    for (int level = 0; level < levels; ++level) {
        std::uint64_t& occupied = occupied_[static_cast<std::size_t>(level)];
        const int shift = level * level_bits;
        const int current = static_cast<int>((elapsed_ >> shift) & (slots - 1));
        while (occupied != 0) {
            // The current slot counts as a full turn away: its time of this turn has passed.
            const int ahead = std::countr_zero(std::rotr(occupied, (current + 1) % slots)) + 1;
            const int slot = (current + ahead) % slots;
            const Timer& ring = rings_[level][slot];
            if (ring.next_ == &ring) {
                occupied &= ~(std::uint64_t{1} << slot);
                continue;
            }
            const std::uint64_t at = ((elapsed_ >> shift) + static_cast<std::uint64_t>(ahead))
                                     << shift;
            if (!first || at < first->at) first = Expiry{at, level, slot};
            break;
        }
    }
    return first;
}

std::optional<Instant> TimerWheel::next() const {
    const auto expiry = next_expiry();
    if (!expiry) return std::nullopt;
    return origin_ + Millis{static_cast<std::int64_t>(expiry->at)};
}

void TimerWheel::advance(Instant now) {
    const std::int64_t span = (now - origin_).count;
    const std::uint64_t target = span > 0 ? static_cast<std::uint64_t>(span) : 0;
    for (auto expiry = next_expiry(); expiry && expiry->at <= target; expiry = next_expiry()) {
        elapsed_ = expiry->at;
        expire(*expiry);
    }
    elapsed_ = std::max(elapsed_, target);
}

void TimerWheel::expire(const Expiry& expiry) {
    // The ring is moved to a head of its own first: what fires may change every other timer.
    Timer& ring = rings_[expiry.level][expiry.slot];
    Timer head;
    head.prev_ = ring.prev_;
    head.next_ = ring.next_;
    head.prev_->next_ = &head;
    head.next_->prev_ = &head;
    ring.prev_ = ring.next_ = &ring;
    occupied_[static_cast<std::size_t>(expiry.level)] &= ~(std::uint64_t{1} << expiry.slot);

    const Instant at = origin_ + Millis{static_cast<std::int64_t>(expiry.at)};
    while (head.next_ != &head) {
        Timer& timer = *head.next_;
        timer.cancel();
        if (timer.due_ > at) {
            place(timer);
        } else {
            timer.fire_(timer.owner_);
        }
    }
    head.prev_ = head.next_ = nullptr;
}

} // namespace anteroom::net
