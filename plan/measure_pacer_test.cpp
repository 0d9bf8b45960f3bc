#include "plan/measure_pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace anteroom::plan {
namespace {

// Plays one step, asking every `beat`, and not at all while held up.
struct Play {
    std::vector<Instant> sent;

    Instant step(MeasurePacer& pacer, double rate, Instant now, Millis beat, Instant held_from = {},
                 Instant held_until = {}) {
        pacer.begin(rate, now);
        while (!pacer.is_over(now)) {
            now = now + beat;
            if (now > held_from && now < held_until) now = held_until;
            sent.insert(sent.end(), static_cast<std::size_t>(pacer.take(now)), now);
        }
        return now;
    }
    std::ptrdiff_t most_within(Millis span) const {
        std::ptrdiff_t most = 0;
        for (auto from = sent.begin(); from != sent.end(); ++from)
            most = std::max(most, std::lower_bound(from, sent.end(), *from + span) - from);
        return most;
    }
};

TEST(MeasurePacer, SendsEverythingEvenly) {
    for (const double rate : {1.0, 7.5, 100.0, 333.0, 10'000.0}) {
        MeasurePacer pacer(rate, seconds(4));
        Play play;
        EXPECT_GE(play.step(pacer, rate, Instant{17}, Millis{2}), Instant{4'017});
        EXPECT_EQ(static_cast<double>(play.sent.size()), rate * 4);
        EXPECT_EQ(pacer.lost(), 0);
        EXPECT_LE(static_cast<double>(play.most_within(Millis{100})), rate * 0.104 + 1);
    }
}

TEST(MeasurePacer, DoesNotMakeUpForAHoldUp) {
    MeasurePacer pacer(100, seconds(5));
    Play play;
    play.step(pacer, 100, Instant{0}, Millis{2}, Instant{1'000}, Instant{4'500});
    EXPECT_EQ(pacer.lost(), 345) << "what was due up to 50 ms before it went on";
    EXPECT_EQ(play.sent.size(), 155u);
    EXPECT_LE(play.most_within(Millis{250}), 31);
}

TEST(MeasurePacer, AHoldUpBeyondTheEndEndsTheStep) {
    MeasurePacer pacer(100, seconds(1));
    Play play;
    play.step(pacer, 100, Instant{0}, Millis{2}, Instant{500}, Instant{60'000});
    EXPECT_EQ(play.sent.size(), 50u);
    EXPECT_EQ(pacer.lost(), 50);
}

TEST(MeasurePacer, NoSecondHasMoreThanTheMaximum) {
    MeasurePacer pacer(100, seconds(2));
    Play play;
    Instant now{0};
    // Short hold-ups, which are made up for, wherever they fall; and steps one after the other.
    for (std::int64_t held = 0; held < 2'000; held += 90) {
        now = play.step(pacer, 100, now, Millis{3}, now + Millis{held}, now + Millis{held + 49});
        EXPECT_LE(pacer.lost(), 10);
    }
    EXPECT_EQ(play.most_within(seconds(1)), 100);
}

TEST(MeasurePacer, LessThanOneCallPerSecondIsPossible) {
    MeasurePacer pacer(0.5, seconds(10));
    Play play;
    play.step(pacer, 0.5, Instant{0}, Millis{2});
    EXPECT_EQ(play.sent.size(), 5u);
    EXPECT_EQ(play.most_within(seconds(1)), 1);
}

} // namespace
} // namespace anteroom::plan
