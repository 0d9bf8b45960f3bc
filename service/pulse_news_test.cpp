// Which pulses are worth sending.
#include "service/pulse_news.h"

#include <gtest/gtest.h>

#include "service/test_streams.h"

namespace anteroom {
namespace {

using Verdict = PulseNews::Verdict;
constexpr Instant start{1'700'000'000'000};

PulseContent usual() {
    return {.pulse = {.issued = 10,
                      .serving = 3,
                      .waiting = 7,
                      .active = 3,
                      .capacity = 3,
                      .rate_per_second = 0.5,
                      .lines = {{.line = 1, .count = 7, .first = 4, .runs = {7}}}},
            .message = "hello",
            .waits = {{.ahead = 0, .wait = {10, 20}}, {.ahead = 10, .wait = {100, 200}}}};
}

Verdict judge(const PulseContent& next, Millis later = seconds(1)) {
    PulseNews news;
    news.tell(usual(), start);
    return news.judge(next, start + later);
}

TEST(PulseNews, TheFirstPulseIsNews) {
    EXPECT_EQ(PulseNews().judge(usual(), start), Verdict::now);
}

TEST(PulseNews, TimeRateAndDriftAreNone) {
    EXPECT_EQ(judge(usual(), minutes(10)), Verdict::nothing);
    PulseContent next = usual();
    next.pulse.rate_per_second = 0.1;
    next.waits[0].wait = {12, 18};
    next.waits[1].wait = {105, 190};
    EXPECT_EQ(judge(next), Verdict::nothing);
}

TEST(PulseNews, WhatAClientShowsOrComputesWithIsNews) {
    const auto verdict = [](const std::function<void(PulseContent&)>& change) {
        PulseContent next = usual();
        change(next);
        return judge(next);
    };
    EXPECT_EQ(verdict([](PulseContent& p) { p.pulse.state = RoomState::paused; }), Verdict::now);
    EXPECT_EQ(verdict([](PulseContent& p) { p.pulse.serving = 4; }), Verdict::now);
    EXPECT_EQ(verdict([](PulseContent& p) { p.pulse.active = 2; }), Verdict::now);
    EXPECT_EQ(verdict([](PulseContent& p) { p.pulse.capacity = 4; }), Verdict::now);
    EXPECT_EQ(verdict([](PulseContent& p) { p.message = ""; }), Verdict::now);
    EXPECT_EQ(verdict([](PulseContent& p) { p.pulse.outer_active = true; }), Verdict::now);
    EXPECT_EQ(verdict([](PulseContent& p) { p.pulse.lines[0].runs = {1, 1, 6}; }), Verdict::now);
    EXPECT_EQ(verdict([](PulseContent& p) { p.pulse.waiting = 6; }), Verdict::now);
    EXPECT_EQ(verdict([](PulseContent& p) { p.waits[1].wait.p50_seconds = 94; }), Verdict::now);
    EXPECT_EQ(verdict([](PulseContent& p) { p.waits[0].wait.p90_seconds = 23; }), Verdict::now);
    EXPECT_EQ(verdict([](PulseContent& p) { p.waits.clear(); }), Verdict::now);
}

// They are compared with what was told, not with the last look: many small drifts are a large one.
TEST(PulseNews, DriftsAddUp) {
    PulseNews news;
    news.tell(usual(), start);
    PulseContent next = usual();
    next.waits[1].wait.p50_seconds = 104;
    EXPECT_EQ(news.judge(next, start + seconds(1)), Verdict::nothing);
    next.waits[1].wait.p50_seconds = 108;
    EXPECT_EQ(news.judge(next, start + seconds(2)), Verdict::now);
}

TEST(PulseNews, WhoJoinsBehindCanWaitForFiveSeconds) {
    PulseContent next = usual();
    next.pulse.issued = 15;
    next.pulse.waiting = 12;
    next.pulse.lines[0].count = 12;
    next.pulse.lines[0].runs = {12};
    EXPECT_EQ(judge(next, seconds(1)), Verdict::later);
    EXPECT_EQ(judge(next, Millis{4'999}), Verdict::later);
    EXPECT_EQ(judge(next, seconds(5)), Verdict::now);
    next.pulse.waiting = 11; // One of those before has left.
    EXPECT_EQ(judge(next, seconds(1)), Verdict::now);
}

TEST(RoomPulse, ItsEventChangesWithNewsAndItsDocumentWithTime) {
    TestRoom room(3, start);
    RoomPulse& pulse = room.room->pulse();
    EXPECT_EQ(pulse.told().version, 0u);
    const RoomPulse::Event first = pulse.publish(*room.room, start).event;
    ASSERT_TRUE(first.frame);
    EXPECT_EQ(first.version, 1u);
    const RoomPulse::Published still = pulse.publish(*room.room, start + seconds(60));
    EXPECT_FALSE(still.event.frame);
    EXPECT_FALSE(still.is_put_off);
    EXPECT_EQ(pulse.told().frame, first.frame);

    const auto at = [](Instant when) { return "\"at\":" + std::to_string(when.ms); };
    const auto document = [&](Instant when) { return *pulse.document(*room.room, when); };
    EXPECT_NE(document(start + Millis{60'900}).find(at(start + seconds(60))), std::string::npos);
    EXPECT_NE(document(start + seconds(61)).find(at(start + seconds(61))), std::string::npos);

    room.apply(Join{.visitor = {.high = 9, .low = 9}}, start + seconds(61));
    // Five seconds after the first event.
    EXPECT_EQ(pulse.publish(*room.room, start + seconds(61)).event.version, 2u);
    room.apply(Join{.visitor = {.high = 8, .low = 8}}, start + seconds(62));
    EXPECT_TRUE(pulse.publish(*room.room, start + seconds(62)).is_put_off);
    room.apply(SetState{RoomState::paused}, start + seconds(62));
    EXPECT_EQ(pulse.publish(*room.room, start + seconds(62)).event.version, 3u);
}

} // namespace
} // namespace anteroom
