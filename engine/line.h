// Line: an ordered set of numbers with order statistics, the one structure behind every line.
//
// Numbers mostly grow and mostly leave at the front, so the set is a bitmap over a sliding window:
// chunks of 32 768 numbers, in each a Fenwick tree over blocks of 512 bits (one cache line), above
// them a Fenwick tree over chunks. rank, select and erase touch about a dozen words whatever the
// size; a full line costs 1.02 bits per number, and memory behind the front is given back.
//
// Threads: one writer (insert, erase). Readers (size, contains, rank, select, front) may run at the
// same time, without a lock: a prefix query meets exactly one of the counters that an update
// changes, so it counts each concurrent update either wholly or not at all.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/retired.h"
#include "engine/window.h"

namespace anteroom {

class Line {
  public:
    static constexpr std::uint64_t number_max = (std::uint64_t{1} << 48) - 1;

    explicit Line(Retired& retired) : retired_(retired), chunks_(retired) {}
    ~Line() { delete sums_.load(std::memory_order_relaxed); }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    // REQUIRES: number <= number_max and not in the line.
    void insert(std::uint64_t number);
    // REQUIRES: number is in the line.
    void erase(std::uint64_t number);
    // REQUIRES: not empty.
    std::uint64_t pop_front();

    std::uint64_t size() const { return size_.load(std::memory_order_acquire); }
    bool contains(std::uint64_t number) const;
    // How many numbers of the line are smaller.
    std::uint64_t rank(std::uint64_t number) const;
    // The number with `rank` smaller ones, if there are that many.
    std::optional<std::uint64_t> select(std::uint64_t rank) const;
    std::optional<std::uint64_t> front() const { return select(0); }
    // The smallest number of the line that is not smaller than `number`.
    std::optional<std::uint64_t> next(std::uint64_t number) const;

  private:
    static constexpr unsigned chunk_bits = 15;
    static constexpr unsigned block_bits = 9;
    static constexpr std::uint64_t chunk_size = std::uint64_t{1} << chunk_bits;
    static constexpr std::size_t blocks_per_chunk = std::size_t{1} << (chunk_bits - block_bits);
    static constexpr std::size_t words_per_block = (std::size_t{1} << block_bits) / 64;

    struct Chunk {
        std::array<std::atomic<std::uint64_t>, chunk_size / 64> words{};
        std::array<std::atomic<std::uint16_t>, blocks_per_chunk + 1> tree{};
        std::atomic<std::uint32_t> count{0};
    };

    // The Fenwick tree over chunks, for chunk indexes [first, first + size).
    struct Sums {
        Sums(std::uint64_t from, std::uint64_t count);
        std::uint64_t before(std::uint64_t chunk) const;
        void add(std::uint64_t chunk, std::int64_t change);

        const std::uint64_t first;
        const std::uint64_t size; // A power of two.
        const std::unique_ptr<std::atomic<std::uint64_t>[]> tree;
    };

    Sums& cover(std::uint64_t chunk);
    void change(Chunk& chunk, std::uint64_t number, bool present);
    void drop_if_empty(std::uint64_t chunk_index);
    static std::uint64_t rank_in_chunk(const Chunk& chunk, std::uint64_t offset);
    // Takes from `rank` what it has passed: when nothing is found, everything in the chunk.
    static std::optional<std::uint64_t> select_in_chunk(const Chunk& chunk, std::uint64_t& rank);
    static std::optional<std::uint64_t> next_in_chunk(const Chunk& chunk, std::uint64_t offset);

    Retired& retired_;
    Window<Chunk> chunks_;
    std::atomic<Sums*> sums_{nullptr};
    std::atomic<std::uint64_t> size_{0};
    std::uint64_t last_chunk_ =
        0; // The highest chunk ever used is kept: the next number goes there.
};

} // namespace anteroom
