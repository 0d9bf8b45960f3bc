#include "api/tacos/leaky_bucket.h"

#include <algorithm>

#include "base/check.h"

namespace anteroom::api::tacos {
namespace {

constexpr std::int64_t count_max = 1'000; // Remembered of one event.

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

} // namespace

// A window of at least a second that holds a whole number. Of a rate for which that is too many to
// remember, an equal part of a second: the parts of a second together allow no more than it does.
LeakyBucket::Pace LeakyBucket::pace_of(std::int64_t rate_milli) {
    const std::int64_t parts = divide_up(rate_milli, count_max * 1'000);
    const std::int64_t count = divide_up(rate_milli, parts * 1'000);
    return {.count = static_cast<std::size_t>(count),
            .window = Millis{divide_up(count * 1'000'000, rate_milli)}};
}

void LeakyBucket::Event::set_pace(const Pace& wanted) {
    pace = wanted;
    while (entered.size() > pace.count) entered.pop_front();
}

// Every place in the window is free again one window after it was taken.
Instant LeakyBucket::Event::next(std::size_t before, Instant now) const {
    const std::size_t place = before % pace.count, never_taken = pace.count - entered.size();
    const auto rounds = static_cast<std::int64_t>(before / pace.count);
    Instant taken = now - pace.window;
    if (place >= never_taken) taken = std::max(taken, entered[place - never_taken]);
    return taken + Millis{pace.window.count * (rounds + 1)};
}

void LeakyBucket::Event::record(Instant now) {
    if (entered.size() == pace.count) entered.pop_front();
    entered.push_back(now);
}

LeakyBucket::Turn LeakyBucket::take(const Enter& enter) {
    if (enter.rate_milli <= 0 && !enter.has_waited) return {};
    const std::lock_guard lock(mutex_);
    Event* event = find_or_make(enter.room, enter.now);
    if (!event) return {};
    CHECK(!enter.has_waited || event->waiting > 0);
    if (enter.has_waited) --event->waiting;
    if (enter.rate_milli <= 0) return {};
    event->set_pace(pace_of(enter.rate_milli));
    // Two threads read the clock one after the other and come here the other way round.
    const Instant now =
        event->entered.empty() ? enter.now : std::max(enter.now, event->entered.back());
    // Newcomers go after those who wait; who comes back is the first of these.
    const Instant at = event->next(enter.has_waited ? 0 : event->waiting, now);
    if (at <= now) {
        event->record(now);
        return {.has_come = true, .at = now};
    }
    if (at > enter.deadline) return {};
    ++event->waiting;
    return {.has_come = false, .at = at};
}

void LeakyBucket::give_up(std::uint32_t room) {
    const std::lock_guard lock(mutex_);
    const auto found = events_.find(room);
    if (found != events_.end() && found->second.waiting > 0) --found->second.waiting;
}

void LeakyBucket::amend(std::uint32_t room, Instant taken, Instant granted) {
    if (granted <= taken) return;
    const std::lock_guard lock(mutex_);
    const auto found = events_.find(room);
    if (found == events_.end()) return;
    // The last of those at `taken`, and no later one before it: the order stays.
    std::deque<Instant>& entered = found->second.entered;
    auto at = std::upper_bound(entered.begin(), entered.end(), taken);
    if (at == entered.begin()) return;
    for (--at; at != entered.end() && *at < granted; ++at) *at = granted;
}

LeakyBucket::Event* LeakyBucket::find_or_make(std::uint32_t room, Instant now) {
    const auto found = events_.find(room);
    if (found != events_.end()) return &found->second;
    forget_idle(now);
    if (events_.size() >= events_max_) return nullptr;
    return &events_[room];
}

void LeakyBucket::forget_idle(Instant now) {
    if (now < cleaned_ + seconds(1) && cleaned_ <= now) return;
    cleaned_ = now;
    std::erase_if(events_, [&](const auto& one) {
        const Event& event = one.second;
        return event.waiting == 0 &&
               (event.entered.empty() || event.entered.back() + event.pace.window <= now);
    });
}

std::size_t LeakyBucket::size() const {
    const std::lock_guard lock(mutex_);
    return events_.size();
}

} // namespace anteroom::api::tacos
