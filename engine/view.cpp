// What can be read from a room while it is being written, and its digest.
#include <algorithm>

#include "engine/room.h"

namespace anteroom {
namespace {

// A small mixing step (multiply and fold the high half down): enough to tell states apart, not a
// MAC.
class Digest {
  public:
    void operator()(std::uint64_t word) {
        constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;
        value_ = (value_ ^ word) * odd;
        value_ ^= value_ >> 32;
    }
    std::uint64_t value() const { return value_; }

  private:
    std::uint64_t value_ = 0;
};

} // namespace

Standing Room::standing(Number number) const {
    const Record* record = roll_.record(number);
    // Of those who ended only the state is told, whether or not their record is still there.
    if (!record) return {.number = number, .state = roll_.state_of(number)};
    const Place place = record->place();
    if (!is_live(place.state)) return {.number = number, .state = place.state};
    Standing result{.number = number,
                    .state = place.state,
                    .lane = static_cast<std::uint8_t>(place.line / 2),
                    .line = place.line,
                    .order = place.order,
                    .joined = record->joined,
                    .redeemed = place.redeemed,
                    .missed = place.missed};
    if (is_in_line(place.state)) {
        for (std::size_t line = 0; line < place.line; ++line)
            result.ahead += lines_[line].everybody.size();
        result.ahead += lines_[place.line].everybody.rank(place.order);
        const std::uint64_t before = result.ahead + (place.counts_as_ahead() ? 1 : 0);
        const std::uint64_t uncounted = before + first_again_.load(std::memory_order_acquire);
        const std::uint64_t all = waiting();
        result.behind = all > uncounted ? all - uncounted : 0;
    } else if (is_inside(place.state)) {
        result.until = deadline_of(*record, place.state);
    }
    return result;
}

std::uint64_t Room::outside_before(const Standing& standing) const {
    std::uint64_t before = lines_[standing.line].outside.rank(standing.order);
    for (std::size_t line = 0; line < standing.line; ++line) before += lines_[line].outside.size();
    return before;
}

// `waiting` counts the present alone: the doorman does not call the absent.
Flow::Scene Room::scene() const {
    const bool through = state() == RoomState::passthrough;
    const std::uint64_t all = waiting();
    return {.waiting = all - std::min(all, absent()),
            .inside = inside(),
            .capacity = through ? UINT64_MAX : static_cast<std::uint64_t>(settings().capacity),
            .calling = may_call(state())};
}

std::uint64_t Room::digest() const {
    Digest mix;
    for_each_setting(settings(), [&](const char*, const auto& setting) { mix(word_of(setting)); });
    mix(std::uint64_t(state()) << 8 | std::uint64_t(resume_to_));
    mix(sequence_);
    mix(roll_.issued());
    mix(serving());
    mix(waiting());
    mix(called());
    mix(active());
    for (const std::uint64_t total : {totals_.joined, totals_.called, totals_.claimed,
                                      totals_.finished, totals_.left, totals_.expired})
        mix(total);
    for_each_live([&](Number number, const Record& record) {
        mix(number);
        mix(record.visitor.high);
        mix(record.visitor.low);
        mix(static_cast<std::uint64_t>(record.joined.ms));
        mix(static_cast<std::uint64_t>(record.since().ms));
        mix(record.place().pack());
    });
    outer_.digest([&](std::uint64_t word) { mix(word); });
    pacer_.digest([&](std::uint64_t word) { mix(word); });
    return mix.value();
}

} // namespace anteroom
