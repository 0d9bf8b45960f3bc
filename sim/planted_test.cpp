// The alarm works: every bug that can be planted into the rules is found, and none where there is
// none.
#include <gtest/gtest.h>

#include <string>

#include "sim/hunt.h"

namespace anteroom::sim {
namespace {

constexpr std::uint64_t seeds_max = 1'000;
constexpr std::uint64_t seeds_without_a_bug = 400; // More than any bug needs.
constexpr Millis length = minutes(15);

class Planted : public testing::TestWithParam<int> {};

TEST_P(Planted, BugIsFound) {
    const Hunt result = hunt(static_cast<Bug>(GetParam()), 1, seeds_max, length);
    EXPECT_TRUE(result.found) << "not within " << seeds_max << " seeds";
    RecordProperty("seed", std::to_string(result.seed));
    RecordProperty("what", result.what);
}

INSTANTIATE_TEST_SUITE_P(Of, Planted, testing::Range(1, static_cast<int>(Bug::count)),
                         [](const testing::TestParamInfo<int>& bug) {
                             return std::string(name(static_cast<Bug>(bug.param)));
                         });

TEST(PlantedNothing, IsFoundNowhere) {
    const Hunt result = hunt(Bug::none, 1, seeds_without_a_bug, length);
    EXPECT_FALSE(result.found) << "seed " << result.seed << ": " << result.what;
}

} // namespace
} // namespace anteroom::sim
