#include "dialects/tacos/leaky_bucket.h"

#include <algorithm>

namespace anteroom::tacos {
namespace {

constexpr std::int64_t count_max = 1'000; // Remembered of one event.
constexpr Millis ask_again{20};           // For calls that follow one that goes in.

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

} // namespace

// A window of at least a second that holds a whole number. Of a rate for which that is too many to
// remember, an equal part of a second: the parts of a second together allow no more than it does.
LeakyBucket::Allowance LeakyBucket::allowance_of(std::int64_t rate_milli) {
    const std::int64_t parts = divide_up(rate_milli, count_max * 1'000);
    const std::int64_t count = divide_up(rate_milli, parts * 1'000);
    return {.count = static_cast<std::size_t>(count),
            .window = Millis{divide_up(count * 1'000'000, rate_milli)}};
}

void LeakyBucket::Event::hold(Visitor& visitor, bool is_held) {
    if (visitor.is_held && !is_held) --held;
    if (!visitor.is_held && is_held) ++held;
    visitor.is_held = is_held;
}

void LeakyBucket::Event::allow(const Allowance& wanted) {
    allowance = wanted;
    while (entered.size() > allowance.count) entered.pop_front();
}

// Every place in the window is free again one window after it was taken.
Instant LeakyBucket::Event::next(std::size_t before, Instant now) const {
    const std::size_t place = before % allowance.count;
    const std::size_t never_taken = allowance.count - entered.size();
    const auto rounds = static_cast<std::int64_t>(before / allowance.count);
    Instant taken = now - allowance.window;
    if (place >= never_taken) taken = std::max(taken, entered[place - never_taken]);
    return taken + Millis{allowance.window.count * (rounds + 1)};
}

void LeakyBucket::Event::record(Instant now) {
    if (entered.size() == allowance.count) entered.pop_front();
    entered.push_back(now);
}

LeakyBucket::Told LeakyBucket::take(const Enter& enter) {
    if (enter.rate_milli <= 0 && enter.was == Was::nothing) return {};
    const std::lock_guard lock(mutex_);
    Event* event = find_or_make(enter.room, enter.now);
    if (!event) return {};
    const auto first = event->visitors.find(enter.number);
    const bool is_first = first == event->visitors.end() || enter.was == Was::held;
    if (!is_first) {
        // The call that it followed may be settled, and its count of followers with it.
        if (enter.was == Was::following && first->second.followers > 0) --first->second.followers;
        return follow(first->second, enter.now);
    }
    Visitor& visitor = event->visitors[enter.number];
    event->hold(visitor, false);
    const Told told = take(*event, enter);
    event->hold(visitor, told.turn == Turn::come_back);
    visitor.until = visitor.is_held ? told.at : enter.now;
    return told;
}

LeakyBucket::Told LeakyBucket::follow(Visitor& first, Instant now) {
    if (first.followers >= followers_max) return {.turn = Turn::crowd};
    ++first.followers;
    return {.turn = Turn::follow, .at = std::max(first.until, now + ask_again)};
}

LeakyBucket::Told LeakyBucket::take(Event& event, const Enter& enter) {
    if (enter.rate_milli <= 0) return {};
    event.allow(allowance_of(enter.rate_milli));
    // Two threads read the clock one after the other and come here the other way round.
    const Instant now =
        event.entered.empty() ? enter.now : std::max(enter.now, event.entered.back());
    // New calls go after those that are held; a call that comes back is the first of these.
    const Instant at = event.next(enter.was == Was::held ? 0 : event.held, now);
    if (at <= now) {
        event.record(now);
        return {.turn = Turn::come, .at = now};
    }
    if (at > enter.deadline) return {};
    return {.turn = Turn::come_back, .at = at};
}

void LeakyBucket::settle(std::uint32_t room, Number number, Instant taken, Instant granted) {
    const std::lock_guard lock(mutex_);
    Event* event = find(room);
    if (!event) return;
    // While there was no limit a call goes in beside the one that is held.
    const auto visitor = event->visitors.find(number);
    if (visitor != event->visitors.end() && !visitor->second.is_held)
        event->visitors.erase(visitor);
    if (granted <= taken) return;
    // The last of those at `taken`, and no later one before it: the order stays.
    std::deque<Instant>& entered = event->entered;
    auto at = std::upper_bound(entered.begin(), entered.end(), taken);
    if (at == entered.begin()) return;
    for (--at; at != entered.end() && *at < granted; ++at) *at = granted;
}

void LeakyBucket::give_up(std::uint32_t room, Number number) {
    const std::lock_guard lock(mutex_);
    Event* event = find(room);
    if (!event) return;
    const auto visitor = event->visitors.find(number);
    if (visitor == event->visitors.end() || !visitor->second.is_held) return;
    event->hold(visitor->second, false);
    event->visitors.erase(visitor);
}

LeakyBucket::Event* LeakyBucket::find(std::uint32_t room) {
    const auto found = events_.find(room);
    return found != events_.end() ? &found->second : nullptr;
}

LeakyBucket::Event* LeakyBucket::find_or_make(std::uint32_t room, Instant now) {
    if (Event* event = find(room)) return event;
    forget_idle(now);
    if (events_.size() >= events_max_) return nullptr;
    return &events_[room];
}

void LeakyBucket::forget_idle(Instant now) {
    if (now < cleaned_ + seconds(1) && cleaned_ <= now) return;
    cleaned_ = now;
    std::erase_if(events_, [&](const auto& one) {
        const Event& event = one.second;
        return event.visitors.empty() &&
               (event.entered.empty() || event.entered.back() + event.allowance.window <= now);
    });
}

std::size_t LeakyBucket::size() const {
    const std::lock_guard lock(mutex_);
    return events_.size();
}

} // namespace anteroom::tacos
