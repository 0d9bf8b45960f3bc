#include "engine/roll.h"

#include <algorithm>

#include "base/check.h"

namespace anteroom {
namespace {

// The three ways to end, in two bits; 0 is "not ended here".
std::uint8_t end_code(VisitorState state) {
    switch (state) {
        case VisitorState::finished: return 1;
        case VisitorState::left: return 2;
        case VisitorState::expired: return 3;
        default: return 0;
    }
}

VisitorState end_state(unsigned code) {
    constexpr std::array states{VisitorState::unknown, VisitorState::finished, VisitorState::left,
                                VisitorState::expired};
    return states[code & 3];
}

} // namespace

Number Roll::next_number() const {
    const Number next = issued() + 1;
    return (next & 0xffff'ffff) == 0 ? next + 1 : next;
}

bool Roll::has_room() const {
    constexpr std::uint64_t chunks_max = (std::uint64_t{1} << (32 - chunk_bits)) - 1;
    return (next_number() >> chunk_bits) - records_.first() < chunks_max;
}

Record& Roll::add(Number number, const VisitorKey& visitor, Place place, Instant now) {
    CHECK(number == next_number());
    const std::uint64_t index = number >> chunk_bits;
    Chunk& chunk = records_.ensure(index);
    Record& record = chunk.records[number & (chunk_size - 1)];
    record.visitor = visitor;
    record.joined = now;
    record.touch(now);
    record.put(place);
    ++chunk.live;
    chunk.seen_min = std::min(chunk.seen_min, now);
    const std::uint64_t previous = issued() >> chunk_bits;
    issued_.store(number, std::memory_order_release);
    index_.insert(visitor, number);
    if (previous != index && records_.at(previous) && records_.at(previous)->live == 0)
        bury(previous);
    return record;
}

void Roll::end(Number number, VisitorState state, Instant now) {
    const std::uint64_t index = number >> chunk_bits;
    Chunk* chunk = records_.at(index);
    CHECK(chunk);
    Record& record = chunk->records[number & (chunk_size - 1)];
    CHECK(is_live(record.place().state) && !is_live(state));
    index_.erase(record.visitor, number, issued());
    Place place = record.place();
    place.state = state;
    record.put(place);
    chunk->ended = now;
    // The chunk that the next number goes to is kept.
    if (--chunk->live == 0 && index != issued() >> chunk_bits) bury(index);
}

void Roll::bury(std::uint64_t chunk_index) {
    const Chunk& chunk = *records_.at(chunk_index);
    Tomb& tomb = tombs_.ensure(chunk_index);
    for (std::size_t i = 0; i < chunk_size; ++i) {
        auto& quad = tomb.states[i / 4];
        const unsigned code = end_code(chunk.records[i].place().state);
        quad.store(
            static_cast<std::uint8_t>(quad.load(std::memory_order_relaxed) | code << (i % 4 * 2)),
            std::memory_order_release);
    }
    tomb.ended = chunk.ended;
    records_.drop(chunk_index);
}

void Roll::forget(Instant before) {
    for (; first_kept_ < issued() >> chunk_bits; ++first_kept_) {
        if (records_.at(first_kept_)) return;
        const Tomb* tomb = tombs_.at(first_kept_);
        if (tomb && tomb->ended > before) return;
        if (tomb) tombs_.drop(first_kept_);
    }
}

Record* Roll::record(Number number) const {
    Chunk* chunk = records_.at(number >> chunk_bits);
    if (!chunk) return nullptr;
    Record& record = chunk->records[number & (chunk_size - 1)];
    return record.place().state == VisitorState::unknown ? nullptr : &record;
}

VisitorState Roll::state_of(Number number) const {
    // The tomb is filled before the record goes, so that looking in this order misses neither.
    if (const Record* found = record(number)) return found->place().state;
    const Tomb* tomb = tombs_.at(number >> chunk_bits);
    if (!tomb) return VisitorState::unknown;
    const std::size_t i = number & (chunk_size - 1);
    return end_state(unsigned{tomb->states[i / 4].load(std::memory_order_acquire)} >> (i % 4 * 2));
}

const VisitorKey* Roll::key_of(Number number) const {
    const Record* found = record(number);
    return found ? &found->visitor : nullptr;
}

#ifdef ANTEROOM_PLANTED_BUGS
void Roll::plant_reissue() {
    Number highest = 0;
    for_each_live([&](Number number, const Record&) { highest = number; });
    issued_.store(highest, std::memory_order_release);
}
#endif

} // namespace anteroom
