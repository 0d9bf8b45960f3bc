// OuterLine: tier 1. Numbers from 1, released by a counter; who holds a number up to `serving` may
// go on.
//
// Every activation starts a new generation of numbers; numbers of an older one are unknown. Each
// number remembers the visitor who took it and the first user who went on with it. Order is global:
// an order of an older generation is smaller than any of a newer one, and never used twice.
//
// Threads: one writer; what is marked reader-safe may run beside it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"
#include "engine/command.h"
#include "engine/key_index.h"
#include "engine/outcome.h"
#include "engine/retired.h"
#include "engine/window.h"

namespace anteroom {

class ByteReader;

class OuterLine {
  public:
    explicit OuterLine(Retired& retired) : places_(retired), index_(*this, retired) {}

    bool active() const { return active_.load(std::memory_order_acquire); }
    std::uint32_t generation() const { return generation_.load(std::memory_order_acquire); }
    Number issued() const { return issued_.load(std::memory_order_acquire); }
    Number serving() const { return serving_.load(std::memory_order_acquire); }
    Number forgotten() const { return forgotten_.load(std::memory_order_acquire); }

    // Reader-safe. All of one generation.
    struct Counters {
        std::uint32_t generation = 0;
        bool active = false;
        Number forgotten = 0;
        Number serving = 0; // At most `issued`.
        Number issued = 0;
    };
    Counters counters() const;
    // Reader-safe. The place in the line; nothing when it is unknown.
    std::optional<OuterStanding> standing(OuterPlace place) const;
    // Reader-safe. Who took the number; null when it is unknown.
    const VisitorKey* visitor_of(Number number) const;
    // Reader-safe. The number that the visitor holds in this generation, or 0.
    Number find(const VisitorKey& visitor) const;
    // Reader-safe. The place of this generation that has this order; nothing when it is of an older
    // one, or forgotten.
    std::optional<OuterPlace> place_of(std::uint64_t order) const;
    // Reader-safe, soft state. When the holder of the number was first given a pass; if never
    // before, it is now. A whole number of seconds after the number was taken.
    // REQUIRES: the number is known.
    Instant first_pass(Number number, Instant now) const;

    // Writer. REQUIRES of all: the number is known.
    std::uint64_t order_of(Number number) const { return base() + number; }
    bool is_bound_to_other(Number number, const VisitorKey& user) const;
    bool is_spent(Number number) const; // Its order has brought somebody in already.
    void bind(Number number, const VisitorKey& user);

    // Writer.
    Number next_number() const;
    // False when the numbers reach back as far as they may; see spans.
    bool has_room() const;
    void take(Number number, const VisitorKey& visitor, Instant now);
    void advance(Number serving, Instant now);
    void forget(Number through);
    void activate(std::uint32_t generation, Instant now);
    void deactivate() { active_.store(false, std::memory_order_release); }
    // The holder of this order was called. Orders of older generations are none of our business.
    void spend(std::uint64_t order);

    Instant advanced() const { return advanced_; }
    // When the oldest known place was taken; nothing when there is none.
    std::optional<Instant> oldest_taken() const;
    // The last number that was taken before or at `before`, or forgotten().
    Number taken_through(Instant before) const;

    const VisitorKey* key_of(Number number) const { return visitor_of(number); }

    // Writer. The number of this generation with this order; 0: of an older one.
    Number number_of(std::uint64_t order) const { return order > base() ? order - base() : 0; }
    // Writer. Some number had this order once.
    bool was_ordered(std::uint64_t order) const { return order > 0 && order <= newest_order(); }
    std::uint64_t newest_order() const { return base() + issued(); }
    // Orders in use at the same time lie at most this far apart: what is kept by order takes memory
    // for the orders between, too.
    static bool spans(std::uint64_t oldest, std::uint64_t newest) {
        return newest - oldest < span_max;
    }

    // Writer. For snapshots: the chunks that may hold places, [first, last), and their content.
    static std::uint64_t chunk_of(Number number) { return number >> chunk_bits; }
    std::pair<std::uint64_t, std::uint64_t> chunks() const {
        return {places_.next(0), chunk_of(issued()) + 1};
    }
    // False: there is no such chunk.
    bool write_chunk(std::uint64_t chunk, std::string& out) const;
    void write_head(std::string& out) const;
    // Writer. All return false when it cannot be.
    [[nodiscard]] bool restore_head(ByteReader& in);
    [[nodiscard]] bool restore_chunk(std::uint64_t chunk, ByteReader& in);
    [[nodiscard]] bool finish_restore();

    template <class Mix>
    void digest(Mix mix) const;

  private:
    static constexpr unsigned chunk_bits = 8;
    static constexpr std::size_t chunk_size = std::size_t{1} << chunk_bits;
    static constexpr std::uint64_t span_max = std::uint64_t{1} << 30; // A billion people.
    struct Taken {
        VisitorKey visitor;
        VisitorKey user;
        Instant at;
        bool bound = false;
        bool spent = false;
        // Seconds from `at` to the first pass, plus one. 0: none was given.
        mutable std::atomic<std::uint32_t> first_pass{0};
    };
    struct Chunk {
        std::array<Taken, chunk_size> places;
    };
    Taken* place(Number number) const;
    std::uint64_t base() const { return base_.load(std::memory_order_acquire); }
    bool is_known(Number number) const { return number > forgotten() && number <= issued(); }

    Window<Chunk> places_;
    KeyIndex<OuterLine> index_;
    std::atomic<bool> active_{false};
    std::atomic<std::uint32_t> generation_{0};
    std::atomic<Number> issued_{0};
    std::atomic<Number> serving_{0};
    std::atomic<Number> forgotten_{0};
    std::atomic<std::uint32_t> version_{0}; // Odd while a new generation begins.
    std::atomic<std::uint64_t> base_{0};    // How many numbers all older generations issued.
    Instant advanced_;                      // When serving last moved, or the activation.
};

template <class Mix>
void OuterLine::digest(Mix mix) const {
    mix(std::uint64_t{active()});
    mix(std::uint64_t{generation()});
    mix(issued());
    mix(serving());
    mix(forgotten());
    mix(base());
    mix(static_cast<std::uint64_t>(advanced_.ms));
    for (Number number = forgotten() + 1; number <= issued(); ++number) {
        const Taken* taken = place(number);
        if (!taken) continue;
        mix(taken->visitor.high);
        mix(taken->visitor.low);
        mix(taken->user.high);
        mix(taken->user.low);
        mix(static_cast<std::uint64_t>(taken->at.ms));
        mix(std::uint64_t{taken->bound} * 2 + std::uint64_t{taken->spent});
    }
}

} // namespace anteroom
