#include "service/rooms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/json_text.h"
#include "service/address_limiter.h"
#include "service/wait_probes.h"

namespace anteroom {
namespace {

TEST(Rooms, AreFoundByIdAndByIndexUntilTheyAreRemoved) {
    Quiet quiet(1);
    Rooms rooms(quiet, 10);
    const Rooms::Made made = rooms.make("r", {});
    EXPECT_TRUE(made.is_new);
    EXPECT_FALSE(rooms.make("r", {}).is_new);
    EXPECT_EQ(rooms.find("r"), made.room.get());
    EXPECT_EQ(rooms.at(made.room->index()), made.room.get());
    EXPECT_EQ(rooms.find("s"), nullptr);
    EXPECT_EQ(rooms.remove("r"), made.room);
    EXPECT_EQ(rooms.find("r"), nullptr);
    EXPECT_EQ(rooms.at(made.room->index()), nullptr);
    EXPECT_NE(rooms.make("r", {}).room->index(), made.room->index()); // Old tickets stay invalid.
}

TEST(Rooms, ThereAreOnlySoMany) {
    Quiet quiet(1);
    Rooms rooms(quiet, 2);
    rooms.make("a", {});
    rooms.make("b", {});
    EXPECT_EQ(rooms.make("c", {}).room, nullptr);
    EXPECT_EQ(rooms.count(), 2u);
}

TEST(Rooms, MayBeLookedUpWhileOthersComeAndGo) {
    Quiet quiet(1);
    Rooms rooms(quiet, 100);
    rooms.make("stays", {});
    std::atomic<bool> done{false};
    std::thread reader([&] {
        quiet.online(0);
        while (!done.load()) {
            HostedRoom* room = rooms.find("stays");
            ASSERT_TRUE(room);
            ASSERT_EQ(room->id(), "stays");
            const HostedRoom* other = rooms.find("comes-and-goes");
            ASSERT_EQ(other ? other->view().waiting() : 0, 0u);
            quiet.pass(0);
        }
        quiet.offline(0);
    });
    for (int i = 0; i < 2'000; ++i) {
        rooms.make("comes-and-goes", {});
        rooms.remove("comes-and-goes");
    }
    done.store(true);
    reader.join();
}

// A copy that is read again takes the place of the old one, mostly with the same index.
TEST(Rooms, ARoomThatIsShownAgainIsFoundAtAnyTime) {
    Quiet quiet(1);
    Rooms rooms(quiet, 10);
    const auto first = rooms.make("r", {}).room;
    std::atomic<bool> done{false};
    std::thread reader([&] {
        quiet.online(0);
        while (!done.load()) {
            const std::shared_ptr<HostedRoom> room = rooms.find_shared("r");
            ASSERT_TRUE(room);
            ASSERT_EQ(room->id(), "r");
            ASSERT_TRUE(rooms.at(first->index()));
            quiet.pass(0);
        }
        quiet.offline(0);
    });
    std::shared_ptr<HostedRoom> shown = first;
    for (int i = 0; i < 2'000; ++i) {
        const auto next = rooms.draft("r", first->index(), {});
        EXPECT_EQ(rooms.show(next), shown);
        EXPECT_TRUE(shown->is_removed());
        shown = next;
    }
    done.store(true);
    reader.join();
    EXPECT_EQ(rooms.find("r"), shown.get());
    const auto elsewhere = rooms.draft("r", 300, {});
    EXPECT_EQ(rooms.show(elsewhere), shown);
    EXPECT_EQ(rooms.at(first->index()), nullptr);
    EXPECT_EQ(rooms.at(300), elsewhere.get());
    EXPECT_EQ(rooms.count(), 1u);
}

TEST(Rooms, ManyAreAllFoundAndListedInOrderOfTheirIds) {
    constexpr std::uint32_t many = 5'000;
    Quiet quiet(1);
    Rooms rooms(quiet, many);
    for (std::uint32_t i = 0; i < many; ++i) rooms.make("room-" + std::to_string(i), {});
    for (std::uint32_t i = 0; i < many; i += 2) rooms.remove("room-" + std::to_string(i));
    for (std::uint32_t i = 0; i < many; ++i) {
        const std::string id = "room-" + std::to_string(i);
        const HostedRoom* room = rooms.find(id);
        ASSERT_EQ(room != nullptr, i % 2 == 1) << id;
        ASSERT_EQ(rooms.at(i), room);
        ASSERT_EQ(rooms.find_shared(id).get(), room);
        ASSERT_EQ(rooms.share(id).get(), room);
    }
    EXPECT_EQ(rooms.at(RoomDirectory::index_max + 1), nullptr);
    const auto all = rooms.all();
    ASSERT_EQ(all.size(), many / 2);
    EXPECT_EQ(rooms.count(), many / 2);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                               [](const auto& a, const auto& b) { return a->id() < b->id(); }));
}

// `prepare` runs while the mutex of Rooms is held: a thread that has to take it would wait for
// ever.
TEST(Rooms, ARoomThatIsThereIsHeldWhileAnotherOneIsBeingMade) {
    Quiet quiet(1);
    Rooms rooms(quiet, 10);
    const auto there = rooms.make("there", {}).room;
    rooms.make("new", {}, [&](HostedRoom&) {
        std::thread([&] {
            quiet.online(0);
            EXPECT_EQ(rooms.find_shared("there"), there);
            EXPECT_EQ(rooms.find_shared("new"), nullptr) << "nobody finds it before it is prepared";
            quiet.offline(0);
        }).join();
    });
    EXPECT_TRUE(rooms.share("new"));
}

TEST(AddressLimiter, LetsABurstThroughAndThenARate) {
    AddressLimiter limiter(3, 2);
    const net::IpAddress ann = *net::parse_ip("203.0.113.1");
    const net::IpAddress bob = *net::parse_ip("203.0.113.2");
    Instant now{1'000};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.wait_seconds(ann, now), 0);
    EXPECT_EQ(limiter.wait_seconds(ann, now), 1);
    EXPECT_EQ(limiter.wait_seconds(bob, now), 0);
    now = now + Millis{500};
    EXPECT_EQ(limiter.wait_seconds(ann, now), 0);
    EXPECT_GT(limiter.wait_seconds(ann, now), 0);
    AddressLimiter none(1, 0);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(none.wait_seconds(ann, now), 0);
}

TEST(AddressLimiter, RemembersABoundedNumberOfAddresses) {
    AddressLimiter limiter(1, 0.001);
    std::uint64_t refused = 0;
    net::IpAddress address = *net::parse_ip("2001:db8::1");
    for (std::uint32_t i = 0; i < 1'200'000; ++i) {
        for (std::size_t byte = 0; byte < 4; ++byte)
            address.bytes[12 + byte] = static_cast<std::uint8_t>(i >> (byte * 8));
        refused += limiter.wait_seconds(address, Instant{1}) > 0;
    }
    EXPECT_GT(refused, 100'000u); // 16 shards of 65 536; the rest is refused, not let through.
    EXPECT_EQ(limiter.wait_seconds(*net::parse_ip("2001:db8::ffff"), Instant{10'000'000}), 0);
}

TEST(WaitProbes, TellHowWrongATimeWas) {
    WaitProbes probes;
    probes.tell(7, 60, Instant{0});
    EXPECT_EQ(probes.called(8, Instant{0}), std::nullopt);
    EXPECT_EQ(probes.called(7, Instant{75'000}), 15u);
    EXPECT_EQ(probes.called(7, Instant{75'000}), std::nullopt);
}

TEST(Json, StringsAreEscapedAndAlwaysUtf8) {
    const auto quoted = [](std::string_view text) {
        std::string out;
        append_json_string(out, text);
        return out;
    };
    EXPECT_EQ(quoted("a\"b\\c\n"), R"("a\"b\\c\u000a")");
    EXPECT_EQ(quoted("\xc3\xa9 \xf0\x9f\x8e\xab"), "\"\xc3\xa9 \xf0\x9f\x8e\xab\"");
    EXPECT_EQ(quoted("\xff\xc0\xaf\xed\xa0\x80"),
              "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    EXPECT_EQ(quoted("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

} // namespace
} // namespace anteroom
