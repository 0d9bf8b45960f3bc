// The simulator over many seeds: no rule is broken, and the same seed is the same world.
#include "sim/world.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "sim/plan.h"

namespace anteroom::sim {
namespace {

Report run(std::uint64_t seed, Millis length) {
    return run_world(make_plan(seed, length));
}

// 30 hours each, so that ctest can run them beside each other.
class Worlds : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Worlds, KeepEveryRule) {
    std::uint64_t faults = 0;
    std::uint64_t visitors = 0;
    for (std::uint64_t seed = GetParam(); seed < GetParam() + 60; ++seed) {
        const Report report = run(seed, minutes(30));
        faults += report.faults;
        visitors += report.visitors;
        ASSERT_FALSE(report.violation)
            << report.violation->what << "\nrepeat: " << repeat_command_of(report);
    }
    EXPECT_GT(faults, 200U);
    EXPECT_GT(visitors, 20'000U);
}

INSTANTIATE_TEST_SUITE_P(Of, Worlds, testing::Values(1, 61, 121, 181));

TEST(World, IsTheSameForTheSameSeed) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Report once = run(seed, minutes(10));
        const Report again = run(seed, minutes(10));
        EXPECT_EQ(once.digest, again.digest) << seed;
        EXPECT_EQ(once.facts, again.facts) << seed;
        EXPECT_EQ(once.events, again.events) << seed;
    }
}

// Written down once: every compiler and every optimisation must come to the same. A change of the
// rules or of the simulator changes them; a change of the compiler must not.
TEST(World, IsTheSameWithEveryCompiler) {
    constexpr std::array<std::uint64_t, 5> golden{
        0x224c'2517'7238'e05b, 0x50c5'603f'653b'e637, 0xedc1'ee76'cd0f'f030,
        0x31f2'fb8f'7fba'7be7, 0xea78'd412'cdf5'1b86,
    };
    for (std::uint64_t seed = 1; seed <= golden.size(); ++seed) {
        const Report report = run(seed, minutes(10));
        EXPECT_EQ(report.digest, golden[seed - 1])
            << "seed " << seed << " has digest 0x" << std::hex << report.digest;
    }
}

} // namespace
} // namespace anteroom::sim
