// What an event stream of system P says, with the time in hand.
#include "dialects/portal/stream_words.h"

#include <gtest/gtest.h>

#include "dialects/portal/options.h"

namespace anteroom::portal {
namespace {

constexpr Instant start{1'700'000'000'000};

struct Hall {
    Hall() {
        apply(Configure{room_rules({}, {.capacity = 10, .batch = 1, .interval_seconds = 10})});
        for (std::uint64_t user = 1; user <= 3; ++user)
            apply(Join{.visitor = {.high = user, .low = user}});
    }
    void apply(const Command& command) {
        HostedRoom::Writing writing(*room);
        Facts facts;
        writing.room().apply(command, start, facts);
    }
    StreamWords::Said beat(Instant at) { return words.look(*room, 3, at); }

    Quiet quiet{1};
    std::shared_ptr<HostedRoom> room =
        std::make_shared<HostedRoom>("TIMEDEAL:42", 0, Profile{}, quiet);
    PortalWords words{"the-token", minutes(5), "41"};
};

bool has(const StreamWords::Said& said, std::string_view text) {
    return said.frame && said.frame->find(text) != std::string::npos;
}

TEST(PortalWords, SpeakEveryThreeSecondsAndWhenThePlaceChanges) {
    Hall hall;
    const StreamWords::Said first = hall.words.begin(*hall.room, 3, start);
    EXPECT_TRUE(first.frame &&
                first.frame->starts_with("retry: 3000\nevent: queue-status\nid: 42\n"));
    EXPECT_TRUE(has(first, R"("position":3,"estimatedWaitSeconds":30)"));
    EXPECT_FALSE(hall.beat(start + seconds(1)).frame);
    EXPECT_FALSE(hall.beat(start + seconds(2)).frame);
    EXPECT_TRUE(has(hall.beat(start + seconds(3)), "id: 43\n"));
    EXPECT_FALSE(hall.beat(start + seconds(4)).frame);
    hall.apply(Leave{1});
    EXPECT_TRUE(has(hall.beat(start + seconds(5)), R"("position":2,)"));
    hall.apply(Leave{2});
    EXPECT_FALSE(hall.beat(start + Millis{5'300}).frame) << "at most once a second";
    EXPECT_TRUE(has(hall.beat(start + seconds(6)), R"("position":1,)"));
    EXPECT_FALSE(hall.beat(start + seconds(7)).frame);
}

TEST(PortalWords, BeatAndEndInTime) {
    Hall hall;
    hall.words.begin(*hall.room, 3, start);
    int heartbeats = 0, told = 0;
    for (int second = 1; second < 300; ++second) {
        const StreamWords::Said said = hall.beat(start + seconds(second));
        EXPECT_FALSE(said.is_last);
        heartbeats += has(said, ": heartbeat\n\n") ? 1 : 0;
        told += has(said, "event: queue-status") ? 1 : 0;
    }
    EXPECT_EQ(heartbeats, 19);
    EXPECT_EQ(told, 99);
    const StreamWords::Said last = hall.beat(start + minutes(5));
    EXPECT_TRUE(last.is_last && has(last, R"("status":"WAITING")"));
    EXPECT_FALSE(has(last, ".end")) << "the client comes back";
}

TEST(PortalWords, AnAdmissionIsTheLastWord) {
    Hall hall;
    hall.words.begin(*hall.room, 3, start);
    hall.apply(CallNext{3});
    const StreamWords::Said said = hall.words.news(*hall.room, 3, start + seconds(1));
    EXPECT_TRUE(said.is_last);
    EXPECT_TRUE(has(said, "event: queue-status\nid: 43.end\n"));
    EXPECT_TRUE(has(said, "event: queue-entered\nid: 44.end\n"));
    EXPECT_TRUE(PortalWords::is_over("44.end"));
    EXPECT_FALSE(PortalWords::is_over("44"));
}

} // namespace
} // namespace anteroom::portal
