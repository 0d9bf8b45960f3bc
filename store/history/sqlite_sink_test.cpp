#include "store/history/sqlite_sink.h"

#include <gtest/gtest.h>

#include <fstream>

#include "store/history/queue_names.h"
#include "store/history/testing.h"
#include "tests/history/test_views.h"

namespace anteroom::history {
namespace {

using testing::crowd;
using testing::dialect_views;
using testing::fact;
using testing::Folder;
using testing::joined;
using testing::naive_visits;
using testing::visits_in;

Result<void> write(SqliteSink& sink, const std::vector<FactRow>& facts,
                   const std::vector<LedgerRoom>& rooms = {}) {
    const Result<std::uint64_t> at = sink.cursor();
    if (!at) return at.fault();
    return sink.write(
        {.after = *at, .through = *at + facts.size(), .rooms = rooms, .facts = facts});
}

sqlite::Database database_in(const Folder& folder) {
    return std::move(
        *sqlite::Database::open(folder.path() + "/history.db", sqlite::Database::Mode::write));
}

TEST(SqliteSink, KeepsWhatTheNaiveCountGives) {
    const Folder folder;
    SqliteSink sink(folder.path());
    const std::vector<FactRow> facts = crowd(1, 20'000);
    for (std::size_t from = 0; from < facts.size(); from += 777) {
        const std::size_t end = std::min(facts.size(), from + 777);
        ASSERT_TRUE(write(sink, {facts.begin() + static_cast<std::ptrdiff_t>(from),
                                 facts.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    EXPECT_EQ(*sink.cursor(), facts.size());
    EXPECT_EQ(visits_in(folder.path()), naive_visits(facts));
}

TEST(SqliteSink, KeepsItsPlaceWhenOpenedAgain) {
    const Folder folder;
    {
        SqliteSink sink(folder.path());
        EXPECT_EQ(*sink.cursor(), 0u);
        ASSERT_TRUE(write(sink, {joined(1, 1, "ann", 100)}));
    }
    SqliteSink again(folder.path());
    EXPECT_EQ(*again.cursor(), 1u);
    ASSERT_TRUE(write(again, {fact(FactKind::called, 1, 1, 200)}));
    EXPECT_EQ(visits_in(folder.path()).at({1, 1}).progress.called_at, Instant{200});
}

TEST(SqliteSink, ABatchThatFailsAtItsLastStepLeavesNothing) {
    const Folder folder;
    SqliteSink sink(folder.path());
    ASSERT_TRUE(write(sink, {joined(1, 1, "ann", 100)}));
    ASSERT_FALSE(database_in(folder).run(
        "CREATE TRIGGER crash BEFORE UPDATE ON meta BEGIN SELECT RAISE(ABORT, 'crash'); END"));
    const std::vector<FactRow> facts{joined(1, 2, "bob", 200), fact(FactKind::cleared, 1, 0, 300)};
    for (int attempt = 0; attempt < 3; ++attempt) {
        const Result<void> written = write(sink, facts);
        ASSERT_FALSE(written);
        EXPECT_NE(written.fault().reason.find("crash"), std::string::npos);
        EXPECT_EQ(visits_in(folder.path()).size(), 1u);
        EXPECT_FALSE(visits_in(folder.path()).at({1, 1}).progress.ended_at);
    }
    ASSERT_FALSE(database_in(folder).run("DROP TRIGGER crash"));
    ASSERT_TRUE(write(sink, facts));
    EXPECT_EQ(visits_in(folder.path()).at({1, 1}).progress.cause, Cause::cleared);
    EXPECT_EQ(*sink.cursor(), 3u);
}

TEST(SqliteSink, RefusesABatchThatDoesNotFollow) {
    const Folder folder;
    SqliteSink sink(folder.path());
    const std::vector<FactRow> facts{joined(1, 1, "ann", 100)};
    ASSERT_TRUE(sink.write({.after = 0, .through = 1, .facts = facts}));
    const Result<void> again = sink.write({.after = 0, .through = 1, .facts = facts});
    ASSERT_FALSE(again);
    EXPECT_NE(again.fault().reason.find("it is at fact 1, not 0"), std::string::npos);
}

TEST(SqliteSink, RefusesAVisitThatHasBegunBefore) {
    const Folder folder;
    SqliteSink sink(folder.path());
    ASSERT_TRUE(write(sink, {joined(1, 1, "ann", 100)}));
    const Result<void> again = write(sink, {joined(1, 1, "bob", 200)});
    ASSERT_FALSE(again);
    EXPECT_NE(again.fault().reason.find("do not belong together"), std::string::npos);
    EXPECT_EQ(visits_in(folder.path()).at({1, 1}).visitor, "ann");
}

TEST(SqliteSink, RoomsRememberWhenTheyTookVisitors) {
    const Folder folder;
    SqliteSink sink(folder.path());
    const auto state = [](RoomState to, std::int64_t at) {
        return fact(FactKind::state_changed, 1, 0, at, static_cast<int>(to));
    };
    FactRow configured = fact(FactKind::configured, 1, 0, 15);
    configured.admission = Admission{.capacity = 5, .batch = 2, .interval = seconds(3)};
    ASSERT_TRUE(write(sink, {configured, state(RoomState::paused, 20)},
                      {{1, "sale", Instant{10}, std::nullopt}}));
    const auto room = [&] { return (*HistoryReader::open(folder.path())->rooms())[0]; };
    EXPECT_EQ(room(), (RoomRow{.room = 1,
                               .id = "sale",
                               .created_at = Instant{10},
                               .admission = *configured.admission,
                               .state = RoomState::paused,
                               .opened_at = Instant{10}}));
    ASSERT_TRUE(write(sink, {state(RoomState::draining, 30), state(RoomState::closed, 40)}));
    EXPECT_EQ(room().closed_at, Instant{30}) << "it had ceased when it began to drain";
    ASSERT_TRUE(write(sink, {state(RoomState::open, 50), state(RoomState::paused, 60)}));
    EXPECT_EQ(room().opened_at, Instant{50}) << "a pause is not an end";
    ASSERT_TRUE(write(sink, {}, {{1, "sale", Instant{10}, Instant{70}}}));
    EXPECT_EQ(room().removed_at, Instant{70});
    EXPECT_EQ(room().state, RoomState::paused) << "only what the ledger lists was changed";
}

TEST(SqliteSink, ForgetsInSmallSteps) {
    const Folder folder;
    SqliteSink sink(folder.path());
    std::vector<FactRow> facts;
    for (Number number = 1; number <= 10; ++number) {
        facts.push_back(joined(1, number, "ann", 100));
        if (number <= 7)
            facts.push_back(
                fact(FactKind::left, 1, number, static_cast<std::int64_t>(1'000 + number)));
    }
    ASSERT_TRUE(write(sink, facts));
    EXPECT_EQ(*sink.forget(Instant{1'006}, 3), 3u);
    EXPECT_EQ(*sink.forget(Instant{1'006}, 3), 2u);
    EXPECT_EQ(*sink.forget(Instant{1'006}, 3), 0u);
    const testing::Visits left = visits_in(folder.path());
    EXPECT_EQ(left.size(), 5u) << "6 and 7 are not old enough, 8 to 10 have not ended";
    EXPECT_TRUE(left.contains({1, 6}));
}

TEST(SqliteSink, CopiesWholeRowsOverThoseThatAreThere) {
    const Folder folder;
    SqliteSink sink(folder.path());
    ASSERT_TRUE(write(sink, {joined(1, 1, "ann", 100)}));
    const std::vector<RoomRow> rooms{{.room = 1, .id = "sale", .state = RoomState::closed}};
    const std::vector<Visit> visits{
        {.room = 1, .number = 1, .visitor = "ann", .progress = {.called_at = Instant{9}}},
        {.room = 1, .number = 2, .visitor = "bob"}};
    ASSERT_TRUE(sink.copy(rooms, visits));
    EXPECT_EQ(visits_in(folder.path()).at({1, 1}), visits[0]);
    EXPECT_EQ(visits_in(folder.path()).at({1, 2}), visits[1]);
    EXPECT_EQ(*sink.cursor(), 1u);
}

std::string rows(const Folder& folder, std::string_view sql) {
    sqlite::Database database = database_in(folder);
    return *database.text("SELECT coalesce(group_concat(line, char(10)), '') FROM (" +
                          std::string(sql) + ")");
}

std::string token(std::uint32_t room, Number number) {
    return "token-" + std::to_string(room) + "-" + std::to_string(number);
}

TEST(SqliteSink, ShowsQueuesAndEntriesAsSystemPHasThem) {
    const Folder folder;
    const std::int64_t start = 1'700'000'000'000;
    const std::vector<LedgerRoom> rooms{{1, "TIMEDEAL:42", Instant{start}, std::nullopt},
                                        {2, "sale", Instant{start}, std::nullopt}};
    std::vector<FactRow> facts;
    for (Number number = 1; number <= 4; ++number)
        facts.push_back(joined(1, number, "user-" + std::to_string(number), start));
    facts.push_back(joined(2, 1, "bob", start));
    for (const Number number : {2u, 3u, 4u})
        facts.push_back(fact(FactKind::called, 1, number, start + 1'000));
    facts.push_back(fact(FactKind::finished, 1, 3, start + 2'000));
    facts.push_back(fact(FactKind::expired, 1, 4, start + 3'000, 2));
    {
        SqliteSink sink(folder.path(), dialect_views(), token);
        ASSERT_TRUE(write(sink, facts, rooms));
    }
    EXPECT_EQ(rows(folder,
                   "SELECT id || ' ' || event_type || ' ' || ifnull(event_id, '-') || ' ' ||"
                   " is_active || ' ' || activated_at AS line FROM waiting_queues"),
              "1 TIMEDEAL 42 1 2023-11-14 22:13:20.000\n2 sale - 1 2023-11-14 22:13:20.000");
    EXPECT_EQ(rows(folder, "SELECT id AS line FROM waiting_queues WHERE event_id = 42"), "1");
    EXPECT_EQ(rows(folder,
                   "SELECT user_id || ' ' || ifnull(entry_token, '-') || ' ' || status || ' ' ||"
                   " ifnull(entered_at, '-') || ' ' || ifnull(expired_at, '-') || ' ' ||"
                   " ifnull(left_at, '-') AS line FROM queue_entries ORDER BY id"),
              "user-1 token-1-1 WAITING - - -\n"
              "user-2 token-1-2 ENTERED 2023-11-14 22:13:21.000 - -\n"
              "user-3 token-1-3 LEFT 2023-11-14 22:13:21.000 - 2023-11-14 22:13:22.000\n"
              "user-4 token-1-4 EXPIRED 2023-11-14 22:13:21.000 2023-11-14 22:13:23.000 -\n"
              "bob - WAITING - - -");
    // Opened again it knows its queues, and what is forgotten is forgotten with its token.
    SqliteSink sink(folder.path(), dialect_views(), token);
    ASSERT_TRUE(write(sink, {joined(1, 5, "user-5", start + 4'000)}));
    EXPECT_EQ(*sink.forget(Instant{start + 10'000}, 100), 2u);
    EXPECT_EQ(rows(folder, "SELECT token AS line FROM entry_tokens ORDER BY number"),
              "token-1-1\ntoken-1-2\ntoken-1-5");
}

TEST(SqliteSink, QueuesAreRoomsWhoseNamesEndInA64BitNumber) {
    const Folder folder;
    std::vector<LedgerRoom> rooms;
    std::string expected;
    for (const testing::QueueName& name : testing::queue_names) {
        rooms.push_back({static_cast<std::uint32_t>(rooms.size() + 1), name.id, Instant{1}, {}});
        expected += (expected.empty() ? "" : "\n") + std::string(name.type) + " " + name.event;
    }
    SqliteSink sink(folder.path(), dialect_views(), token);
    ASSERT_TRUE(write(sink, {}, rooms));
    EXPECT_EQ(rows(folder,
                   "SELECT event_type || ' ' || ifnull(event_id, 'NULL') AS line"
                   " FROM waiting_queues ORDER BY id"),
              expected);
}

TEST(SqliteSink, AFileWithoutQueuesGetsThem) {
    const Folder folder;
    ASSERT_TRUE(SqliteSink(folder.path()).cursor());
    SqliteSink sink(folder.path(), dialect_views(), token);
    ASSERT_TRUE(sink.copy(std::vector<RoomRow>{{.room = 1, .id = "COUPON:7"}},
                          std::vector<Visit>{{.room = 1, .number = 1, .visitor = "ann"}}));
    EXPECT_EQ(rows(folder, "SELECT entry_token AS line FROM queue_entries"), "token-1-1");
    SqliteSink without(folder.path());
    EXPECT_TRUE(write(without, {joined(1, 2, "bob", 100)})) << "who knows no tokens writes on";
}

TEST(SqliteSink, HasTheViewsOfEveryDialectAlsoWithoutTokens) {
    const char* const guest[] = {"CREATE VIEW IF NOT EXISTS guests AS SELECT visitor FROM visits"};
    const HistoryViews guests{.sqlite = guest};
    Views views = dialect_views();
    views.push_back(&guests);
    const Folder folder;
    for (const char* name : {"ann", "bob"}) { // The second time the views are there.
        SqliteSink sink(folder.path(), views);
        ASSERT_TRUE(write(sink, {joined(1, *sink.cursor() + 1, name, 100)},
                          {{1, "COUPON:7", Instant{1}, std::nullopt}}));
    }
    EXPECT_EQ(rows(folder, "SELECT visitor AS line FROM guests"), "ann\nbob");
    EXPECT_EQ(rows(folder,
                   "SELECT user_id || ' ' || ifnull(entry_token, '-') AS line"
                   " FROM queue_entries"),
              "ann -\nbob -");
}

TEST(SqliteSink, SaysWhichFileCannotHaveAView) {
    const char* const wrong[] = {"CREATE VIEW"};
    const HistoryViews views{.sqlite = wrong};
    const Folder folder;
    const Result<std::uint64_t> at = SqliteSink(folder.path(), {&views}).cursor();
    ASSERT_FALSE(at);
    EXPECT_NE(at.fault().reason.find("history.db"), std::string::npos) << at.fault().reason;
}

TEST(SqliteSink, RefusesOtherVersionsAndDamagedFiles) {
    const Folder folder;
    {
        SqliteSink sink(folder.path());
        ASSERT_TRUE(sink.cursor());
    }
    ASSERT_FALSE(database_in(folder).run("PRAGMA user_version = 2"));
    EXPECT_NE(SqliteSink(folder.path())
                  .cursor()
                  .fault()
                  .reason.find("history.db has version 2; this program reads version 1"),
              std::string::npos);
    ASSERT_FALSE(database_in(folder).run("PRAGMA application_id = 2"));
    EXPECT_NE(SqliteSink(folder.path()).cursor().fault().reason.find("not a file of Anteroom"),
              std::string::npos);
    const Folder other;
    std::ofstream(other.path() + "/history.db") << std::string(5'000, 'x');
    EXPECT_NE(SqliteSink(other.path()).cursor().fault().reason.find("is damaged"),
              std::string::npos);
    EXPECT_FALSE(SqliteSink(folder.path() + "/nowhere").cursor());
}

} // namespace
} // namespace anteroom::history
