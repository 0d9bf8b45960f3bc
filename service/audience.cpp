#include "service/audience.h"

#include <algorithm>
#include <utility>

namespace anteroom {
namespace {

constexpr Tenth presence_seconds = 3;
constexpr Tenth silence_tenths_min = 160;
constexpr Tenth silence_tenths_spread = 30;
// Pulses come once a second, give or take the tenth in which they are seen.
constexpr Tenth pulse_tenths_min = tenths_per_second - 1;

// In a busy room a newer pulse has come by then. It goes to all in one go, which costs a fifth less
// than as many sends spread over the second.
constexpr Tenth late_tenths = tenths_per_second + 1;

constexpr std::size_t run = 32; // Slots that have their turn together: 512 bytes of paces_.

constexpr std::uint16_t short_of(std::uint32_t value) {
    return static_cast<std::uint16_t>(value);
}

// Tenths since then.
constexpr Tenth since(std::uint16_t then, Tenth now) {
    return short_of(now - then);
}

} // namespace

Audience::~Audience() {
    room_->end_streams(by_number_.size());
}

std::uint32_t Audience::add(Number number, net::EventStream stream,
                            std::shared_ptr<StreamWords> words, std::uint64_t begun,
                            const StreamWords::Said& first, Instant now) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
        slot = static_cast<std::uint32_t>(paces_.size());
        paces_.emplace_back();
        subscribers_.emplace_back();
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    const Tenth tenth = tenth_of(now);
    paces_[slot] = {.number = number,
                    .heard = short_of(tenth),
                    .pulsed = short_of(tenth - tenths_per_second),
                    .pulse = short_of(pulse_.version - 1),
                    .is_looked_at = words->wants_looks()};
    subscribers_[slot].emplace(
        Subscriber{.stream = std::move(stream), .words = std::move(words), .begun = begun});
    by_number_.emplace(number, slot);
    // remove() drops the stream, and then on_close is not called any more: `this` is alive in it.
    subscribers_[slot]->stream.on_close([this, slot] { leave(slot); });
    if (first.is_owed) owe(slot);
    return slot;
}

void Audience::remove(std::uint32_t slot) {
    if (!is_taken(slot)) return;
    const auto [first, last] = by_number_.equal_range(paces_[slot].number);
    for (auto entry = first; entry != last; ++entry) {
        if (entry->second != slot) continue;
        by_number_.erase(entry);
        break;
    }
    subscribers_[slot].reset();
    paces_[slot] = {};
    free_.push_back(slot);
    room_->end_streams();
}

void Audience::close_all() {
    for (std::uint32_t slot = 0; slot < slots(); ++slot) {
        if (!is_taken(slot)) continue;
        subscribers_[slot]->stream.close();
        remove(slot);
    }
}

void Audience::leave(std::uint32_t slot) {
    const std::shared_ptr<Audience> self = weak_from_this().lock();
    remove(slot);
    if (on_leave_) on_leave_();
}

void Audience::set_pulse(const RoomPulse::Event& pulse, Instant now) {
    // Two threads may post theirs in the wrong order.
    if (static_cast<std::int32_t>(pulse.version - pulse_.version) <= 0) return;
    pulse_ = pulse;
    pulse_set_ = tenth_of(now);
}

void Audience::send_pulse(std::uint32_t slot, Instant now) {
    Pace& pace = paces_[slot];
    const Tenth tenth = tenth_of(now);
    if (!pulse_.frame || pace.pulse == short_of(pulse_.version)) return;
    if (since(pace.pulsed, tenth) < pulse_tenths_min) return;
    pace.pulse = short_of(pulse_.version);
    pace.pulsed = short_of(tenth);
    say(slot, subscribers_[slot]->words->beat(*room_, pace.number, pulse_.frame, now), now);
}

void Audience::send_pulses(std::size_t from, std::size_t end, Instant now) {
    for (std::size_t slot = from; slot < std::min(end, slots()); ++slot)
        if (is_taken(slot)) send_pulse(static_cast<std::uint32_t>(slot), now);
}

std::vector<std::uint32_t> Audience::slots_of(Number number) const {
    std::vector<std::uint32_t> slots;
    const auto [first, last] = by_number_.equal_range(number);
    for (auto entry = first; entry != last; ++entry) slots.push_back(entry->second);
    return slots;
}

void Audience::tell(Number number, Instant now) {
    for (const std::uint32_t slot : slots_of(number)) tell_slot(slot, now);
}

void Audience::tell_everybody(Instant now) {
    for (std::uint32_t slot = 0; slot < slots(); ++slot) tell_slot(slot, now);
}

void Audience::retell(Instant now) {
    if (owed_.empty()) return;
    for (const std::uint32_t slot : std::exchange(owed_, {}))
        if (paces_[slot].is_owed) tell_slot(slot, now);
}

void Audience::tell_slot(std::uint32_t slot, Instant now) {
    if (!is_taken(slot)) return;
    Pace& pace = paces_[slot];
    pace.is_owed = false;
    say(slot, subscribers_[slot]->words->news(*room_, pace.number, now), now);
}

void Audience::supersede(Number number, std::uint64_t newer, Instant now) {
    for (const std::uint32_t slot : slots_of(number)) {
        Subscriber& older = *subscribers_[slot];
        if (older.begun >= newer) continue;
        if (const net::Frame last = older.words->replaced())
            say(slot, {.frame = last, .is_last = true}, now);
    }
}

// A dead stream is removed by its on_close.
void Audience::say(std::uint32_t slot, const StreamWords::Said& said, Instant now) {
    if (said.frame) {
        subscribers_[slot]->stream.send(said.frame);
        paces_[slot].heard = short_of(tenth_of(now));
    }
    if (said.is_owed) owe(slot);
    if (!said.is_last) return;
    subscribers_[slot]->stream.close();
    remove(slot);
}

void Audience::owe(std::uint32_t slot) {
    if (std::exchange(paces_[slot].is_owed, true)) return;
    owed_.push_back(slot);
}

// Rooms begin at different tenths, so that small ones do not all have their turn together.
std::size_t Audience::first_slot(Tenth tenth) const {
    return run *
           ((tenth + tenths_per_second - room_->index() % tenths_per_second) % tenths_per_second);
}

std::optional<std::size_t> Audience::look(Tenth tenth, std::size_t from, std::size_t count,
                                          Instant now) {
    std::size_t slot = from;
    for (; slot < slots() && count > 0; --count) {
        if (is_taken(slot)) look_at(static_cast<std::uint32_t>(slot), tenth, now);
        if (++slot % run == 0) slot += run * (tenths_per_second - 1);
    }
    return slot < slots() ? std::optional(slot) : std::nullopt;
}

void Audience::look_at(std::uint32_t slot, Tenth tenth, Instant now) {
    const Tenth turn = slot + room_->index();
    const Pace& pace = paces_[slot];
    if ((tenth / tenths_per_second + turn) % presence_seconds == 0) keep_present(pace.number, now);
    if (tenth_of(now) - pulse_set_ >= late_tenths) send_pulse(slot, now);
    if (pace.is_looked_at)
        say(slot, subscribers_[slot]->words->look(*room_, pace.number, now), now);
    if (!is_taken(slot)) return;
    const Tenth silence = since(pace.heard, tenth_of(now));
    if (silence >= silence_tenths_min + turn % silence_tenths_spread)
        say(slot, {.frame = subscribers_[slot]->words->heartbeat()}, now);
}

// A visitor with an open stream is present, unless the visitor missed a call.
void Audience::keep_present(Number number, Instant now) {
    if (!room_->stay(number, now) && greet_) greet_(*room_, number);
}

} // namespace anteroom
