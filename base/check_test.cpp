#include "base/check.h"

#include <gtest/gtest.h>

#include <csignal>

namespace anteroom {
namespace {

TEST(Check, PassesWhatHoldsAndLooksOnce) {
    int looks = 0;
    CHECK(++looks == 1);
    EXPECT_EQ(looks, 1);
}

TEST(Check, IsOneStatement) {
    bool reached = false;
    if (reached)
        CHECK(false);
    else
        reached = true;
    EXPECT_TRUE(reached);
}

TEST(CheckDeathTest, SaysWhatWasBelievedAndWhere) {
    const int active = 501;
    EXPECT_EXIT(CHECK(active <= 500), testing::KilledBySignal(SIGABRT),
                "CHECK failed: active <= 500 .*check_test\\.cpp:[0-9]+");
}

} // namespace
} // namespace anteroom
