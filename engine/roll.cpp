#include "engine/roll.h"

#include <algorithm>

#include "base/byte_stream.h"
#include "base/check.h"
#include "engine/line.h"

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
    return may_be_issued(next) ? next : next + 1;
}

bool Roll::has_room() const {
    return next_number() <= Line::number_max && chunk_of(next_number()) - first_live_ < chunks_max;
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
    find_first_live();
}

// The chunk that the next number goes to counts as live, there or not.
void Roll::find_first_live() {
    first_live_ = std::min(records_.next(first_live_), chunk_of(issued()));
}

void Roll::forget(Instant before) {
    for (; first_kept_ < issued() >> chunk_bits; ++first_kept_) {
        if (records_.at(first_kept_)) return;
        const Tomb* tomb = tombs_.at(first_kept_);
        const bool in_reach = chunk_of(issued()) - first_kept_ < chunks_max;
        if (tomb && tomb->ended > before && in_reach) return;
        if (tomb) tombs_.drop(first_kept_);
    }
}

Record* Roll::record(Number number) const {
    Chunk* chunk = records_.at(number >> chunk_bits);
    if (!chunk) return nullptr;
    Record& record = chunk->records[number & (chunk_size - 1)];
    return record.place().state == VisitorState::unknown ? nullptr : &record;
}

void Roll::expect(Number number) const {
    const Chunk* chunk = records_.at(number >> chunk_bits);
    if (!chunk) return;
    const Record& record = chunk->records[number & (chunk_size - 1)];
    __builtin_prefetch(&record);
    __builtin_prefetch(&record + 1); // A record may lie on two lines of the cache.
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

void Roll::write_head(std::string& out) const {
    ByteWriter writer(out);
    writer.word(issued());
    writer.word(first_kept_);
}

bool Roll::restore_head(ByteReader& in) {
    const Number issued = in.word();
    first_kept_ = in.word();
    const bool fits = in.ok() && issued <= Line::number_max &&
                      (issued == 0 || may_be_issued(issued)) && first_kept_ <= chunk_of(issued) &&
                      chunk_of(issued) - first_kept_ < kept_max;
    if (!fits) return false;
    issued_.store(issued, std::memory_order_release);
    return true;
}

bool Roll::write_chunk(std::uint64_t chunk_index, std::string& out) const {
    const Chunk* chunk = records_.at(chunk_index);
    if (!chunk) return false;
    ByteWriter writer(out);
    writer.word(chunk->ended.ms);
    for (const Record& record : chunk->records) {
        const Place place = record.place();
        writer.byte(static_cast<std::uint8_t>(place.state));
        if (!is_live(place.state)) continue;
        writer.word(place.pack());
        writer.word(record.visitor.high);
        writer.word(record.visitor.low);
        writer.word(record.joined.ms);
        writer.word(record.since().ms);
    }
    return true;
}

bool Roll::restore_chunk(std::uint64_t chunk_index, ByteReader& in, Instant now) {
    const bool in_reach = chunk_index <= chunk_of(issued()) &&
                          chunk_of(issued()) - chunk_index < chunks_max &&
                          !records_.at(chunk_index);
    if (!in_reach || !in.ok()) return false;
    Chunk& chunk = records_.ensure(chunk_index);
    chunk.ended = Instant{in.signed_word()};
    for (std::size_t i = 0; i < chunk_size; ++i) {
        Record& record = chunk.records[i];
        const Number number = (chunk_index << chunk_bits) + i;
        const auto state = static_cast<VisitorState>(in.byte());
        if (state > VisitorState::expired) return false;
        if (state == VisitorState::unknown) continue;
        if (!may_be_issued(number) || number > issued()) return false;
        Place place{.state = state};
        if (is_live(state)) {
            place = Place::unpack(in.word());
            record.visitor = {.high = in.word(), .low = in.word()};
            record.joined = Instant{in.signed_word()};
            record.start(Instant{in.signed_word()});
            record.touch(now);
            ++chunk.live;
            chunk.seen_min = now;
        }
        if (place.state != state || !in.ok()) return false;
        record.put(place);
    }
    return in.ok() && in.at_end();
}

bool Roll::restore_tomb(std::uint64_t chunk_index, ByteReader& in) {
    const bool in_reach =
        chunk_index <= chunk_of(issued()) && chunk_index >= first_kept_ && !tombs_.at(chunk_index);
    if (!in_reach || !in.ok()) return false;
    Tomb& tomb = tombs_.ensure(chunk_index);
    tomb.ended = Instant{in.signed_word()};
    for (auto& quad : tomb.states) quad.store(in.byte(), std::memory_order_release);
    return in.ok() && in.at_end();
}

#ifdef ANTEROOM_PLANTED_BUGS
void Roll::plant_reissue() {
    Number highest = 0;
    for_each_live([&](Number number, const Record&) { highest = number; });
    issued_.store(highest, std::memory_order_release);
}
#endif

} // namespace anteroom
