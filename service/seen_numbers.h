// SeenNumbers: the visitors whose signs of life the writer of the room has not been told yet. One
// bit per number.
//
// A process that answers polls from a copy of a room sends these numbers to the writer about once a
// second. Noting is wait-free and any thread's; collecting is one thread's.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/visitor.h"

namespace anteroom {

class SeenNumbers {
  public:
    SeenNumbers() = default;
    SeenNumbers(const SeenNumbers&) = delete;
    SeenNumbers& operator=(const SeenNumbers&) = delete;
    ~SeenNumbers() {
        for (std::atomic<Page*>& page : pages_) delete page.load(std::memory_order_relaxed);
    }

    void note(Number number) {
        const std::size_t index = (number / page_bits) % pages_.size();
        Page* page = pages_[index].load(std::memory_order_acquire);
        if (!page) page = make(index);
        const std::uint64_t bit = std::uint64_t{1} << number % 64;
        std::atomic<std::uint64_t>& word = page->words[number % page_bits / 64];
        if (!(word.load(std::memory_order_relaxed) & bit))
            word.fetch_or(bit, std::memory_order_relaxed);
    }

    // The numbers noted since the last time, in order; `issued` is the highest there can be.
    std::vector<Number> take(Number issued) {
        std::vector<Number> numbers;
        for (std::size_t index = 0; index < pages_.size(); ++index) {
            Page* page = pages_[index].load(std::memory_order_acquire);
            if (!page) continue;
            for (std::size_t i = 0; i < page->words.size(); ++i) {
                std::atomic<std::uint64_t>& word = page->words[i];
                if (word.load(std::memory_order_relaxed) == 0) continue;
                std::uint64_t bits = word.exchange(0, std::memory_order_relaxed);
                for (; bits; bits &= bits - 1)
                    numbers.push_back(newest(
                        index * page_bits + i * 64 + static_cast<unsigned>(std::countr_zero(bits)),
                        issued));
            }
        }
        return numbers;
    }

  private:
    static constexpr std::size_t page_bits = std::size_t{1} << 18;
    static constexpr std::size_t pages = 1'024; // 268 million numbers; then from the beginning.
    struct Page {
        std::array<std::atomic<std::uint64_t>, page_bits / 64> words{};
    };

    // The highest number up to `issued` that has this place in the bitmap.
    static Number newest(Number place, Number issued) {
        constexpr Number round = page_bits * pages;
        return issued < place ? place : place + (issued - place) / round * round;
    }

    Page* make(std::size_t index) {
        auto fresh = std::make_unique<Page>();
        Page* there = nullptr;
        if (pages_[index].compare_exchange_strong(there, fresh.get(), std::memory_order_acq_rel))
            return fresh.release();
        return there;
    }

    std::array<std::atomic<Page*>, pages> pages_{};
};

} // namespace anteroom
