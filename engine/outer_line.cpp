#include "engine/outer_line.h"

#include <algorithm>
#include <limits>

#include "base/byte_stream.h"
#include "base/check.h"
#include "engine/line.h"
#include "engine/planted.h"

namespace anteroom {

OuterLine::Taken* OuterLine::place(Number number) const {
    Chunk* chunk = places_.at(number >> chunk_bits);
    return chunk ? &chunk->places[number & (chunk_size - 1)] : nullptr;
}

OuterLine::Counters OuterLine::counters() const {
    for (;;) {
        const std::uint32_t before = version_.load(std::memory_order_acquire);
        // In this order: serving and forgotten never pass issued.
        Counters result{.generation = generation(), .active = active(), .forgotten = forgotten()};
        result.serving = serving();
        result.issued = issued();
        const bool whole = before % 2 == 0 && version_.load(std::memory_order_relaxed) == before;
        if (whole) return result;
    }
}

std::optional<OuterStanding> OuterLine::standing(OuterPlace place) const {
    const Counters now = counters();
    const bool known = place.number > now.forgotten && place.number <= now.issued;
    const bool current =
        place.generation == now.generation || planted(Bug::old_generation_accepted);
    if (!current || !known) return std::nullopt;
    return OuterStanding{.generation = place.generation,
                         .number = place.number,
                         .serving = now.serving,
                         .issued = now.issued,
                         .released = !now.active || place.number <= now.serving};
}

const VisitorKey* OuterLine::visitor_of(Number number) const {
    const Taken* taken = place(number);
    return taken && is_known(number) ? &taken->visitor : nullptr;
}

Number OuterLine::find(const VisitorKey& visitor) const {
    return index_.find(visitor, issued());
}

std::optional<OuterPlace> OuterLine::place_of(std::uint64_t order) const {
    for (;;) {
        const std::uint32_t before = version_.load(std::memory_order_acquire);
        const std::uint64_t first = base();
        const OuterPlace place{.generation = generation(), .number = order - first};
        const bool known = order > first && is_known(place.number);
        const bool whole = before % 2 == 0 && version_.load(std::memory_order_relaxed) == before;
        if (whole) return known ? std::optional(place) : std::nullopt;
    }
}

Instant OuterLine::first_pass(Number number, Instant now) const {
    const Taken* taken = place(number);
    if (!taken) return now; // Forgotten a moment ago.
    const std::int64_t after = std::clamp<std::int64_t>((now - taken->at).count / 1'000, 0,
                                                        std::numeric_limits<std::int32_t>::max());
    std::uint32_t first = 0;
    const auto mine = static_cast<std::uint32_t>(after) + 1;
    if (taken->first_pass.compare_exchange_strong(first, mine, std::memory_order_relaxed))
        first = mine;
    return taken->at + seconds(first - 1);
}

bool OuterLine::is_bound_to_other(Number number, const VisitorKey& user) const {
    const Taken* taken = place(number);
    CHECK(taken);
    return taken->bound && taken->user != user;
}

bool OuterLine::is_spent(Number number) const {
    const Taken* taken = place(number);
    CHECK(taken);
    return taken->spent;
}

void OuterLine::bind(Number number, const VisitorKey& user) {
    Taken* taken = place(number);
    CHECK(taken && (!taken->bound || taken->user == user));
    taken->user = user;
    taken->bound = true;
}

Number OuterLine::next_number() const {
    const Number next = issued() + 1;
    return may_be_issued(next) ? next : next + 1;
}

bool OuterLine::has_room() const {
    return spans(forgotten(), next_number()) && order_of(next_number()) <= Line::number_max;
}

void OuterLine::take(Number number, const VisitorKey& visitor, Instant now) {
    CHECK(number == next_number());
    Taken& taken = places_.ensure(number >> chunk_bits).places[number & (chunk_size - 1)];
    taken.visitor = visitor;
    taken.at = now;
    issued_.store(number, std::memory_order_release);
    index_.insert(visitor, number);
}

void OuterLine::advance(Number serving, Instant now) {
    CHECK(serving >= this->serving());
    serving_.store(serving, std::memory_order_release);
    advanced_ = now;
}

void OuterLine::forget(Number through) {
    CHECK(through <= issued());
    for (Number number = forgotten() + 1; number <= through; ++number) {
        if (may_be_issued(number)) index_.erase(place(number)->visitor, number, issued());
        forgotten_.store(number, std::memory_order_release);
        const bool is_last_of_chunk = (number & (chunk_size - 1)) == chunk_size - 1;
        if (is_last_of_chunk && places_.at(number >> chunk_bits))
            places_.drop(number >> chunk_bits);
    }
}

void OuterLine::activate(std::uint32_t generation, Instant now) {
    index_.clear();
    places_.for_each([&](std::uint64_t index, Chunk&) { places_.drop(index); });
    const std::uint32_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_release);
    base_.store(base() + issued(), std::memory_order_release);
    issued_.store(0, std::memory_order_release);
    serving_.store(0, std::memory_order_release);
    forgotten_.store(0, std::memory_order_release);
    generation_.store(generation, std::memory_order_release);
    active_.store(true, std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
    advanced_ = now;
}

void OuterLine::spend(std::uint64_t order) {
    const Number number = number_of(order);
    if (number != 0 && is_known(number)) place(number)->spent = true;
}

void OuterLine::write_head(std::string& out) const {
    ByteWriter writer(out);
    writer.word(std::uint64_t{active()});
    writer.word(std::uint64_t{generation()});
    writer.word(issued());
    writer.word(serving());
    writer.word(forgotten());
    writer.word(base());
    writer.word(advanced_.ms);
}

bool OuterLine::restore_head(ByteReader& in) {
    const std::uint64_t active = in.word();
    const std::uint64_t generation = in.word();
    const Number issued = in.word();
    const Number serving = in.word();
    const Number forgotten = in.word();
    const std::uint64_t base = in.word();
    advanced_ = Instant{in.signed_word()};
    const bool fits = in.ok() && active <= 1 && generation <= UINT32_MAX && serving <= issued &&
                      (issued == 0 || may_be_issued(issued)) && forgotten <= issued &&
                      spans(forgotten, issued) && base <= Line::number_max &&
                      issued <= Line::number_max - base;
    if (!fits) return false;
    base_.store(base, std::memory_order_release);
    active_.store(active == 1, std::memory_order_release);
    generation_.store(static_cast<std::uint32_t>(generation), std::memory_order_release);
    issued_.store(issued, std::memory_order_release);
    serving_.store(serving, std::memory_order_release);
    forgotten_.store(forgotten, std::memory_order_release);
    return true;
}

bool OuterLine::write_chunk(std::uint64_t chunk_index, std::string& out) const {
    const Chunk* chunk = places_.at(chunk_index);
    if (!chunk) return false;
    ByteWriter writer(out);
    for (std::size_t i = 0; i < chunk_size; ++i) {
        const Taken& taken = chunk->places[i];
        if (!is_known((chunk_index << chunk_bits) + i)) continue;
        writer.word(taken.visitor.high);
        writer.word(taken.visitor.low);
        writer.word(taken.at.ms);
        writer.byte(static_cast<std::uint8_t>(taken.bound * 2 + taken.spent));
        if (!taken.bound) continue;
        writer.word(taken.user.high);
        writer.word(taken.user.low);
    }
    return true;
}

bool OuterLine::restore_chunk(std::uint64_t chunk_index, ByteReader& in) {
    const bool in_reach = chunk_index >= chunk_of(forgotten()) &&
                          chunk_index <= chunk_of(issued()) && !places_.at(chunk_index);
    if (!in_reach || !in.ok()) return false;
    Chunk& chunk = places_.ensure(chunk_index);
    for (std::size_t i = 0; i < chunk_size; ++i) {
        Taken& taken = chunk.places[i];
        if (!is_known((chunk_index << chunk_bits) + i)) continue;
        taken.visitor = {.high = in.word(), .low = in.word()};
        taken.at = Instant{in.signed_word()};
        const std::uint8_t flags = in.byte();
        if (flags > 3) return false;
        taken.bound = (flags & 2) != 0;
        taken.spent = (flags & 1) != 0;
        if (taken.bound) taken.user = {.high = in.word(), .low = in.word()};
    }
    return in.ok() && in.at_end();
}

bool OuterLine::finish_restore() {
    for (Number number = forgotten() + 1; number <= issued(); ++number) {
        if (!may_be_issued(number)) continue;
        const Taken* taken = place(number);
        if (!taken || find(taken->visitor) != 0) return false;
        index_.insert(taken->visitor, number);
    }
    return true;
}

std::optional<Instant> OuterLine::oldest_taken() const {
    if (forgotten() == issued()) return std::nullopt;
    const Taken* taken = place(forgotten() + 1);
    return taken ? taken->at : instant_min;
}

Number OuterLine::taken_through(Instant before) const {
    Number through = forgotten();
    while (through < issued()) {
        const Taken* taken = place(through + 1);
        if (taken && taken->at > before) break;
        ++through;
    }
    return through;
}

} // namespace anteroom
