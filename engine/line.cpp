#include "engine/line.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "engine/counter.h"

namespace anteroom {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

// The set bits of each byte. Counts of several words are added before they are summed up: the
// baseline of x86-64 has no instruction that counts bits, and a call per word costs more than this.
std::uint64_t count_per_byte(std::uint64_t word) {
    word -= (word >> 1) & 0x5555'5555'5555'5555;
    word = (word & 0x3333'3333'3333'3333) + ((word >> 2) & 0x3333'3333'3333'3333);
    return (word + (word >> 4)) & 0x0f0f'0f0f'0f0f'0f0f;
}

// REQUIRES: at most 31 words were added.
std::uint64_t sum_of_bytes(std::uint64_t counts) {
    constexpr std::uint64_t even = 0x00ff'00ff'00ff'00ff;
    return ((counts & even) + ((counts >> 8) & even)) * 0x0001'0001'0001'0001 >> 48;
}

// The position of the set bit with `rank` set bits below it. REQUIRES: rank < popcount(word).
unsigned select_in_word(std::uint64_t word, std::uint64_t rank) {
    unsigned shift = 0;
    for (;; shift += 8) {
        const auto in_byte = static_cast<std::uint64_t>(std::popcount((word >> shift) & 0xff));
        if (rank < in_byte) break;
        rank -= in_byte;
    }
    std::uint64_t rest = word >> shift;
    for (; rank > 0; --rank) rest &= rest - 1;
    return shift + static_cast<unsigned>(std::countr_zero(rest));
}

} // namespace

Line::Sums::Sums(std::uint64_t from, std::uint64_t count)
    : first(from), size(count), tree(new std::atomic<std::uint64_t>[count + 1]) {
    for (std::uint64_t i = 0; i <= count; ++i) tree[i].store(0, relaxed);
}

std::uint64_t Line::Sums::before(std::uint64_t chunk) const {
    if (chunk <= first) return 0;
    if (chunk - first >= size) return tree[size].load(relaxed);
    std::uint64_t sum = 0;
    for (std::uint64_t i = chunk - first; i > 0; i &= i - 1) sum += tree[i].load(relaxed);
    return sum;
}

void Line::Sums::add(std::uint64_t chunk, std::int64_t change) {
    for (std::uint64_t i = chunk - first + 1; i <= size; i += i & (~i + 1))
        anteroom::add(tree[i], change);
}

void Line::insert(std::uint64_t number) {
    CHECK(number <= number_max);
    const std::uint64_t index = number >> chunk_bits;
    Chunk& chunk = chunks_.ensure(index);
    CHECK(!contains(number));
    change(chunk, number, true);
    cover(index).add(index, +1);
    add(size_, +1);
    if (index > last_chunk_) {
        const std::uint64_t previous = std::exchange(last_chunk_, index);
        if (chunks_.at(previous)) drop_if_empty(previous);
    }
}

void Line::erase(std::uint64_t number) {
    CHECK(contains(number));
    const std::uint64_t index = number >> chunk_bits;
    change(*chunks_.at(index), number, false);
    cover(index).add(index, -1);
    add(size_, -1);
    drop_if_empty(index);
}

std::uint64_t Line::pop_front() {
    const std::optional<std::uint64_t> number = front();
    CHECK(number);
    erase(*number);
    return *number;
}

void Line::change(Chunk& chunk, std::uint64_t number, bool present) {
    const std::uint64_t offset = number & (chunk_size - 1);
    auto& word = chunk.words[offset / 64];
    word.store(word.load(relaxed) ^ (std::uint64_t{1} << (offset % 64)), std::memory_order_release);
    const std::int64_t by = present ? +1 : -1;
    for (std::size_t i = (offset >> block_bits) + 1; i <= blocks_per_chunk; i += i & (~i + 1))
        add(chunk.tree[i], by);
    add(chunk.count, by);
}

void Line::drop_if_empty(std::uint64_t chunk_index) {
    if (chunk_index == last_chunk_ || chunks_.at(chunk_index)->count.load(relaxed) > 0) return;
    chunks_.drop(chunk_index);
}

Line::Sums& Line::cover(std::uint64_t chunk) {
    Sums* old = sums_.load(relaxed);
    if (old && chunk - old->first < old->size) return *old;
    // The window's directory covers the chunk already; the sums follow it. The update that made
    // this necessary is added by the caller, so the chunk in hand is left out of its own count.
    const auto [first, last] = chunks_.range();
    auto fresh = std::make_unique<Sums>(first, last - first);
    chunks_.for_each([&](std::uint64_t index, const Chunk& found) {
        const std::int64_t count = found.count.load(relaxed);
        fresh->add(index, index == chunk ? count - 1 : count);
    });
    sums_.store(fresh.get(), std::memory_order_release);
    if (old) retired_.add(std::unique_ptr<Sums>(old));
    return *fresh.release();
}

bool Line::contains(std::uint64_t number) const {
    const Chunk* chunk = chunks_.at(number >> chunk_bits);
    if (!chunk) return false;
    const std::uint64_t offset = number & (chunk_size - 1);
    return (chunk->words[offset / 64].load(std::memory_order_acquire) >> (offset % 64)) & 1;
}

std::uint64_t Line::rank(std::uint64_t number) const {
    const Sums* sums = sums_.load(std::memory_order_acquire);
    if (!sums) return 0;
    const std::uint64_t index = number >> chunk_bits;
    const Chunk* chunk = chunks_.at(index);
    const std::uint64_t inside = chunk ? rank_in_chunk(*chunk, number & (chunk_size - 1)) : 0;
    return sums->before(index) + inside;
}

std::uint64_t Line::rank_in_chunk(const Chunk& chunk, std::uint64_t offset) {
    std::uint64_t sum = 0;
    for (std::size_t i = offset >> block_bits; i > 0; i &= i - 1)
        sum += chunk.tree[i].load(relaxed);
    const std::size_t end = offset / 64;
    const std::uint64_t below = (std::uint64_t{1} << (offset % 64)) - 1;
    std::uint64_t counts = count_per_byte(chunk.words[end].load(relaxed) & below);
    for (std::size_t i = (offset >> block_bits) * words_per_block; i < end; ++i)
        counts += count_per_byte(chunk.words[i].load(relaxed));
    return sum + sum_of_bytes(counts);
}

std::optional<std::uint64_t> Line::select(std::uint64_t rank) const {
    const Sums* sums = sums_.load(std::memory_order_acquire);
    if (!sums || rank >= sums->tree[sums->size].load(relaxed)) return std::nullopt;
    std::uint64_t position = 0;
    for (std::uint64_t step = sums->size / 2; step > 0; step /= 2) {
        const std::uint64_t count = sums->tree[position + step].load(relaxed);
        if (rank < count) continue;
        rank -= count;
        position += step;
    }
    // One look is enough, unless a writer has taken away meanwhile what was counted here: then the
    // answer lies behind, maybe behind all that these sums ever knew.
    std::uint64_t index = sums->first + position;
    for (; index != chunks_.none; index = chunks_.next(index + 1)) {
        const Chunk* chunk = chunks_.at(index);
        if (!chunk) continue;
        if (const std::optional<std::uint64_t> offset = select_in_chunk(*chunk, rank))
            return (index << chunk_bits) + *offset;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> Line::next(std::uint64_t number) const {
    // Word by word, not by rank: beside a writer a rank may belong to another number by now.
    const std::uint64_t start = number >> chunk_bits;
    for (std::uint64_t index = chunks_.next(start); index != chunks_.none;
         index = chunks_.next(index + 1)) {
        const Chunk* chunk = chunks_.at(index);
        if (!chunk || chunk->count.load(relaxed) == 0) continue;
        const std::uint64_t from = index == start ? number & (chunk_size - 1) : 0;
        if (const std::optional<std::uint64_t> offset = next_in_chunk(*chunk, from))
            return (index << chunk_bits) + *offset;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> Line::next_in_chunk(const Chunk& chunk, std::uint64_t offset) {
    std::size_t i = offset / 64;
    std::uint64_t word = chunk.words[i].load(relaxed) & (~std::uint64_t{0} << (offset % 64));
    while (word == 0) {
        if (++i == chunk.words.size()) return std::nullopt;
        word = chunk.words[i].load(relaxed);
    }
    return i * 64 + static_cast<unsigned>(std::countr_zero(word));
}

std::optional<std::uint64_t> Line::select_in_chunk(const Chunk& chunk, std::uint64_t& rank) {
    std::size_t block = 0;
    for (std::size_t step = blocks_per_chunk / 2; step > 0; step /= 2) {
        const std::uint64_t count = chunk.tree[block + step].load(relaxed);
        if (rank < count) continue;
        rank -= count;
        block += step;
    }
    for (std::size_t i = block * words_per_block; i < chunk.words.size(); ++i) {
        const std::uint64_t word = chunk.words[i].load(relaxed);
        const auto count = static_cast<std::uint64_t>(std::popcount(word));
        if (rank < count) return i * 64 + select_in_word(word, rank);
        rank -= count;
    }
    return std::nullopt;
}

} // namespace anteroom
