// Roll: everybody who has a number in the room, found by number or by visitor key.
//
// Records lie in chunks of 256, indexed by number: 48 bytes each. When everybody of a chunk has
// ended, the chunk shrinks to a tomb of 2 bits per number, which still tells what became of them
// until the room forgets it.
//
// Threads: one writer; find, look and touch may run beside it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/byte_stream.h"
#include "base/time.h"
#include "engine/key_index.h"
#include "engine/planted.h"
#include "engine/retired.h"
#include "engine/seen.h"
#include "engine/visitor.h"
#include "engine/window.h"

namespace anteroom {

// Where and how a visitor stands: one word, so that a reader never sees half of a change.
struct Place {
    VisitorState state = VisitorState::unknown;
    std::uint8_t line = 0;   // Index of the line; see room.h.
    std::uint64_t order = 0; // At most Line::number_max.
    std::uint8_t missed = 0; // Calls that were not claimed, at most 3.
    bool redeemed = false;

    // Who missed a call stands before everybody who has not been called yet. Nobody's `ahead`
    // counts them: it would grow when they come back to the line.
    bool counts_as_ahead() const { return missed == 0; }

    std::uint64_t pack() const {
        return order | std::uint64_t{line} << 48 | std::uint64_t{missed} << 53 |
               std::uint64_t{redeemed} << 55 | std::uint64_t(state) << 56;
    }
    static Place unpack(std::uint64_t word) {
        return {.state = static_cast<VisitorState>(word >> 56),
                .line = static_cast<std::uint8_t>(word >> 48 & 0x1f),
                .order = word & ((std::uint64_t{1} << 48) - 1),
                .missed = static_cast<std::uint8_t>(word >> 53 & 3),
                .redeemed = (word >> 55 & 1) != 0};
    }
};

class Record {
  public:
    VisitorKey visitor; // Written once, before the record can be found.
    Instant joined;

    Place place() const { return Place::unpack(place_.load(std::memory_order_acquire)); }
    Seen sign() const { return Seen::unpack(seen_.load(std::memory_order_relaxed)); }
    Instant seen() const { return sign().at; }
    // Since when: called or active, the start of the lease; leaving, the moment of leaving.
    Instant since() const { return Instant{since_.load(std::memory_order_relaxed)}; }

    void put(Place place) { place_.store(place.pack(), std::memory_order_release); }
    void start(Instant at) { since_.store(at.ms, std::memory_order_relaxed); }
    // Reader-safe: a sign of life; `told`: how soon the visitor is told to ask again, 0 as before.
    // The time only moves forward. False, and nothing changed: the doorman has passed them over.
    bool touch(Instant at, Millis told = Millis{0}) {
        return change([&](Seen& sign) {
            if (sign.passed_over) return false;
            sign.at = std::max(sign.at, at);
            if (told > Millis{0}) sign.told = told;
            return true;
        });
    }
    // Writer: the same, also of those who were passed over.
    void revive(Instant at, Millis told = Millis{0}) {
        change([&](Seen& sign) {
            sign.passed_over = sign.awaited = false;
            sign.at = std::max(sign.at, at);
            if (told > Millis{0}) sign.told = told;
            return true;
        });
    }
    // Writer. False: they have been seen meanwhile.
    bool pass_over(Seen found) {
        std::uint64_t expected = found.pack();
        found.passed_over = true;
        return seen_.compare_exchange_strong(expected, found.pack(), std::memory_order_relaxed);
    }
    // Reader-safe: whatever the doorman made of their absence, the next touch() is taken.
    void forgive() {
        change([](Seen& sign) {
            sign.passed_over = sign.awaited = false;
            return true;
        });
    }
    // Writer: a call was missed.
    void await() {
        change([](Seen& sign) { return sign.passed_over = sign.awaited = true; });
    }

  private:
    // Reader-safe. change(Seen&) says whether anything is to be changed; so does the result.
    template <class Change>
    bool change(Change change) {
        std::uint64_t word = seen_.load(std::memory_order_relaxed);
        for (;;) {
            Seen sign = Seen::unpack(word);
            if (!change(sign)) return false;
            const std::uint64_t fresh = sign.pack();
            if (fresh == word) return true;
            if (seen_.compare_exchange_weak(word, fresh, std::memory_order_relaxed)) return true;
        }
    }

    std::atomic<std::uint64_t> place_{0};
    std::atomic<std::uint64_t> seen_{Seen{}.pack()};
    std::atomic<std::int64_t> since_{0};
};

class Roll {
  public:
    explicit Roll(Retired& retired) : records_(retired), tombs_(retired), index_(*this, retired) {}

    Number issued() const { return issued_.load(std::memory_order_acquire); }
    Number next_number() const; // That the next visitor gets.
    // False when the records reach back as far as they may.
    bool has_room() const;

    // Writer. Everybody starts as waiting. REQUIRES: number == next_number(), visitor not live.
    Record& add(Number number, const VisitorKey& visitor, Place place, Instant now);
    // Writer. REQUIRES: the visitor is live and `state` is not.
    void end(Number number, VisitorState state, Instant now);
    // Writer. Forgets what became of numbers that ended before `before`, or very long ago.
    void forget(Instant before);

    // Reader-safe. The record while its chunk is in memory: always for the live.
    Record* record(Number number) const;
    // Reader-safe. Fetches the record into the cache, if there is one.
    void expect(Number number) const;
    // Reader-safe. Also for those whose record is gone.
    VisitorState state_of(Number number) const;
    // Reader-safe. The number of this visitor's live visit, or 0.
    Number find(const VisitorKey& visitor) const { return index_.find(visitor, issued()); }

    // Writer. Shows waiting visitors that were not seen since `before`, in order of numbers; chunks
    // where all have been seen later are skipped without a look at their records. True when all
    // were shown, false when enough was done for one time: the next call goes on there.
    enum class Look : std::uint8_t { stays, ended, enough };
    template <class Visit>
    bool for_each_silent(Instant before, Visit visit); // Look visit(Number, Record&)
    // Writer. Visits the live, in order of numbers.
    template <class Visit>
    void for_each_live(Visit visit) const;

    const VisitorKey* key_of(Number number) const;

    // Writer. For snapshots: the chunks that may hold records, [first, last), and their content.
    static std::uint64_t chunk_of(Number number) { return number >> chunk_bits; }
    std::pair<std::uint64_t, std::uint64_t> chunks() const {
        return {first_live_, chunk_of(issued()) + 1};
    }
    // False: there is no such chunk.
    bool write_chunk(std::uint64_t chunk, std::string& out) const;
    void write_head(std::string& out) const;
    template <class Visit>
    void for_each_tomb(Visit visit) const; // visit(chunk, content)
    // Writer. All return false when it cannot be.
    [[nodiscard]] bool restore_head(ByteReader& in);
    [[nodiscard]] bool restore_chunk(std::uint64_t chunk, ByteReader& in, Instant now);
    [[nodiscard]] bool restore_tomb(std::uint64_t chunk, ByteReader& in);
    // Visits the live, in order of numbers, while `visit` returns true.
    template <class Visit>
    [[nodiscard]] bool finish_restore(Visit visit);

#ifdef ANTEROOM_PLANTED_BUGS
    // Goes on after the highest number that is still live, as a careless recovery would.
    void plant_reissue();
#endif

  private:
    static constexpr unsigned chunk_bits = 8;
    static constexpr std::size_t chunk_size = std::size_t{1} << chunk_bits;
    // The live have numbers of the last billion: the window takes memory for those between, and
    // the index tells numbers apart by 32 bits.
    static constexpr std::uint64_t chunks_max = (std::uint64_t{1} << (30 - chunk_bits)) - 1;
    // What became of the ended is forgotten as far back, but a moment later.
    static constexpr std::uint64_t kept_max = 2 * chunks_max;

    struct Chunk {
        std::array<Record, chunk_size> records;
        std::uint32_t live = 0;
        Instant seen_min =
            instant_max; // No visitor in line in this chunk was last seen before this.
        Instant ended;   // The last end in this chunk.
    };
    struct Tomb {
        std::array<std::atomic<std::uint8_t>, chunk_size / 4> states{};
        Instant ended;
    };

    void bury(std::uint64_t chunk_index);
    void find_first_live();

    Window<Chunk> records_;
    Window<Tomb> tombs_;
    KeyIndex<Roll> index_;
    std::atomic<Number> issued_{0};
    std::uint64_t first_kept_ = 0;   // Chunks below are forgotten.
    std::uint64_t first_live_ = 0;   // Chunks below have no records.
    std::uint64_t shown_before_ = 0; // Where for_each_silent goes on.
};

template <class Visit>
bool Roll::for_each_silent(Instant before, Visit visit) {
    constexpr std::size_t scans_max = 4'096; // A million records: some milliseconds.
    std::size_t scans = 0;
    for (std::uint64_t index = records_.next(std::max(first_live_, shown_before_));
         index <= chunk_of(issued()); index = records_.next(index + 1)) {
        Chunk* chunk = records_.at(index);
        if (!chunk || chunk->live == 0 || chunk->seen_min > before) continue;
        shown_before_ = index;
        if (++scans > scans_max) return false;
        Instant seen_min = instant_max;
        for (std::size_t i = 0; i < chunk_size; ++i) {
            Record& record = chunk->records[i];
            const VisitorState state = record.place().state;
            // A visitor who missed a call is in line again, and may be called or swept.
            if (!is_in_line(state) && state != VisitorState::called) continue;
            if (planted(Bug::sweep_misses_returned) && state == VisitorState::leaving) continue;
            // A leaving visitor is not swept, but may come back, so the chunk must be looked at
            // then.
            const bool due = state == VisitorState::waiting && record.seen() <= before;
            const Look look = due ? visit((index << chunk_bits) + i, record) : Look::stays;
            if (look == Look::enough) return false;
            if (look == Look::stays) seen_min = std::min(seen_min, record.seen());
            if (records_.at(index) != chunk) break; // The last live one of the chunk is gone.
        }
        if (records_.at(index) == chunk) chunk->seen_min = seen_min;
    }
    shown_before_ = 0;
    return true;
}

template <class Visit>
void Roll::for_each_tomb(Visit visit) const {
    tombs_.for_each([&](std::uint64_t chunk, const Tomb& tomb) {
        std::string content;
        ByteWriter out(content);
        out.word(tomb.ended.ms);
        for (const auto& quad : tomb.states) out.byte(quad.load(std::memory_order_relaxed));
        visit(chunk, std::move(content));
    });
}

template <class Visit>
bool Roll::finish_restore(Visit visit) {
    bool fits = issued() == 0 || records_.at(chunk_of(issued())); // Never buried.
    records_.for_each([&](std::uint64_t chunk_index, Chunk& chunk) {
        for (std::size_t i = 0; fits && i < chunk_size; ++i) {
            Record& record = chunk.records[i];
            if (!is_live(record.place().state)) continue;
            const Number number = (chunk_index << chunk_bits) + i;
            fits = find(record.visitor) == 0 && visit(number, record);
            if (fits) index_.insert(record.visitor, number);
        }
    });
    find_first_live();
    return fits;
}

template <class Visit>
void Roll::for_each_live(Visit visit) const {
    records_.for_each([&](std::uint64_t index, Chunk& chunk) {
        for (std::size_t i = 0; i < chunk_size && chunk.live > 0; ++i)
            if (is_live(chunk.records[i].place().state))
                visit((index << chunk_bits) + i, chunk.records[i]);
    });
}

} // namespace anteroom
