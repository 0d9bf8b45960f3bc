// What the streams of a room hear and when, with the time in hand.
#include "service/audience.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <map>
#include <thread>

#include "service/test_streams.h"

namespace anteroom {
namespace {

using net::testing::Dial;

constexpr Instant start{1'700'000'000'000};

// Says "news" when told to, and notes when it is asked for a heartbeat.
class TestWords final : public StreamWords {
  public:
    Said begin(const HostedRoom&, Number, Instant) override { return {}; }
    Said news(const HostedRoom&, Number, Instant) override {
        if (unsaid > 0) {
            --unsaid;
            return {.is_owed = true};
        }
        return {.frame = net::make_frame("data: news\n\n")};
    }
    Said beat(const HostedRoom&, Number, const net::Frame& pulse, Instant) override {
        return {.frame = pulse};
    }
    net::Frame heartbeat() override {
        ++heartbeats;
        return StreamWords::heartbeat();
    }

    int heartbeats = 0;
    int unsaid = 0; // So often there is something that may not be told yet.
};

// Reads the room like the words of an adapter: says "called" of a visitor who is called, and owes
// it while the room may not tell. Whichever of news(), beat() and look() is asked first must be
// enough.
class CallWords final : public StreamWords {
  public:
    Said begin(const HostedRoom&, Number, Instant) override { return {}; }
    Said news(const HostedRoom& room, Number number, Instant) override { return say(room, number); }
    Said beat(const HostedRoom& room, Number number, const net::Frame&, Instant) override {
        return say(room, number);
    }
    bool wants_looks() const override { return true; }
    Said look(const HostedRoom& room, Number number, Instant) override { return say(room, number); }

    int asked = 0;

  private:
    Said say(const HostedRoom& room, Number number) {
        ++asked;
        const Standing standing = room.view().standing(number);
        if (!is_inside(standing.state) || is_told_) return {};
        if (!room.may_tell(standing)) return {.is_owed = true};
        is_told_ = true;
        return {.frame = net::make_frame("data: called\n\n")};
    }

    bool is_told_ = false;
};

// Another thread inside a change of the room, from the constructor to end().
class OtherWriter {
  public:
    explicit OtherWriter(HostedRoom& room)
        : thread_([this, &room] {
              const HostedRoom::Writing writing(room);
              room.unsettled().changing();
              begun_.count_down();
              end_.wait();
              room.unsettled().changed();
          }) {
        begun_.wait();
    }
    void end() {
        end_.count_down();
        thread_.join();
    }

  private:
    std::latch begun_{1};
    std::latch end_{1};
    std::thread thread_;
};

struct Stage {
    explicit Stage(std::uint64_t visitors, const Settings& settings = {.capacity = 0})
        : room(visitors, start, settings) {
        for (Number number = 1; number <= visitors; ++number)
            clients.push_back(streams.open(number));
        streams.call([&] { EXPECT_EQ(audience.slots(), visitors); });
    }
    ~Stage() {
        streams.call([&] { audience.close_all(); });
    }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    void take(Number number, net::EventStream stream) {
        room.room->begin_stream();
        words[number] = std::make_shared<TestWords>();
        audience.add(number, std::move(stream), words[number], number, {}, now);
    }
    // Time passes; how many heartbeats went out in each tenth of a second.
    std::vector<int> pass(Millis span) {
        std::vector<int> counts;
        for (const Instant end = now + span; now < end;) {
            now = now + tenth_of_a_second;
            streams.call([&] {
                const Tenth tenth = tenth_of(now);
                auto next = std::optional(audience.first_slot(tenth));
                while (next) next = audience.look(tenth, *next, 7, now);
                audience.retell(now);
            });
            counts.push_back(heartbeats() - said_before);
            said_before += counts.back();
        }
        return counts;
    }
    int heartbeats() const {
        int sum = 0;
        for (const auto& [number, own] : words) sum += own->heartbeats;
        return sum;
    }
    void pulse(std::uint32_t version) {
        streams.call([&] {
            audience.set_pulse(
                {net::make_frame("data: pulse " + std::to_string(version) + "\n\n"), version}, now);
            audience.send_pulses(0, audience.slots(), now);
        });
    }
    // What the visitor's stream has heard since the last time.
    std::string heard(Number number) {
        streams.call([&] { audience.tell(number, now); });
        const std::string text = clients[number - 1].read_until("data: news\n\n");
        return text.substr(0, text.size() - std::string_view("data: news\n\n").size());
    }

    TestRoom room;
    Instant now = start;
    std::map<Number, std::shared_ptr<TestWords>> words;
    int said_before = 0;
    Audience audience{room.room};
    TestStreams streams{
        [this](Number number, net::EventStream stream) { take(number, std::move(stream)); }};
    std::vector<Dial> clients;
};

TEST(Audience, HearsNothingWhileNothingChanges) {
    Stage stage(25);
    stage.pass(seconds(15));
    for (Number number = 1; number <= 25; ++number) EXPECT_EQ(stage.heard(number), "");
}

TEST(Audience, HearsAPulseOnce) {
    Stage stage(25);
    stage.pulse(1);
    stage.pass(seconds(5));
    stage.pulse(1);
    stage.pass(seconds(5));
    for (Number number = 1; number <= 25; ++number)
        EXPECT_EQ(stage.heard(number), "data: pulse 1\n\n");
}

TEST(Audience, HearsAtMostOnePulseASecondAndThenTheLastOne) {
    Stage stage(25);
    stage.pulse(1);
    stage.pass(Millis{300});
    stage.pulse(2); // Too soon for everybody.
    for (Number number = 1; number <= 25; ++number)
        EXPECT_EQ(stage.heard(number), "data: pulse 1\n\n");
    stage.pass(Millis{300});
    stage.pulse(3);
    stage.pass(Millis{200});
    for (Number number = 1; number <= 25; ++number) EXPECT_EQ(stage.heard(number), "");
    stage.pass(seconds(2));
    for (Number number = 1; number <= 25; ++number)
        EXPECT_EQ(stage.heard(number), "data: pulse 3\n\n");
}

// Who got a pulse with a look would hear the next ones with looks, too: apart from all others.
TEST(Audience, HearsNewsTogetherAgainWhenTheyKeepComing) {
    Stage stage(25);
    stage.pulse(1);
    stage.pass(Millis{500});
    stage.pulse(2); // Too soon for everybody.
    stage.pass(seconds(1));
    stage.pulse(3);
    for (Number number = 1; number <= 25; ++number)
        EXPECT_EQ(stage.heard(number), "data: pulse 1\n\ndata: pulse 3\n\n");
}

TEST(Audience, HearsAHeartbeatAfterSixteenToTwentySecondsOfSilence) {
    Stage stage(1);
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(stage.heard(1), "");
        stage.pass(Millis{15'900});
        EXPECT_EQ(stage.heard(1), "");
        stage.pass(seconds(20));
        EXPECT_EQ(stage.heard(1), ": heartbeat\n\n");
        stage.pass(Millis{300}); // Whatever the phase of its looks is.
    }
}

TEST(Audience, HeartbeatsAreSpreadOverTheSeconds) {
    constexpr int streams = 320;
    Stage stage(streams);
    stage.pulse(1); // The same moment for everybody.
    const std::vector<int> counts = stage.pass(seconds(20));
    EXPECT_EQ(std::count_if(counts.begin(), counts.begin() + 159, [](int c) { return c > 0; }), 0);
    EXPECT_EQ(stage.heartbeats(), streams);
    EXPECT_LE(*std::max_element(counts.begin(), counts.end()), streams / 20);
}

TEST(Audience, IsLookedAtWhicheverPlacesAreFree) {
    Stage stage(25);
    stage.streams.call([&] {
        for (std::uint32_t slot = 0; slot < 20; ++slot) stage.audience.remove(slot);
    });
    EXPECT_EQ(stage.room.room->streams(), 5);
    stage.pass(seconds(20));
    for (Number number = 21; number <= 25; ++number)
        EXPECT_EQ(stage.heard(number), ": heartbeat\n\n");
}

TEST(Audience, ItsVisitorsStayPresent) {
    Settings settings{.capacity = 0};
    settings.idle = seconds(12);
    Stage stage(3, settings);
    stage.room.apply(Join{.visitor = {.high = 9, .low = 9}}, start); // Number 4 has no stream.
    for (int second = 0; second < 60; ++second) {
        stage.pass(seconds(1));
        stage.room.apply(Tick{}, stage.now);
    }
    for (Number number = 1; number <= 3; ++number)
        EXPECT_EQ(stage.room.room->view().standing(number).state, VisitorState::waiting);
    EXPECT_EQ(stage.room.room->view().standing(4).state, VisitorState::expired);
}

TEST(Audience, WhatMayNotBeToldYetIsToldSoon) {
    Stage stage(2);
    stage.words[1]->unsaid = 3;
    stage.streams.call([&] { stage.audience.tell(1, stage.now); });
    EXPECT_EQ(stage.words[1]->unsaid, 2);
    stage.pass(Millis{300});
    EXPECT_EQ(stage.words[1]->unsaid, 0);
    EXPECT_EQ(stage.clients[0].read_until("\n\n"), "data: news\n\n");
    EXPECT_EQ(stage.heard(2), "");
    stage.pass(seconds(3));
    EXPECT_EQ(stage.heard(1), "") << "and once";
}

// The visitor is called, and that is durable. While another thread changes the room, the stream is
// asked by `ask` alone; it must say "called" when the change has ended, without being asked again.
void expect_call_is_told(const std::function<void(Audience&, Instant)>& ask) {
    TestRoom room(1, start);
    Audience audience(room.room);
    const auto words = std::make_shared<CallWords>();
    TestStreams streams([&](Number number, net::EventStream stream) {
        room.room->begin_stream();
        audience.add(number, std::move(stream), words, 1, {}, start);
    });
    Dial ann = streams.open(1);
    room.apply(Configure{{.capacity = 1}}, start);
    room.apply(CallNext{1}, start);
    OtherWriter other(*room.room);
    streams.call([&] { ask(audience, start + seconds(1)); });
    EXPECT_EQ(words->asked, 1);
    EXPECT_TRUE(audience.owes());
    streams.call([&] { audience.retell(start + Millis{1'100}); });
    EXPECT_TRUE(audience.owes()) << "the change is still going on";
    other.end();
    streams.call([&] { audience.retell(start + Millis{1'200}); });
    EXPECT_FALSE(audience.owes());
    EXPECT_EQ(ann.read_until("\n\n"), "data: called\n\n");
    streams.call([&] { audience.close_all(); });
}

TEST(Audience, NewsWhileAnotherThreadChangesTheRoomAreToldAfterwards) {
    expect_call_is_told([](Audience& audience, Instant now) { audience.tell(1, now); });
}

TEST(Audience, ABeatWhileAnotherThreadChangesTheRoomIsMadeGoodAfterwards) {
    expect_call_is_told([](Audience& audience, Instant now) {
        audience.set_pulse({net::make_frame("data: pulse\n\n"), 1}, now);
        audience.send_pulses(0, audience.slots(), now);
    });
}

TEST(Audience, ALookWhileAnotherThreadChangesTheRoomIsMadeGoodAfterwards) {
    expect_call_is_told([](Audience& audience, Instant now) {
        for (Tenth tenth = tenth_of(now); tenth < tenth_of(now) + tenths_per_second; ++tenth)
            audience.look(tenth, audience.first_slot(tenth), 1, now);
    });
}

} // namespace
} // namespace anteroom
