// KeyIndex: which number does this visitor hold? A hash table that stores 32 bits per visitor.
//
// The keys themselves lie in the records, which are found by number; the table holds only the low
// 32 bits of the numbers (about 6 bytes per visitor at the usual load, against 33 for a map that
// stores 16-byte keys). It is cut into 256 shards that grow and shrink one at a time, so that no
// join waits for all of them to be rehashed.
//
// Threads: one writer; find() may run beside it. Each shard has a version that is odd while the
// writer is inside; a reader that saw it change looks again.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/check.h"
#include "engine/retired.h"
#include "engine/visitor.h"

namespace anteroom {

// Keys: has `const VisitorKey* key_of(Number) const`, null when there is no record.
template <class Keys>
class KeyIndex {
  public:
    KeyIndex(const Keys& keys, Retired& retired) : keys_(keys), retired_(retired) {}
    KeyIndex(const KeyIndex&) = delete;
    KeyIndex& operator=(const KeyIndex&) = delete;
    ~KeyIndex() { clear(); }

    // The number that `key` was inserted with, or 0. Reader-safe.
    // `newest` is the highest number issued: with it the low 32 bits become a whole number again.
    Number find(const VisitorKey& key, Number newest) const {
        const Shards* shards = shards_.load(std::memory_order_acquire);
        if (!shards) return 0;
        const Shard& shard = (*shards)[shard_of(key)];
        for (;;) {
            const std::uint32_t before = shard.version.load(std::memory_order_acquire);
            const Number found = before % 2 == 0 ? search(shard, key, newest) : 0;
            if (before % 2 == 0 && shard.version.load(std::memory_order_relaxed) == before)
                return found;
        }
    }

    // Writer. REQUIRES: not in the index, key_of(number) == key, and the number is the newest.
    void insert(const VisitorKey& key, Number number) {
        Shard& shard = shards()[shard_of(key)];
        Table* table = shard.table.load(std::memory_order_relaxed);
        // Outside of the version: the old table and the new one give the same answers, so that
        // nobody has to wait for the copy.
        if (!table) table = &resize(shard, table_size_min, number);
        if ((shard.used + 1) * 4 > table->size() * 3)
            table = &resize(shard, table->size() * 2, number);
        Writing writing(shard);
        place(*table, key, number);
        ++shard.used;
    }

    // Writer. REQUIRES: in the index with this number.
    void erase(const VisitorKey& key, Number number, Number newest) {
        Shard& shard = shards()[shard_of(key)];
        Table& table = *shard.table.load(std::memory_order_relaxed);
        {
            Writing writing(shard);
            std::uint64_t hole = home(key, table);
            while (table.load(hole) != static_cast<std::uint32_t>(number)) {
                CHECK(table.load(hole) != 0);
                hole = (hole + 1) & table.mask;
            }
            close_hole(table, hole, newest);
            --shard.used;
        }
        // Of a crowd that has gone only the tables would stay.
        if (shard.used * 8 < table.size() && table.size() > table_size_min)
            resize(shard, std::max(table_size_min, table.size() / 4), newest);
    }

    // Writer.
    void clear() {
        Shards* shards = shards_.exchange(nullptr, std::memory_order_acq_rel);
        if (!shards) return;
        for (Shard& shard : *shards)
            if (Table* table = shard.table.load(std::memory_order_relaxed))
                retired_.add(std::unique_ptr<Table>(table));
        retired_.add(std::unique_ptr<Shards>(shards));
    }

  private:
    struct Table {
        explicit Table(std::uint64_t size)
            : mask(size - 1), slots(new std::atomic<std::uint32_t>[size]) {
            for (std::uint64_t i = 0; i < size; ++i) slots[i].store(0, std::memory_order_relaxed);
        }
        std::uint64_t size() const { return mask + 1; }
        std::uint32_t load(std::uint64_t i) const {
            return slots[i].load(std::memory_order_acquire);
        }
        void store(std::uint64_t i, std::uint32_t value) {
            slots[i].store(value, std::memory_order_release);
        }
        const std::uint64_t mask;
        const std::unique_ptr<std::atomic<std::uint32_t>[]> slots; // 0 is an empty slot.
    };
    struct Shard {
        std::atomic<std::uint32_t> version{0};
        std::atomic<Table*> table{nullptr};
        std::uint64_t used = 0;
    };
    static constexpr std::size_t shard_count = 256;
    static constexpr std::uint64_t table_size_min = 8;
    using Shards = std::array<Shard, shard_count>;

    class Writing {
      public:
        explicit Writing(Shard& shard) : shard_(shard) { bump(); }
        ~Writing() { bump(); }
        Writing(const Writing&) = delete;
        Writing& operator=(const Writing&) = delete;

      private:
        void bump() {
            shard_.version.store(shard_.version.load(std::memory_order_relaxed) + 1,
                                 std::memory_order_release);
        }
        Shard& shard_;
    };

    static std::size_t shard_of(const VisitorKey& key) { return key.high >> 56; }
    static std::uint64_t home(const VisitorKey& key, const Table& table) {
        return key.low & table.mask;
    }
    static Number whole(std::uint32_t low, Number newest) {
        return newest - static_cast<std::uint32_t>(static_cast<std::uint32_t>(newest) - low);
    }

    Shards& shards() {
        if (Shards* there = shards_.load(std::memory_order_relaxed)) return *there;
        shards_.store(new Shards, std::memory_order_release);
        return *shards_.load(std::memory_order_relaxed);
    }

    Number search(const Shard& shard, const VisitorKey& key, Number newest) const {
        const Table* table = shard.table.load(std::memory_order_acquire);
        if (!table) return 0;
        std::uint64_t i = home(key, *table);
        // Beside a writer the table may look full for a moment: never go round twice.
        for (std::uint64_t left = table->size(); left > 0; --left, i = (i + 1) & table->mask) {
            const std::uint32_t low = table->load(i);
            if (low == 0) return 0;
            const Number number = whole(low, newest);
            const VisitorKey* found = keys_.key_of(number);
            if (found && *found == key) return number;
        }
        return 0;
    }

    void place(Table& table, const VisitorKey& key, Number number) {
        std::uint64_t i = home(key, table);
        while (table.load(i) != 0) i = (i + 1) & table.mask;
        table.store(i, static_cast<std::uint32_t>(number));
    }

    Table& resize(Shard& shard, std::uint64_t size, Number newest) {
        Table* old = shard.table.load(std::memory_order_relaxed);
        auto fresh = std::make_unique<Table>(size);
        for (std::uint64_t i = 0; old && i < old->size(); ++i) {
            if (old->load(i) == 0) continue;
            const Number number = whole(old->load(i), newest);
            place(*fresh, *keys_.key_of(number), number);
        }
        shard.table.store(fresh.get(), std::memory_order_release);
        if (old) retired_.add(std::unique_ptr<Table>(old));
        return *fresh.release();
    }

    // Linear probing without tombstones: what stands behind the hole and may move forward, moves.
    void close_hole(Table& table, std::uint64_t hole, Number newest) {
        for (std::uint64_t i = (hole + 1) & table.mask; table.load(i) != 0;
             i = (i + 1) & table.mask) {
            const VisitorKey* key = keys_.key_of(whole(table.load(i), newest));
            CHECK(key);
            const std::uint64_t distance_home = (i - home(*key, table)) & table.mask;
            const std::uint64_t distance_hole = (i - hole) & table.mask;
            if (distance_home < distance_hole) continue;
            table.store(hole, table.load(i));
            hole = i;
        }
        table.store(hole, 0);
    }

    const Keys& keys_;
    Retired& retired_;
    std::atomic<Shards*> shards_{nullptr};
};

} // namespace anteroom
