// What a visitor's stream is told, while the room is written by somebody else.
#include "service/hub.h"

#include <gtest/gtest.h>

#include "service/service.h"
#include "service/test_streams.h"

namespace anteroom {
namespace {

using net::testing::Dial;

// As the API does: what may not be told is not written.
VisitorState write_state(const HostedRoom& room, Number number, std::string& out) {
    const Standing standing = room.view().standing(number);
    if (!room.may_tell(standing)) return VisitorState::unknown;
    out += name(standing.state);
    return standing.state;
}

struct House {
    House() : room(300, clock.now()) { hub.set_writer(&write_state); }
    ~House() {
        streams.call([&] { hub.dismiss(room.room); });
        streams.call([] {}); // What dismiss() posted.
    }
    House(const House&) = delete;
    House& operator=(const House&) = delete;

    // The next so many are called.
    void call(std::int64_t count) {
        room.apply(Configure{{.capacity = 300}}, clock.now());
        room.apply(CallNext{count}, clock.now());
    }
    // The numbers are told that something happened to them.
    void notify(std::vector<Number> numbers) {
        hub.notify(room.room, std::make_shared<std::vector<Number>>(std::move(numbers)));
        streams.call([] {});
    }

    Clock clock;
    TestRoom room;
    TestStreams streams{[this](Number number, net::EventStream stream) {
        hub.add(room.room, number, std::move(stream));
    }};
    Hub hub{streams.loop(), clock};
};

TEST(Hub, TellsACallAlthoughSomebodyElseWasChangingTheRoom) {
    House house;
    Dial ann = house.streams.open(1);
    EXPECT_NE(ann.read_until("\n\n").find("event: standing"), std::string::npos);
    house.call(1);
    house.room.room->unsettled().changing(); // Another thread applies a command.
    house.notify({1});
    house.room.room->unsettled().changed();
    EXPECT_NE(ann.read_until("event: called"), "");
}

// The native words say nothing of the visitor with a pulse: what they owe must outlive it.
TEST(Hub, TellsACallOnceAlthoughAPulseCameInBetween) {
    House house;
    Dial ann = house.streams.open(1);
    ann.read_until("\n\n");
    house.call(1);
    house.room.room->unsettled().changing(); // Another thread applies a command.
    house.notify({1});
    house.hub.broadcast(house.room.room, {net::make_frame("event: pulse\n\n"), 1});
    EXPECT_EQ(ann.read_until("\n\n"), "event: pulse\n\n");
    house.room.room->unsettled().changed();
    EXPECT_EQ(ann.read_until("\n\n").find("event: called"), 0u);
    house.notify({1});
    const std::string next = ann.read_until("\n\n");
    EXPECT_NE(next.find("id: 3\n"), std::string::npos) << "nothing was said in between: " << next;
}

TEST(Hub, TellsACallAlthoughAnotherOneIsNotDurableYet) {
    House house;
    Dial ann = house.streams.open(1);
    ann.read_until("\n\n");
    house.call(257);
    // 1 is durable; 257, which shares a counter of Unsettled with it, is not.
    const std::span<const Fact> last(&house.room.facts.back(), 1);
    ASSERT_EQ(std::get<Called>(last.front().what).number, 257u);
    house.room.room->unsettled().note(last);
    house.notify({1});
    house.room.room->unsettled().settled(last);
    house.notify({257});
    EXPECT_NE(ann.read_until("event: called"), "");
}

TEST(Hub, TellsAStreamThatBeganWhileTheRoomWasChanged) {
    House house;
    house.call(1);
    house.room.room->unsettled().changing();
    Dial ann = house.streams.open(1);
    EXPECT_EQ(ann.read_until("\n\n"), "retry: 2000\n\n");
    house.room.room->unsettled().changed();
    EXPECT_NE(ann.read_until("event: called"), "");
}

TEST(Hub, ForgetsARoomWithoutStreams) {
    House house;
    for (int i = 0; i < 3; ++i) {
        Dial ann = house.streams.open(1);
        EXPECT_EQ(house.room.room->streams(), 1);
        ann.reset();
        EXPECT_TRUE(net::testing::eventually([&] { return house.room.room->streams() == 0; }));
    }
}

// Pulses are published by the test: nothing depends on how long anything takes.
TEST(Service, SendsAPulseOnlyWhenThereIsNews) {
    Service service({.defaults = {.rules = {.capacity = 0}}});
    TestStreams streams([&](Number number, net::EventStream stream) {
        service.hub(0).add(service.rooms().share("r"), number, std::move(stream));
    });
    service.attach(0, streams.loop());
    service.hub(0).set_writer(&write_state);
    const std::shared_ptr<HostedRoom> room = service.find_or_make("r");
    for (std::uint64_t i = 1; i <= 2; ++i)
        service.submit(*room, Join{.visitor = {.high = i, .low = i}}, nullptr, {});
    service.publish(room);
    Dial bob = streams.open(2);
    EXPECT_NE(bob.read_until("\n\n").find("event: standing"), std::string::npos);
    EXPECT_NE(bob.read_until("\n\n").find("event: pulse"), std::string::npos);
    for (int i = 0; i < 10; ++i) service.publish(room);
    service.submit(*room, SetState{RoomState::paused}, nullptr, {});
    for (int i = 0; i < 10; ++i) service.publish(room);
    const std::string next = bob.read_until("\n\n");
    EXPECT_NE(next.find(R"("state":"paused")"), std::string::npos) << next;
    service.submit(*room, Configure{{.capacity = 2}}, nullptr, {});
    service.submit(*room, Resume{}, nullptr, {});
    service.submit(*room, CallNext{2}, nullptr, {});
    EXPECT_NE(bob.read_until("\n\n").find("event: called"), std::string::npos);
    streams.call([&] { service.hub(0).dismiss(room); });
    streams.call([] {});
}

} // namespace
} // namespace anteroom
