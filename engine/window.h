// Window: a sparse array of chunks over a range of indexes that slides upwards as a room lives.
//
// One writer adds and drops chunks; any number of readers call at() and next() meanwhile. Readers
// see either the old or the new directory, both complete; dropped chunks, empty pages and replaced
// directories go to Retired. Cost: 8 bytes for every page of 64 indexes between the lowest and the
// highest chunk that exists, and 512 for every page that has a chunk.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
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
        for_each([](std::uint64_t, Chunk& chunk) { delete &chunk; });
        const std::unique_ptr<Directory> directory(directory_.load(std::memory_order_relaxed));
        for (std::uint64_t i = 0; directory && i < directory->size; ++i) delete directory->load(i);
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    // Reader-safe. Null when there is no chunk.
    Chunk* at(std::uint64_t index) const {
        const Directory* directory = directory_.load(std::memory_order_acquire);
        const Page* page = directory ? directory->page_of(index) : nullptr;
        return page ? page->load(index) : nullptr;
    }

    // Reader-safe. The first index from this one on that has a chunk, or `none`.
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t next(std::uint64_t index) const {
        const Directory* directory = directory_.load(std::memory_order_acquire);
        if (!directory) return none;
        index = std::max(index, directory->begin());
        while (index < directory->end()) {
            const Page* page = directory->page_of(index);
            if (page && page->load(index)) return index;
            index = page ? index + 1 : (index / page_size + 1) * page_size;
        }
        return none;
    }

    // Writer. The chunk at `index`, made empty if it was not there.
    Chunk& ensure(std::uint64_t index) {
        if (Chunk* found = at(index)) return *found;
        Page& page = cover(index).ensure(index);
        auto chunk = std::make_unique<Chunk>();
        ++page.used;
        page.slot(index).store(chunk.get(), std::memory_order_release);
        return *chunk.release();
    }

    // Writer. REQUIRES: the chunk exists.
    void drop(std::uint64_t index) {
        Directory* directory = directory_.load(std::memory_order_relaxed);
        Page* page = directory ? directory->page_of(index) : nullptr;
        CHECK(page);
        Chunk* chunk = page->slot(index).exchange(nullptr, std::memory_order_acq_rel);
        CHECK(chunk);
        retired_.add(std::unique_ptr<Chunk>(chunk));
        if (--page->used > 0) return;
        directory->slot(index).store(nullptr, std::memory_order_release);
        retired_.add(std::unique_ptr<Page>(page));
    }

    // Reader-safe. The indexes that may hold a chunk: [first, second). A power of two of them.
    std::pair<std::uint64_t, std::uint64_t> range() const {
        const Directory* directory = directory_.load(std::memory_order_acquire);
        if (!directory) return {0, 0};
        return {directory->begin(), directory->end()};
    }

    // Writer. `visit` may drop the chunk.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::uint64_t index = next(0); index != none; index = next(index + 1))
            visit(index, *at(index));
    }

  private:
    static constexpr std::uint64_t page_size = 64;

    struct Page {
        std::atomic<Chunk*>& slot(std::uint64_t index) { return chunks[index % page_size]; }
        Chunk* load(std::uint64_t index) const {
            return chunks[index % page_size].load(std::memory_order_acquire);
        }
        std::array<std::atomic<Chunk*>, page_size> chunks{};
        std::size_t used = 0; // The writer's.
    };

    struct Directory {
        Directory(std::uint64_t from, std::uint64_t count)
            : first(from), size(count), pages(new std::atomic<Page*>[count]()) {}

        std::uint64_t begin() const { return first * page_size; }
        std::uint64_t end() const { return (first + size) * page_size; }
        bool covers(std::uint64_t index) const { return index / page_size - first < size; }
        Page* load(std::uint64_t i) const { return pages[i].load(std::memory_order_acquire); }
        Page* page_of(std::uint64_t index) const {
            return covers(index) ? load(index / page_size - first) : nullptr;
        }
        std::atomic<Page*>& slot(std::uint64_t index) { return pages[index / page_size - first]; }
        Page& ensure(std::uint64_t index) {
            if (Page* page = page_of(index)) return *page;
            auto page = std::make_unique<Page>();
            slot(index).store(page.get(), std::memory_order_release);
            return *page.release();
        }

        const std::uint64_t first; // In pages, as is the size.
        const std::uint64_t size;
        const std::unique_ptr<std::atomic<Page*>[]> pages;
    };

    // A directory that covers `index`: the one there is, or a new one around the pages that exist,
    // with as much room on the side where it grows as they take, so that it is copied rarely.
    Directory& cover(std::uint64_t index) {
        Directory* old = directory_.load(std::memory_order_relaxed);
        if (old && old->covers(index)) return *old;

        std::uint64_t low = index / page_size;
        std::uint64_t high = low;
        const auto for_each_page = [&](auto visit) {
            for (std::uint64_t i = 0; old && i < old->size; ++i)
                if (Page* page = old->load(i)) visit(old->first + i, page);
        };
        for_each_page([&](std::uint64_t i, Page*) {
            low = std::min(low, i);
            high = std::max(high, i);
        });
        const std::uint64_t size = std::bit_ceil(2 * (high - low + 1));
        const bool grows_down = index / page_size < high;
        const std::uint64_t first = !grows_down ? low : high < size ? 0 : high + 1 - size;
        auto fresh = std::make_unique<Directory>(first, size);
        for_each_page([&](std::uint64_t i, Page* page) {
            fresh->pages[i - first].store(page, std::memory_order_relaxed);
        });
        directory_.store(fresh.get(), std::memory_order_release);
        if (old) retired_.add(std::unique_ptr<Directory>(old));
        return *fresh.release();
    }

    Retired& retired_;
    std::atomic<Directory*> directory_{nullptr};
};

} // namespace anteroom
