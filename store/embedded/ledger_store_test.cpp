// What was acknowledged is there again.
#include "store/embedded/ledger_store.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

#include "store/embedded/test_house.h"

namespace anteroom::embedded {
namespace {

namespace fs = std::filesystem;

Settings small() {
    Settings settings;
    settings.capacity = 20;
    settings.admit_batch = 10;
    settings.admit_interval = Millis{5};
    settings.leave_grace = Millis{20};
    settings.lanes = 2;
    settings.outer_interval = Millis{10};
    return settings;
}

// Random commands to a room, each acknowledged before the next.
void live(House& house, HostedRoom& room, std::mt19937_64& random, int commands) {
    for (int i = 0; i < commands; ++i) {
        const std::uint64_t who = 1 + random() % 300;
        const Number number = 1 + random() % (room.view().issued() + 1);
        const OuterLine& outer = room.view().outer();
        const OuterPlace place{.generation = outer.generation(),
                               .number = 1 + random() % (outer.issued() + 1)};
        switch (random() % 12) {
            case 0: house.do_now(room, Leave{number}); break;
            case 1: house.do_now(room, Finish{number}); break;
            case 2: house.do_now(room, Claim{number}); break;
            case 3: house.do_now(room, Tick{}); break;
            case 4: house.do_now(room, TakeNumber{{who, who}}); break;
            case 5:
                if (random() % 30 == 0) house.do_now(room, Activate{});
                if (random() % 30 == 0) house.do_now(room, Deactivate{});
                if (random() % 200 == 0) house.do_now(room, Clear{});
                break;
            case 6:
                house.do_now(room, Join{.visitor = {who, who}, .lane = 1, .outer = place});
                break;
            default: house.do_now(room, Join{.visitor = {who, who}, .lane = 0}); break;
        }
    }
}

TEST(LedgerStore, RoomsComeBackWithTheSameDigest) {
    const TestFolder folder;
    std::map<std::string, std::uint64_t> digests;
    {
        House house(folder.path());
        ASSERT_EQ(house.fault, "");
        std::mt19937_64 random(1);
        for (const char* id : {"a", "b", "c"})
            live(house, *house.make(id, {.rules = small()}), random, 300);
        digests = house.digests();
        EXPECT_GT(house.heard, 300u);
    }
    House again(folder.path());
    ASSERT_EQ(again.fault, "");
    EXPECT_EQ(again.digests(), digests);
}

TEST(LedgerStore, SnapshotsAndPruningChangeNothing) {
    const TestFolder folder;
    std::map<std::string, std::uint64_t> digests;
    std::mt19937_64 random(2);
    for (int life = 0; life < 6; ++life) {
        House house(folder.path(), {.facts = 150});
        ASSERT_EQ(house.fault, "");
        EXPECT_EQ(house.digests(), digests) << life;
        for (const char* id : {"a", "b"}) {
            const std::shared_ptr<HostedRoom> there = house.rooms.share(id);
            live(house, there ? *there : *house.make(id, {.rules = small()}), random, 400);
        }
        // A snapshot that is not finished when its house ends is given up: the last one waits for
        // it.
        const bool is_last = life == 5;
        while (is_last && house.store->pruned_through() == 0)
            live(house, *house.rooms.share("a"), random, 20);
        digests = house.digests();
    }
    House last(folder.path(), {.facts = 150});
    EXPECT_EQ(last.digests(), digests);
    EXPECT_GT(last.store->pruned_through(), 0u);
    EXPECT_FALSE(fs::is_empty(folder.path() + "/snapshots"));
}

TEST(LedgerStore, ASnapshotTakenWhileManyThreadsWriteIsTheRoom) {
    const TestFolder folder;
    std::map<std::string, std::uint64_t> digests;
    {
        House house(folder.path(), {.facts = 2'000});
        const auto room = house.make("r", {.rules = small()});
        std::vector<std::thread> crowd;
        for (std::uint64_t thread = 0; thread < 4; ++thread)
            crowd.emplace_back([&, thread] {
                for (std::uint64_t i = 1; i <= 3'000; ++i) {
                    const std::uint64_t who = thread << 32 | i;
                    house.store->submit(*room, Join{.visitor = {who << 20, who}}, nullptr, {}, {});
                    if (i % 3 == 0) house.store->submit(*room, Leave{i}, nullptr, {}, {});
                    if (i % 7 == 0) house.store->submit(*room, Tick{}, nullptr, {}, {});
                }
                house.do_now(*room, Touch{1});
            });
        for (std::thread& thread : crowd) thread.join();
        digests = house.digests();
    }
    House again(folder.path());
    ASSERT_EQ(again.fault, "");
    EXPECT_EQ(again.digests(), digests);
    EXPECT_EQ(again.rooms.find("r")->view().issued(), 12'000u);
}

TEST(LedgerStore, AnswersOnlyWhatIsInTheFile) {
    const TestFolder folder;
    House house(folder.path());
    const auto room = house.make("r");
    Result<sqlite::Database> reader =
        sqlite::Database::open(folder.path() + "/ledger.db", sqlite::Database::Mode::read);
    ASSERT_TRUE(reader);
    for (std::uint64_t i = 1; i <= 50; ++i) {
        const Number number = house.join(*room, i);
        const auto found = reader->integer(
            fmt::format("SELECT count(*) FROM facts WHERE kind = 1 AND number = {}", number));
        ASSERT_TRUE(found);
        EXPECT_EQ(*found, 1);
    }
    EXPECT_FALSE(room->unsettled().covers(1));
}

TEST(LedgerStore, WhoeverIsNamedIsNamedInTheFile) {
    const TestFolder folder;
    House house(folder.path());
    const auto room = house.make("r");
    house.do_now(*room, Join{.visitor = {1, 1}}, "user-1");
    house.do_now(*room, Join{.visitor = {2, 2}});
    Result<sqlite::Database> reader =
        sqlite::Database::open(folder.path() + "/ledger.db", sqlite::Database::Mode::read);
    EXPECT_EQ(*reader->text("SELECT group_concat(coalesce(who, '-')) FROM facts WHERE kind = 1"),
              "user-1,-");
    EXPECT_EQ(*reader->text("SELECT what || ' ' || visitor FROM story WHERE number = 1 LIMIT 1"),
              "joined user-1");
}

TEST(LedgerStore, ProfilesAuditAndRemovedRoomsComeBackAsTheyWere) {
    const TestFolder folder;
    std::uint32_t gone_index = 0;
    const Profile profile{.message = "Hello, \"you\"\n", .target = "/t", .lanes = {"a", "b"}};
    {
        House house(folder.path());
        const auto room = house.make("stays");
        std::promise<void> set;
        house.store->set_profile(*room, profile, nullptr, [&] { set.set_value(); });
        set.get_future().wait();
        EXPECT_EQ(room->profile(), profile);
        AuditEntry entry{.actor = "admin", .room = "stays", .action = "configure", .detail = "x"};
        house.audit.note(entry);
        house.store->note(entry);
        const auto gone = house.make("gone");
        gone_index = gone->index();
        house.rooms.remove("gone");
        std::promise<void> removed;
        house.store->remove_room(*gone, nullptr, [&] { removed.set_value(); });
        removed.get_future().wait();
    }
    House again(folder.path());
    ASSERT_EQ(again.fault, "");
    EXPECT_EQ(again.rooms.find("gone"), nullptr);
    EXPECT_EQ(again.rooms.find("stays")->profile(), profile);
    ASSERT_EQ(again.audit.after(0, 10).size(), 1u);
    EXPECT_EQ(again.audit.after(0, 10)[0].action, "configure");
    EXPECT_GT(again.make("gone")->index(), gone_index); // Old tickets stay invalid.
}

// A sweep of a large room makes facts faster than a disk takes them.
TEST(LedgerStore, TicksArePutOffWhileManyFactsWaitForTheDisk) {
    const TestFolder folder;
    House house(folder.path());
    Settings settings;
    settings.capacity = 0;
    settings.idle = Millis{1};
    settings.sweep_interval = Millis{1};
    const auto room = house.make("r", {.rules = settings});
    constexpr std::uint64_t crowd = 25'000;
    const auto let_join = [&](std::uint64_t first) {
        for (std::uint64_t who = first; who < first + crowd; ++who)
            house.store->submit(*room, Join{.visitor = {who << 40, who}}, nullptr, {}, {});
    };
    {
        // Whoever else writes to the file holds up the disk.
        sqlite::Database other =
            *sqlite::Database::open(folder.path() + "/ledger.db", sqlite::Database::Mode::write);
        const sqlite::Transaction holding(other);
        ASSERT_FALSE(holding.begun());
        let_join(1);
        const Instant then = house.clock.now();
        while (house.clock.now() <= then + settings.idle) std::this_thread::yield();
        house.store->submit(*room, Tick{}, nullptr, {}, {});
        EXPECT_EQ(room->view().waiting(), crowd) << "nobody is swept yet";
    }
    house.do_now(*room, Touch{1}); // Everything before it is on the disk.
    house.store->submit(*room, Tick{}, nullptr, {}, {});
    EXPECT_LT(room->view().waiting(), crowd);
}

TEST(LedgerStore, ASecondOneOnTheSameFolderIsRefused) {
    const TestFolder folder;
    House house(folder.path());
    House second(folder.path());
    EXPECT_NE(second.fault.find("in use by process"), std::string::npos) << second.fault;
}

TEST(LedgerStore, ARoomBeginsWithTheRulesItWasOpenedWith) {
    const TestFolder folder;
    {
        House house(folder.path());
        house.rooms.make("r", {}, [&](HostedRoom& room) { house.store->open_room(room, small()); });
        house.make("with-the-defaults");
    }
    House again(folder.path());
    ASSERT_EQ(again.fault, "");
    EXPECT_EQ(again.rooms.find("r")->view().settings(), small());
    EXPECT_TRUE(again.rooms.find("with-the-defaults"));
}

// What can be wrong with the files. Each is done to a ledger of one room, and must be noticed.
struct Damage : testing::Test {
    void SetUp() override {
        House house(folder.path(), {.facts = 100});
        const auto room = house.make("r", {.rules = small()});
        std::mt19937_64 random(3);
        live(house, *room, random, 300);
        // Until a snapshot is there, and facts after it.
        while (house.store->pruned_through() == 0) live(house, *room, random, 20);
        live(house, *room, random, 20);
        house.do_now(*room, Deactivate{});
        house.join(*room, 999'999);
    }
    void change(const char* sql) {
        Result<sqlite::Database> database =
            sqlite::Database::open(folder.path() + "/ledger.db", sqlite::Database::Mode::write);
        ASSERT_TRUE(database);
        ASSERT_FALSE(database->run(sql)) << database->trouble().message;
    }
    std::string fault() { return House(folder.path()).fault; }
    void expect_fault(std::string_view part) {
        const std::string found = fault();
        EXPECT_NE(found.find(part), std::string::npos) << "fault: '" << found << "'";
    }
    fs::path snapshot() const {
        return fs::directory_iterator(folder.path() + "/snapshots")->path();
    }

    TestFolder folder;
};

TEST_F(Damage, NoneIsFine) {
    EXPECT_EQ(fault(), "");
}
TEST_F(Damage, AChangedFact) {
    change(
        "UPDATE facts SET number = coalesce(number, 0) + 1 WHERE fact = (SELECT max(fact) - 3 FROM facts)");
    expect_fault("wrong sum");
}
TEST_F(Damage, AMissingFact) {
    change("DELETE FROM facts WHERE fact = (SELECT max(fact) - 3 FROM facts)");
    expect_fault("is missing");
}
TEST_F(Damage, AMissingEnd) {
    change("DELETE FROM facts WHERE fact > (SELECT max(fact) - 2 FROM facts)");
    expect_fault("its end is missing");
}
TEST_F(Damage, AChangedName) {
    change("UPDATE facts SET who = 'somebody else' WHERE kind = 1");
    expect_fault("wrong sum");
}
TEST_F(Damage, AChangedRoom) {
    change("UPDATE rooms SET profile = replace(profile, '}', ' }')");
    EXPECT_EQ(fault(), ""); // Means the same.
    change("UPDATE rooms SET profile = replace(profile, '\"message\":\"\"', '\"message\":\"x\"')");
    expect_fault("wrong sum");
}
TEST_F(Damage, ANewerVersion) {
    change("PRAGMA user_version = 2");
    expect_fault("has version 2; this program reads version 1");
}
TEST_F(Damage, AnotherProgramsFile) {
    change("PRAGMA application_id = 7");
    expect_fault("is not a ledger of Anteroom");
}
TEST_F(Damage, NoDatabaseAtAll) {
    std::ofstream(folder.path() + "/ledger.db") << "hello, this is not a database, is it?";
    fs::remove(folder.path() + "/ledger.db-wal");
    expect_fault("ledger.db");
}
TEST_F(Damage, AMissingSnapshot) {
    fs::remove(snapshot());
    expect_fault("No such file");
}
TEST_F(Damage, AnySingleBitOfASnapshot) {
    const fs::path path = snapshot();
    std::ifstream in(path, std::ios::binary);
    const std::string good((std::istreambuf_iterator<char>(in)), {});
    std::mt19937_64 random(4);
    for (int i = 0; i < 200; ++i) {
        std::string bad = good;
        bad[random() % bad.size()] ^= static_cast<char>(1 << (random() % 8));
        std::ofstream(path, std::ios::binary) << bad;
        ASSERT_NE(fault(), "") << i;
    }
    std::ofstream(path, std::ios::binary) << good.substr(0, good.size() / 2);
    expect_fault("damaged");
    std::ofstream(path, std::ios::binary) << good;
    EXPECT_EQ(fault(), "");
}
TEST_F(Damage, AnyHeadThatCannotBeRead) {
    std::ofstream(folder.path() + "/ledger.head")
        << "not a head, but as long as one would be: 64 bytes or more than that";
    expect_fault("ledger.head is damaged");
}
TEST_F(Damage, ALostLedger) {
    for (const char* name : {"/ledger.db", "/ledger.db-wal", "/ledger.db-shm"})
        fs::remove(folder.path() + name);
    expect_fault("its end is missing");
}

} // namespace
} // namespace anteroom::embedded
