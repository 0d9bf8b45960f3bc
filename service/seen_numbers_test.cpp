#include "service/seen_numbers.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace anteroom {
namespace {

TEST(SeenNumbers, AreTakenOnceAndInOrder) {
    SeenNumbers seen;
    for (const Number number : {70'000u, 1u, 63u, 64u, 1u, 300'000u}) seen.note(number);
    EXPECT_EQ(seen.take(300'000), (std::vector<Number>{1, 63, 64, 70'000, 300'000}));
    EXPECT_TRUE(seen.take(300'000).empty());
}

TEST(SeenNumbers, BeyondTheBitmapMeansTheNewestOfThatPlace) {
    SeenNumbers seen;
    constexpr Number round = Number{1} << 28;
    seen.note(3 * round + 5);
    EXPECT_EQ(seen.take(3 * round + 10), (std::vector<Number>{3 * round + 5}));
}

TEST(SeenNumbers, NobodyIsForgottenWhileOthersTake) {
    SeenNumbers seen;
    constexpr Number count = 100'000;
    std::set<Number> taken;
    std::thread noting([&] {
        for (Number number = 1; number <= count; ++number) seen.note(number);
    });
    while (taken.size() < count / 2)
        for (const Number number : seen.take(count)) taken.insert(number);
    noting.join();
    for (const Number number : seen.take(count)) taken.insert(number);
    EXPECT_EQ(taken.size(), count);
}

} // namespace
} // namespace anteroom
