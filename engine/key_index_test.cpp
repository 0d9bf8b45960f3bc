#include "engine/key_index.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/counted_memory_testing.h"

namespace anteroom {
namespace {

struct Keys {
    std::vector<VisitorKey> keys; // Of number i + 1.
    const VisitorKey* key_of(Number number) const {
        return number >= 1 && number <= keys.size() ? &keys[number - 1] : nullptr;
    }
};

Keys keys_of_crowd(std::uint64_t crowd) {
    Keys made;
    for (std::uint64_t i = 1; i <= crowd; ++i)
        made.keys.push_back({.high = i * 0x9e37'79b9'7f4a'7c15, .low = i * 0xd6e8'feb8'6659'fd93});
    return made;
}

TEST(KeyIndex, ShrinksWithItsCrowdAndFindsWhoeverIsLeft) {
    constexpr Number crowd = 100'000;
    const Keys keys = keys_of_crowd(crowd);
    Retired retired;
    KeyIndex<Keys> index(keys, retired);
    const std::size_t before = counted::bytes_held();
    for (Number number = 1; number <= crowd; ++number) {
        index.insert(*keys.key_of(number), number);
        (void)retired.take();
    }
    const std::size_t full = counted::bytes_held() - before;
    EXPECT_LE(full, crowd * 12);

    for (Number number = 1; number <= crowd; ++number) {
        index.erase(*keys.key_of(number), number, crowd);
        (void)retired.take();
        EXPECT_EQ(index.find(*keys.key_of(number), crowd), 0u);
        const Number left = number + (crowd - number + 1) / 2; // The last one: itself, gone.
        EXPECT_EQ(index.find(*keys.key_of(left), crowd), left > number ? left : 0);
    }
    EXPECT_LE(counted::bytes_held() - before, full / 16);
}

// At the size where a table shrank, a visitor who comes and goes does not make it anew each time.
TEST(KeyIndex, DoesNotGrowAndShrinkByTurns) {
    constexpr Number crowd = 20'000;
    const Keys keys = keys_of_crowd(crowd);
    Retired retired;
    KeyIndex<Keys> index(keys, retired);
    for (Number number = 1; number < crowd; ++number) index.insert(*keys.key_of(number), number);
    for (Number number = 1; number < crowd; ++number) {
        index.erase(*keys.key_of(number), number, crowd);
        (void)retired.take();
        for (int turn = 0; turn < 3; ++turn) {
            index.insert(*keys.key_of(crowd), crowd);
            index.erase(*keys.key_of(crowd), crowd, crowd);
        }
        EXPECT_LE(retired.size(), 1u);
    }
}

} // namespace
} // namespace anteroom
