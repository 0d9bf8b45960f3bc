#include "engine/line.h"

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <vector>

namespace anteroom {
namespace {

std::uint64_t next_random(std::uint64_t& state) {
    state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return state >> 17;
}

void expect_same(const Line& line, const std::set<std::uint64_t>& set, std::uint64_t around) {
    ASSERT_EQ(line.size(), set.size());
    const auto rank =
        static_cast<std::uint64_t>(std::distance(set.begin(), set.lower_bound(around)));
    ASSERT_EQ(line.rank(around), rank);
    ASSERT_EQ(line.contains(around), set.contains(around));
    const auto found = set.lower_bound(around);
    ASSERT_EQ(line.next(around), found == set.end() ? std::nullopt : std::optional(*found));
    if (!set.empty()) {
        ASSERT_EQ(line.front(), *set.begin());
        const std::uint64_t k = around % set.size();
        ASSERT_EQ(line.select(k), *std::next(set.begin(), static_cast<std::ptrdiff_t>(k)));
    }
    ASSERT_EQ(line.select(set.size()), std::nullopt);
}

TEST(Line, AnEmptyLineHasNobody) {
    Retired retired;
    Line line(retired);
    EXPECT_EQ(line.size(), 0u);
    EXPECT_EQ(line.rank(17), 0u);
    EXPECT_FALSE(line.contains(17));
    EXPECT_EQ(line.front(), std::nullopt);
}

TEST(Line, BehavesLikeASetWhenNumbersComeAndGoAnywhere) {
    for (const std::uint64_t span : {50ull, 5'000ull, 200'000ull, 40'000'000ull}) {
        Retired retired;
        Line line(retired);
        std::set<std::uint64_t> set;
        std::uint64_t random = span;
        for (int i = 0; i < 6'000; ++i) {
            const std::uint64_t number = next_random(random) % span;
            if (set.insert(number).second) {
                line.insert(number);
            } else {
                set.erase(number);
                line.erase(number);
            }
            if (i % 50 == 0) {
                set.erase(set.begin());
                line.pop_front();
            }
            ASSERT_NO_FATAL_FAILURE(expect_same(line, set, next_random(random) % span)) << i;
            (void)retired.take();
        }
    }
}

TEST(Line, GrowingDownwardsItIsCopiedAsRarelyAsUpwards) {
    Retired retired;
    Line line(retired);
    constexpr std::uint64_t step = 32'768; // Every number in a chunk of its own.
    for (std::uint64_t i = 1'000; i-- > 0;) {
        line.insert(i * step + i);
        ASSERT_EQ(line.front(), i * step + i);
    }
    for (std::uint64_t i = 0; i < 1'000; ++i) ASSERT_EQ(line.rank(i * step + i), i);
    EXPECT_LT(retired.size(), 30u); // Directories and sums: two for every doubling.
}

TEST(Line, FindsItsWayAsTheWindowSlidesFarUp) {
    Retired retired;
    Line line(retired);
    std::uint64_t front = 0;
    for (std::uint64_t number = 0; number < 2'000'000; ++number) {
        line.insert(number);
        if (line.size() <= 1'000) continue;
        ASSERT_EQ(line.pop_front(), front++);
    }
    EXPECT_EQ(line.rank(2'000'000), 1'000u);
    EXPECT_EQ(line.select(999), 1'999'999u);
    // 2 M numbers need 62 chunks; all but the last two or three were given back.
    EXPECT_GE(retired.size(), 58u);
}

TEST(Line, TakesANumberBelowTheFrontOfTheWindow) {
    Retired retired;
    Line line(retired);
    for (std::uint64_t number = 1'000'000; number < 1'100'000; ++number) line.insert(number);
    line.insert(3);
    EXPECT_EQ(line.front(), 3u);
    EXPECT_EQ(line.rank(1'000'000), 1u);
    EXPECT_EQ(line.pop_front(), 3u);
    EXPECT_EQ(line.rank(1'050'000), 50'000u);
}

TEST(Line, HoldsTheLargestNumber) {
    Retired retired;
    Line line(retired);
    line.insert(Line::number_max);
    line.insert(Line::number_max - 1);
    EXPECT_EQ(line.rank(Line::number_max), 1u);
    EXPECT_EQ(line.select(1), Line::number_max);
}

TEST(LineDeathTest, RefusesToHoldANumberTwiceOrLoseOneItDoesNotHave) {
    Retired retired;
    Line line(retired);
    line.insert(5);
    EXPECT_DEATH(line.insert(5), "CHECK failed");
    EXPECT_DEATH(line.erase(6), "CHECK failed");
    EXPECT_DEATH(line.insert(Line::number_max + 1), "CHECK failed");
}

} // namespace
} // namespace anteroom
