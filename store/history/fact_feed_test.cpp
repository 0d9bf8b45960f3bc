#include "store/history/fact_feed.h"

#include <gtest/gtest.h>

#include <fstream>

#include "engine/settings.h"
#include "store/history/testing.h"

namespace anteroom::history {
namespace {

using testing::fact;
using testing::Folder;
using testing::joined;
using testing::Ledger;

FactFeed opened(const Folder& folder) {
    Result<FactFeed> feed = FactFeed::open(folder.path());
    EXPECT_TRUE(feed) << (feed ? "" : feed.fault().reason);
    return std::move(*feed);
}

TEST(FactFeed, GivesFactsInOrderBesideTheWriter) {
    const Folder folder;
    Ledger ledger(folder);
    ledger.add_room("sale");
    ledger.add_room("drop");
    FactFeed feed = opened(folder);
    EXPECT_TRUE(feed.next(0, 10)->empty());
    ledger.add(joined(1, 1, "ann", 100));
    ledger.add(joined(2, 1, "", 101));
    ledger.add(fact(FactKind::expired, 1, 1, 102, 2));
    const std::vector<FactRow> two = *feed.next(0, 2);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0].who, "ann");
    EXPECT_EQ(two[1].who, "");
    EXPECT_EQ(two[1].visitor, "000102030405060708090a0b0c0d0e0f");
    const std::vector<FactRow> rest = *feed.next(2, 10);
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_EQ(rest[0].fact, 3u);
    EXPECT_EQ(rest[0].seq, 2u);
    EXPECT_EQ(rest[0].kind, FactKind::expired);
    EXPECT_EQ(rest[0].detail, 2);
    EXPECT_EQ(rest[0].at, Instant{102});
}

TEST(FactFeed, ReadsWhatTheHistoryKeepsOfSettings) {
    const Folder folder;
    Ledger ledger(folder);
    ledger.add_room("sale");
    FactRow row = fact(FactKind::configured, 1, 0, 100);
    for (const char* text :
         {R"({"capacity":5,"admit_batch":2,"admit_interval":3000})", "{}", "no json", "[]"}) {
        row.settings = text;
        ledger.add(row);
    }
    const Settings defaults;
    const std::vector<FactRow> rows = *opened(folder).next(0, 10);
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0].admission, (Admission{.capacity = 5, .batch = 2, .interval = seconds(3)}));
    EXPECT_EQ(rows[1].admission, (Admission{.capacity = defaults.capacity,
                                            .batch = defaults.admit_batch,
                                            .interval = defaults.admit_interval}));
    EXPECT_EQ(rows[2].admission, std::nullopt);
    EXPECT_EQ(rows[2].settings, "no json");
}

TEST(FactFeed, SeesTheLedgerOfOneMoment) {
    const Folder folder;
    Ledger ledger(folder);
    ledger.add_room("sale", Instant{5});
    ledger.add_room("drop", Instant{6});
    for (Number number = 1; number <= 10; ++number) ledger.add(joined(1, number, "ann", 100));
    ledger.prune(4);
    ledger.remove_room(2, Instant{77});
    FactFeed feed = opened(folder);
    const FactFeed::Reading reading = *feed.read(0, 3);
    EXPECT_EQ(reading.last, 10u);
    EXPECT_EQ(reading.pruned_through, 4u);
    ASSERT_EQ(reading.facts.size(), 3u);
    EXPECT_EQ(reading.facts[0].fact, 5u);
    ASSERT_EQ(reading.rooms.size(), 2u);
    EXPECT_EQ(reading.rooms[0], (LedgerRoom{1, "sale", Instant{5}, std::nullopt}));
    EXPECT_EQ(reading.rooms[1], (LedgerRoom{2, "drop", Instant{6}, Instant{77}}));
    ledger.prune(10);
    EXPECT_EQ(*feed.last(), 10u) << "what was pruned was written";
}

TEST(FactFeed, FindsTheLastFactsOfARoom) {
    const Folder folder;
    Ledger ledger(folder);
    ledger.add_room("sale");
    ledger.add_room("drop");
    for (Number number = 1; number <= 5; ++number) {
        ledger.add(joined(1, number, "ann", 100));
        ledger.add(joined(2, number, "bob", 100));
    }
    const std::vector<FactRow> last = *opened(folder).last_of_room(2, 2);
    ASSERT_EQ(last.size(), 2u);
    EXPECT_EQ(last[0].number, 4u);
    EXPECT_EQ(last[1].number, 5u);
}

TEST(FactFeed, SaysWhatIsWrongWithALedger) {
    const Folder folder;
    EXPECT_NE(FactFeed::open(folder.path()).fault().reason.find("ledger.db is not there"),
              std::string::npos);
    {
        Ledger ledger(folder);
        sqlite::Database database = std::move(
            *sqlite::Database::open(folder.path() + "/ledger.db", sqlite::Database::Mode::write));
        ASSERT_FALSE(database.run("PRAGMA user_version = 7"));
    }
    EXPECT_NE(FactFeed::open(folder.path()).fault().reason.find("has version 7"),
              std::string::npos);
    const Folder other;
    std::ofstream(other.path() + "/ledger.db") << "this is no database, whatever its name says";
    EXPECT_NE(FactFeed::open(other.path()).fault().reason.find("is damaged"), std::string::npos);
}

} // namespace
} // namespace anteroom::history
