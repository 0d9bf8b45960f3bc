#include "dialects/urr/renewal.h"

#include <gtest/gtest.h>

namespace anteroom::urr {
namespace {

constexpr Instant first{1'700'000'000'000};

TEST(Renewal, ThePassIsTheSameForHalfOfItsLife) {
    EXPECT_EQ(issue_time(first, first, Renewals::bounded), first);
    EXPECT_EQ(issue_time(first, first + minutes(5) - Millis{1}, Renewals::bounded), first);
    EXPECT_EQ(issue_time(first, first + minutes(5), Renewals::bounded), first + minutes(5));
}

TEST(Renewal, EveryPassGivenLivesForAnotherFiveMinutes) {
    for (std::int64_t s = 0; s <= 3'600; ++s) {
        const Instant now = first + seconds(s);
        EXPECT_GE(*issue_time(first, now, Renewals::bounded) + outer_pass_life, now + minutes(5));
    }
}

TEST(Renewal, ItEndsAfterAnHourUnlessTheUserWaitsInside) {
    const Instant late = first + minutes(65);
    EXPECT_TRUE(issue_time(first, late - Millis{1}, Renewals::bounded));
    EXPECT_EQ(issue_time(first, late, Renewals::bounded), std::nullopt);
    EXPECT_EQ(issue_time(first, first + hours(20), Renewals::while_inside), first + hours(20));
}

TEST(Renewal, AClockThatWasSetBackChangesNothing) {
    EXPECT_EQ(issue_time(first, first - hours(1), Renewals::bounded), first);
}

} // namespace
} // namespace anteroom::urr
