// Window: a sparse array of chunks over a range of indexes that slides upwards as a room lives.
//
// One writer adds and drops chunks; any number of readers call at() meanwhile. Readers see either
// the old or the new directory, both complete; dropped chunks and replaced directories go to
// Retired. Cost: 8 bytes for every index between the lowest and the highest chunk that exists.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "engine/retired.h"

namespace anteroom {

template <class Chunk>
class Window {
  public:
    explicit Window(Retired& retired) : retired_(retired) {}
    ~Window() {
        Directory* directory = directory_.load(std::memory_order_relaxed);
        for (std::uint64_t i = 0; directory && i < directory->size; ++i) delete directory->load(i);
        delete directory;
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    // Reader-safe. Null when there is no chunk.
    Chunk* at(std::uint64_t index) const {
        const Directory* directory = directory_.load(std::memory_order_acquire);
        if (!directory || index - directory->first >= directory->size) return nullptr;
        return directory->load(index - directory->first);
    }

    // Writer. The chunk at `index`, made empty if it was not there.
    Chunk& ensure(std::uint64_t index) {
        if (Chunk* found = at(index)) return *found;
        Directory& directory = cover(index);
        auto chunk = std::make_unique<Chunk>();
        directory.chunks[index - directory.first].store(chunk.get(), std::memory_order_release);
        return *chunk.release();
    }

    // Writer. REQUIRES: the chunk exists.
    void drop(std::uint64_t index) {
        Directory* directory = directory_.load(std::memory_order_relaxed);
        CHECK(directory && index - directory->first < directory->size);
        auto& slot = directory->chunks[index - directory->first];
        Chunk* chunk = slot.load(std::memory_order_relaxed);
        CHECK(chunk);
        slot.store(nullptr, std::memory_order_release);
        retired_.add(std::unique_ptr<Chunk>(chunk));
    }

    // Writer. The indexes that may hold a chunk: [first, last).
    std::uint64_t first() const {
        const Directory* directory = directory_.load(std::memory_order_relaxed);
        return directory ? directory->first : 0;
    }
    std::uint64_t last() const {
        const Directory* directory = directory_.load(std::memory_order_relaxed);
        return directory ? directory->first + directory->size : 0;
    }

    // Reader-safe. first() and last() of one directory.
    std::pair<std::uint64_t, std::uint64_t> range() const {
        const Directory* directory = directory_.load(std::memory_order_acquire);
        if (!directory) return {0, 0};
        return {directory->first, directory->first + directory->size};
    }

    template <class Visit>
    void for_each(Visit visit) const {
        for (std::uint64_t index = first(); index < last(); ++index)
            if (Chunk* chunk = at(index)) visit(index, *chunk);
    }

  private:
    struct Directory {
        Directory(std::uint64_t from, std::uint64_t count)
            : first(from), size(count), chunks(new std::atomic<Chunk*>[count]) {
            for (std::uint64_t i = 0; i < count; ++i)
                chunks[i].store(nullptr, std::memory_order_relaxed);
        }
        Chunk* load(std::uint64_t i) const { return chunks[i].load(std::memory_order_acquire); }

        const std::uint64_t first;
        const std::uint64_t size;
        const std::unique_ptr<std::atomic<Chunk*>[]> chunks;
    };

    // A directory that covers `index`: the one there is, or a new one around the chunks that exist,
    // with as much room on the side where it grows as they take, so that it is copied rarely.
    Directory& cover(std::uint64_t index) {
        Directory* old = directory_.load(std::memory_order_relaxed);
        if (old && index - old->first < old->size) return *old;

        std::uint64_t low = index;
        std::uint64_t high = index;
        for_each([&](std::uint64_t i, Chunk&) {
            low = std::min(low, i);
            high = std::max(high, i);
        });
        const std::uint64_t size = std::bit_ceil(2 * (high - low + 1));
        const bool grows_down = index < high;
        const std::uint64_t first = !grows_down ? low : high < size ? 0 : high + 1 - size;
        auto fresh = std::make_unique<Directory>(first, size);
        for_each([&](std::uint64_t i, Chunk& chunk) {
            fresh->chunks[i - first].store(&chunk, std::memory_order_relaxed);
        });
        directory_.store(fresh.get(), std::memory_order_release);
        if (old) retired_.add(std::unique_ptr<Directory>(old));
        return *fresh.release();
    }

    Retired& retired_;
    std::atomic<Directory*> directory_{nullptr};
};

} // namespace anteroom
