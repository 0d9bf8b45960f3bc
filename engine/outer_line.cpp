#include "engine/outer_line.h"

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
    return (next & 0xffff'ffff) == 0 ? next + 1 : next; // See Roll::next_number.
}

bool OuterLine::has_room() const {
    return next_number() - forgotten() < 0xffff'ffff && base_ + next_number() <= Line::number_max;
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
        const bool was_issued = (number & 0xffff'ffff) != 0;
        if (was_issued) index_.erase(place(number)->visitor, number, issued());
        forgotten_.store(number, std::memory_order_release);
        const bool is_last_of_chunk = (number & (chunk_size - 1)) == chunk_size - 1;
        if (is_last_of_chunk && places_.at(number >> chunk_bits))
            places_.drop(number >> chunk_bits);
    }
}

void OuterLine::activate(std::uint32_t generation, Instant now) {
    base_ += issued();
    index_.clear();
    for (std::uint64_t index = places_.first(); index < places_.last(); ++index)
        if (places_.at(index)) places_.drop(index);
    const std::uint32_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_release);
    issued_.store(0, std::memory_order_release);
    serving_.store(0, std::memory_order_release);
    forgotten_.store(0, std::memory_order_release);
    generation_.store(generation, std::memory_order_release);
    active_.store(true, std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
    advanced_ = now;
}

void OuterLine::spend(std::uint64_t order) {
    if (order <= base_) return;
    const Number number = order - base_;
    if (is_known(number)) place(number)->spent = true;
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
