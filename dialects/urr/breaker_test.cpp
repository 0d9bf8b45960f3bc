#include "dialects/urr/breaker.h"

#include <gtest/gtest.h>

namespace anteroom::urr {
namespace {

constexpr Instant start{1'000'000};

void fail(Breaker& breaker, std::size_t times, Instant at) {
    for (std::size_t i = 0; i < times; ++i) {
        ASSERT_TRUE(breaker.may_ask(at));
        breaker.tell(false, at);
    }
}

TEST(Breaker, OpensWhenHalfOfTheLastTenFailed) {
    Breaker breaker;
    for (int i = 0; i < 6; ++i) breaker.tell(true, start);
    for (int i = 0; i < 4; ++i) breaker.tell(false, start);
    EXPECT_TRUE(breaker.may_ask(start)); // Four of ten.
    breaker.tell(false, start);
    EXPECT_FALSE(breaker.may_ask(start)); // Five of the last ten.
}

TEST(Breaker, RestsAndThenLetsAFewTry) {
    Breaker breaker;
    fail(breaker, 10, start);
    EXPECT_FALSE(breaker.may_ask(start + Breaker::rest - Millis{1}));
    const Instant later = start + Breaker::rest;
    for (std::size_t i = 0; i < Breaker::trials; ++i) EXPECT_TRUE(breaker.may_ask(later));
    EXPECT_FALSE(breaker.may_ask(later));
    for (std::size_t i = 0; i < Breaker::trials; ++i) breaker.tell(true, later);
    EXPECT_TRUE(breaker.may_ask(later));
    fail(breaker, 9, later); // It begins to count anew.
    EXPECT_TRUE(breaker.may_ask(later));
}

TEST(Breaker, OneFailedTrialIsEnoughToRestAgain) {
    Breaker breaker;
    fail(breaker, 10, start);
    const Instant later = start + Breaker::rest;
    EXPECT_TRUE(breaker.may_ask(later));
    breaker.tell(false, later);
    EXPECT_FALSE(breaker.may_ask(later));
    EXPECT_FALSE(breaker.may_ask(later + Breaker::rest - Millis{1}));
    EXPECT_TRUE(breaker.may_ask(later + Breaker::rest));
}

TEST(Breaker, TrialsThatAreNeverAnsweredDoNotKeepItShut) {
    Breaker breaker;
    fail(breaker, 10, start);
    Instant at = start + Breaker::rest;
    for (std::size_t i = 0; i < Breaker::trials; ++i) breaker.may_ask(at);
    EXPECT_FALSE(breaker.may_ask(at));
    EXPECT_TRUE(breaker.may_ask(at + Breaker::rest));
}

} // namespace
} // namespace anteroom::urr
