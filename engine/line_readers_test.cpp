// Readers of a line beside the one writer: what a poll may see while places come and go under it.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/test_readers.h"
#include "engine/line.h"

namespace anteroom {
namespace {

using testing::below;
using testing::Random;
using Readers = testing::Readers<Retired>;

TEST(LineReaders, RankOnlyFallsWhileNumbersAreErased) {
    constexpr std::uint64_t numbers = 150'000;
    constexpr std::uint64_t stride = 1'000; // Every thousandth number stays.
    constexpr std::uint64_t stays = numbers / stride;
    Retired retired;
    Line line(retired);
    for (std::uint64_t number = 0; number < numbers; ++number) line.insert(number);

    Readers readers([&]() -> Readers::Turn {
        std::vector<std::uint64_t> last(stays);
        for (std::uint64_t i = 0; i < stays; ++i) last[i] = i * stride;
        return [&, last](Random& random) mutable {
            const std::uint64_t i = below(random, stays);
            ASSERT_TRUE(line.contains(i * stride));
            const std::uint64_t rank = line.rank(i * stride);
            ASSERT_LE(rank, last[i]) << "it grew";
            ASSERT_GE(rank, i) << "more are gone than will ever go";
            last[i] = rank;

            // Who has rank i moves back from number i to number i * stride, and is never missing.
            const std::optional<std::uint64_t> found = line.select(i);
            ASSERT_TRUE(found) << "of rank " << i;
            ASSERT_GE(*found, i);
            ASSERT_LE(*found, i * stride);
            const std::optional<std::uint64_t> next = line.next(i * stride);
            ASSERT_EQ(next, i * stride);
        };
    });
    std::vector<std::uint64_t> order;
    for (std::uint64_t number = 0; number < numbers; ++number)
        if (number % stride != 0) order.push_back(number);
    std::shuffle(order.begin(), order.end(), Random(7));
    for (const std::uint64_t number : order) {
        line.erase(number);
        readers.retire(retired.take());
    }
    readers.finish();
    EXPECT_EQ(line.size(), stays);
    for (std::uint64_t i = 0; i < stays; ++i) EXPECT_EQ(line.rank(i * stride), i);
}

TEST(LineReaders, NextNeverGoesBackWhileNumbersComeAndGoBelow) {
    constexpr std::uint64_t middle = 100'000;
    Retired retired;
    Line line(retired);
    for (std::uint64_t number = middle; number < 2 * middle; number += 3) line.insert(number);

    Readers readers([&]() -> Readers::Turn {
        return [&](Random& random) {
            const std::uint64_t from = middle + below(random, middle - 3);
            const std::uint64_t expected = from + (3 - (from - middle) % 3) % 3;
            ASSERT_EQ(line.next(from), expected);
        };
    });
    Random random(11);
    std::vector<bool> present(middle);
    for (int operation = 0; operation < 100'000; ++operation) {
        const std::uint64_t number = below(random, middle);
        present[number] ? line.erase(number) : line.insert(number);
        present[number] = !present[number];
        readers.retire(retired.take());
    }
    readers.finish();
}

TEST(LineReaders, AWindowThatMovesIsReadAsOneLine) {
    constexpr std::uint64_t waiting = 50'000;
    Retired retired;
    Line line(retired);
    for (std::uint64_t number = 0; number < waiting; ++number) line.insert(number);

    Readers readers([&]() -> Readers::Turn {
        return [&, front = std::uint64_t{0}](Random& random) mutable {
            const std::optional<std::uint64_t> head = line.front();
            ASSERT_TRUE(head);
            ASSERT_GE(*head, front) << "the front went back";
            front = *head;
            // One in, one out: the size is the number of the waiting, or one more.
            const std::uint64_t size = line.size();
            ASSERT_TRUE(size == waiting || size == waiting + 1) << size;
            ASSERT_LE(line.rank(front), waiting + 1);
            ASSERT_TRUE(line.select(below(random, waiting)));
        };
    });
    std::size_t unlinked = 0;
    for (std::uint64_t number = waiting; number < 12 * waiting; ++number) {
        line.insert(number);
        ASSERT_EQ(line.pop_front(), number - waiting);
        unlinked += readers.retire(retired.take());
    }
    readers.finish();
    EXPECT_GE(unlinked, 11 * waiting / 32'768) << "chunks behind the front are given back";
}

TEST(LineReaders, AWindowThatMovesDownwardsIsReadAsOneLine) {
    constexpr std::uint64_t step = 40'000; // No two in one chunk.
    constexpr std::uint64_t steps = 2'000, waiting = 100;
    Retired retired;
    Line line(retired);
    for (std::uint64_t i = steps - waiting; i <= steps; ++i) line.insert(i * step);

    // The last one stays, so that whoever looks upwards finds somebody.
    Readers readers([&]() -> Readers::Turn {
        return [&](Random& random) {
            ASSERT_EQ(line.next(steps * step), steps * step);
            ASSERT_EQ(line.next(steps * step + 1), std::nullopt);
            ASSERT_TRUE(line.next(0));
            ASSERT_TRUE(line.front());
            (void)line.next(below(random, steps) * step); // Comes to an end, whatever it finds.
            const std::uint64_t size = line.size();
            ASSERT_TRUE(size >= waiting && size <= waiting + 2) << size;
        };
    });
    for (int round = 0; round < 10; ++round) {
        for (std::uint64_t i = steps - waiting; i-- > 0;) {
            line.insert(i * step);
            line.erase((i + waiting) * step);
            readers.retire(retired.take());
        }
        for (std::uint64_t i = 0; i < waiting; ++i) { // Up again.
            line.insert((steps - waiting + i) * step);
            line.erase(i * step);
            readers.retire(retired.take());
        }
    }
    readers.finish();
}

} // namespace
} // namespace anteroom
