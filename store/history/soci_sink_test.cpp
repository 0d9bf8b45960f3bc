// The history in a real PostgreSQL and a real MariaDB: each test runs with both.
#include "store/history/soci_sink.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <sstream>
#include <thread>

#include "store/history/database_server_testing.h"
#include "store/history/queue_names.h"
#include "store/history/sqlite_sink.h"
#include "store/history/tcp_gate_testing.h"
#include "store/history/testing.h"
#include "tests/history/test_views.h"

namespace anteroom::history {
namespace {

using testing::crowd;
using testing::DatabaseServer;
using testing::dialect_views;
using testing::fact;
using testing::Folder;
using testing::joined;
using testing::Ledger;
using testing::Lines;
using testing::naive_visits;
using testing::patience;
using testing::quick;
using testing::TcpGate;
using testing::Visits;

std::string token(std::uint32_t room, Number number) {
    char text[64];
    std::snprintf(text, sizeof text, "%08x-0000-4000-8000-%012llx", room,
                  static_cast<unsigned long long>(number));
    return text;
}

DatabaseServer& server_of(SqlKind kind) {
    static std::map<SqlKind, std::unique_ptr<DatabaseServer>> servers;
    std::unique_ptr<DatabaseServer>& server = servers[kind];
    if (!server) server = std::make_unique<DatabaseServer>(kind);
    return *server;
}

// Connects again when a connection has timed out, some times: the machine may stand still for as
// long as one waits.
class PatientSink final : public HistorySink {
  public:
    PatientSink(std::unique_ptr<HistorySink> sink, std::shared_ptr<std::atomic<bool>> gave_up)
        : sink_(std::move(sink)), gave_up_(std::move(gave_up)) {}

    std::string name() const override { return sink_->name(); }
    Result<std::uint64_t> cursor() override {
        constexpr int connections = 4;
        Result<std::uint64_t> at = sink_->cursor();
        for (int i = 1; !at && i < connections; ++i) at = sink_->cursor();
        if (!at) *gave_up_ = true;
        return at;
    }
    Result<void> write(const Batch& batch) override { return sink_->write(batch); }
    Result<void> copy(std::span<const RoomRow> rooms, std::span<const Visit> visits) override {
        return sink_->copy(rooms, visits);
    }
    Result<std::size_t> forget(Instant ended_before, std::size_t limit) override {
        return sink_->forget(ended_before, limit);
    }

  private:
    const std::unique_ptr<HistorySink> sink_;
    const std::shared_ptr<std::atomic<bool>> gave_up_; // The thread may outlive the test.
};

class SociSinkTest : public ::testing::TestWithParam<SqlKind> {
  protected:
    void SetUp() override {
        server().ask("DROP VIEW IF EXISTS waiting_queues");
        server().ask("DROP VIEW IF EXISTS queue_entries");
        for (const char* table : {"anteroom_rooms", "anteroom_visits", "anteroom_cursor"})
            server().ask(std::string("DROP TABLE IF EXISTS ") + table);
    }

    static DatabaseServer& server() { return server_of(GetParam()); }
    static bool is_postgresql() { return GetParam() == SqlKind::postgresql; }
    std::unique_ptr<SociSink> sink() {
        return std::make_unique<SociSink>(server().url(gate_.port()), dialect_views(), token);
    }
    std::vector<std::unique_ptr<HistorySink>> sinks(const Folder& folder) {
        std::vector<std::unique_ptr<HistorySink>> all;
        all.push_back(std::make_unique<SqliteSink>(folder.path()));
        all.push_back(sink());
        return all;
    }
    static Result<void> write(SociSink& sink, const std::vector<FactRow>& facts,
                              const std::vector<LedgerRoom>& rooms = {}) {
        const Result<std::uint64_t> at = sink.cursor();
        if (!at) return at.fault();
        return sink.write(
            {.after = *at, .through = *at + facts.size(), .rooms = rooms, .facts = facts});
    }
    static Visits visits() {
        std::istringstream lines(
            server().ask("SELECT room, number, visitor, lane, joined_at, called_at, entered_at,"
                         " ended_at, outcome, cause, token FROM anteroom_visits"));
        Visits found;
        for (std::string line; std::getline(lines, line);) {
            std::vector<std::string> cells;
            std::istringstream cell_reader(line);
            for (std::string cell; std::getline(cell_reader, cell, '\t');) cells.push_back(cell);
            EXPECT_EQ(cells.size(), 11u) << line;
            const auto time = [&](std::size_t cell) -> std::optional<Instant> {
                if (cells[cell] == "NULL") return std::nullopt;
                return Instant{std::stoll(cells[cell])};
            };
            Visit visit{
                .room = static_cast<std::uint32_t>(std::stoul(cells[0])),
                .number = std::stoull(cells[1]),
                .visitor = cells[2],
                .lane = static_cast<std::uint8_t>(std::stoul(cells[3])),
                .joined_at = *time(4),
                .progress = {.called_at = time(5), .entered_at = time(6), .ended_at = time(7)}};
            for (const VisitorState state :
                 {VisitorState::finished, VisitorState::left, VisitorState::expired})
                if (cells[8] == name(state)) visit.progress.outcome = state;
            for (const Cause cause : {Cause::silent, Cause::no_show, Cause::lease, Cause::cleared})
                if (cells[9] == name(cause)) visit.progress.cause = cause;
            EXPECT_EQ(cells[10], token(visit.room, visit.number));
            found[{visit.room, visit.number}] = visit;
        }
        return found;
    }
    std::string fault(SqlUrl url) {
        return SociSink(std::move(url), dialect_views(), token).cursor().fault().reason;
    }

    TcpGate gate_{server().socket()};
};

TEST_P(SociSinkTest, KeepsWhatTheNaiveCountGives) {
    const Folder folder;
    Ledger ledger(folder);
    for (const char* id : {"sale", "drop", "show"}) ledger.add_room(id);
    const std::vector<FactRow> facts = crowd(11, 20'000);
    ledger.add(facts);
    Lines lines;
    HistorianOptions options = quick(folder, lines);
    options.facts_per_batch = 1'500;
    Historian historian(options, sinks(folder));
    historian.start();
    ASSERT_TRUE(historian.wait_consumed(facts.size(), patience));
    EXPECT_EQ(visits(), naive_visits(facts));
    EXPECT_EQ(historian.status()[1].name, (is_postgresql() ? "postgresql" : "mysql") +
                                              std::string("://anteroom@127.0.0.1:") +
                                              std::to_string(gate_.port()) + "/history");
}

TEST_P(SociSinkTest, CatchesUpAfterAnOutage) {
    const Folder folder;
    Ledger ledger(folder);
    const std::vector<FactRow> facts = crowd(12, 6'000);
    ledger.add({facts.begin(), facts.begin() + 2'000});
    Lines lines;
    Historian historian(quick(folder, lines), sinks(folder));
    historian.start();
    ASSERT_TRUE(historian.wait_consumed(2'000, patience));
    server().stop();
    ledger.add({facts.begin() + 2'000, facts.end()});
    historian.nudge();
    ASSERT_TRUE(lines.wait_for("the history is not written"));
    EXPECT_EQ(historian.consumed(), 2'000u) << "what the database has not got stays in the ledger";
    server().start();
    ASSERT_TRUE(historian.wait_consumed(facts.size(), patience));
    ASSERT_TRUE(lines.wait_for("the history is written again"));
    EXPECT_EQ(visits(), naive_visits(facts));
    EXPECT_FALSE(historian.status()[1].failing);
}

TEST_P(SociSinkTest, CountsEveryFactOnceWhenConnectionsAreCut) {
    const Folder folder;
    Ledger ledger(folder);
    const std::vector<FactRow> facts = crowd(13, 20'000);
    ledger.add(facts);
    Lines lines;
    Historian historian(quick(folder, lines), sinks(folder));
    gate_.cut_every(20'000, 150'001); // In the middle of whatever goes on then.
    historian.start();
    ASSERT_TRUE(historian.wait_consumed(facts.size(), patience));
    EXPECT_GT(gate_.taken(), 3u) << "it was cut off now and then";
    EXPECT_EQ(visits(), naive_visits(facts));
}

TEST_P(SociSinkTest, ABatchThatFailsAtItsLastStepLeavesNothing) {
    const std::unique_ptr<SociSink> kept = sink();
    ASSERT_TRUE(write(*kept, {joined(1, 1, "ann", 100)}));
    if (is_postgresql())
        server().ask(
            "CREATE OR REPLACE FUNCTION crash() RETURNS trigger AS"
            " $$ BEGIN RAISE EXCEPTION 'crash'; END $$ LANGUAGE plpgsql;"
            " CREATE TRIGGER crash BEFORE UPDATE ON anteroom_cursor"
            " FOR EACH ROW EXECUTE FUNCTION crash()");
    else
        server().ask(
            "CREATE TRIGGER crash BEFORE UPDATE ON anteroom_cursor FOR EACH ROW"
            " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'crash'");
    const std::vector<FactRow> facts{joined(1, 2, "bob", 200), fact(FactKind::cleared, 1, 0, 300)};
    const Result<void> written = write(*kept, facts);
    ASSERT_FALSE(written);
    EXPECT_NE(written.fault().reason.find("crash"), std::string::npos) << written.fault().reason;
    EXPECT_EQ(visits().size(), 1u);
    EXPECT_EQ(*kept->cursor(), 1u);
    server().ask(is_postgresql() ? "DROP TRIGGER crash ON anteroom_cursor" : "DROP TRIGGER crash");
    ASSERT_TRUE(write(*kept, facts));
    EXPECT_EQ(visits().at({1, 1}).progress.cause, Cause::cleared);
}

TEST_P(SociSinkTest, RefusesABatchThatDoesNotFollow) {
    const std::unique_ptr<SociSink> one = sink();
    const std::unique_ptr<SociSink> other = sink();
    const std::vector<FactRow> facts{joined(1, 1, "ann", 100)};
    ASSERT_EQ(*one->cursor(), 0u);
    ASSERT_EQ(*other->cursor(), 0u);
    ASSERT_TRUE(one->write({.after = 0, .through = 1, .facts = facts}));
    const Result<void> twice = other->write({.after = 0, .through = 1, .facts = facts});
    ASSERT_FALSE(twice);
    EXPECT_NE(twice.fault().reason.find("it is at fact 1, not 0"), std::string::npos);
    EXPECT_EQ(*other->cursor(), 1u);
}

TEST_P(SociSinkTest, ShowsRoomsAsQueues) {
    const auto state = [](std::uint32_t room, RoomState to, std::int64_t at) {
        return fact(FactKind::state_changed, room, 0, at, static_cast<int>(to));
    };
    FactRow configured = fact(FactKind::configured, 1, 0, 15);
    configured.admission = Admission{.capacity = 5, .batch = 2, .interval = Millis{2'500}};
    const std::unique_ptr<SociSink> kept = sink();
    const std::vector<LedgerRoom> rooms{
        {1, "TIMEDEAL:42", Instant{1'700'000'000'123}, std::nullopt},
        {2, "sale", Instant{1'700'000'000'000}, std::nullopt},
        {3, "old", Instant{1'700'000'000'000}, Instant{1'700'000'009'000}}};
    ASSERT_TRUE(write(*kept,
                      {configured, state(1, RoomState::paused, 1'700'000'001'000),
                       state(2, RoomState::closed, 1'700'000'002'000)},
                      rooms));
    const std::string no = is_postgresql() ? "f" : "0";
    const std::string yes = is_postgresql() ? "t" : "1";
    const char* sql =
        "SELECT id, event_type, event_id, max_capacity, entry_batch_size,"
        " entry_interval_seconds, is_active FROM waiting_queues ORDER BY id";
    EXPECT_EQ(server().ask(sql), "1\tTIMEDEAL\t42\t5\t2\t3\t" + yes +
                                     "\n2\tsale\tNULL\t1000\t100\t1\t" + no +
                                     "\n3\told\tNULL\t1000\t100\t1\t" + no + "\n");
    EXPECT_EQ(server().ask("SELECT count(*) FROM waiting_queues WHERE"
                           " (id = 1 AND created_at = '2023-11-14 22:13:20.123'"
                           "  AND activated_at = created_at AND deactivated_at IS NULL)"
                           " OR (id = 2 AND deactivated_at = '2023-11-14 22:13:22')"
                           " OR (id = 3 AND deactivated_at = '2023-11-14 22:13:29')"),
              "3\n");
    EXPECT_EQ(server().ask("SELECT id FROM waiting_queues WHERE event_type = 'TIMEDEAL' AND"
                           " event_id = 42"),
              "1\n")
        << "as system P asks";
    ASSERT_TRUE(write(*kept, {state(2, RoomState::open, 1'700'000'003'000),
                              state(2, RoomState::paused, 1'700'000'004'000)}));
    EXPECT_EQ(server().ask("SELECT count(*) FROM waiting_queues WHERE id = 2 AND"
                           " activated_at = '2023-11-14 22:13:23' AND deactivated_at IS NULL"),
              "1\n");
}

TEST_P(SociSinkTest, QueuesAreRoomsWhoseNamesEndInA64BitNumber) {
    std::vector<LedgerRoom> rooms;
    std::string expected;
    for (const testing::QueueName& name : testing::queue_names) {
        rooms.push_back({static_cast<std::uint32_t>(rooms.size() + 1), name.id, Instant{1}, {}});
        expected += std::string(name.type) + "\t" + name.event + "\n";
    }
    const std::unique_ptr<SociSink> kept = sink();
    ASSERT_TRUE(write(*kept, {}, rooms));
    EXPECT_EQ(server().ask("SELECT event_type, event_id FROM waiting_queues ORDER BY id"),
              expected);
    EXPECT_EQ(server().ask("SELECT event_type FROM waiting_queues WHERE event_id ="
                           " 9223372036854775807"),
              "X\n");
}

TEST_P(SociSinkTest, ShowsVisitsAsEntries) {
    const std::unique_ptr<SociSink> kept = sink();
    const std::int64_t start = 1'700'000'000'000;
    std::vector<FactRow> facts;
    for (Number number = 1; number <= 8; ++number)
        facts.push_back(joined(2, number, "visitor-" + std::to_string(number), start));
    for (const Number number : {2u, 3u, 4u, 5u, 6u})
        facts.push_back(fact(FactKind::called, 2, number, start + 1'000));
    for (const Number number : {3u, 4u, 5u})
        facts.push_back(fact(FactKind::claimed, 2, number, start + 2'000));
    facts.push_back(fact(FactKind::finished, 2, 4, start + 3'000));
    facts.push_back(fact(FactKind::expired, 2, 5, start + 3'000, 2));
    facts.push_back(fact(FactKind::expired, 2, 6, start + 3'000, 1));
    facts.push_back(fact(FactKind::left, 2, 7, start + 3'000));
    facts.push_back(fact(FactKind::expired, 2, 8, start + 3'000, 0));
    ASSERT_TRUE(write(*kept, facts));
    const std::string at1 = is_postgresql() ? "2023-11-14 22:13:21" : "2023-11-14 22:13:21.000000";
    const std::string at3 = is_postgresql() ? "2023-11-14 22:13:23" : "2023-11-14 22:13:23.000000";
    const std::string expected[] = {
        "1\tWAITING\tNULL\tNULL\tNULL",
        "2\tENTERED\t" + at1 + "\tNULL\tNULL",
        "3\tENTERED\t" + at1 + "\tNULL\tNULL",
        "4\tLEFT\t" + at1 + "\tNULL\t" + at3,
        "5\tEXPIRED\t" + at1 + "\t" + at3 + "\tNULL",
        "6\tEXPIRED\t" + at1 + "\t" + at3 + "\tNULL",
        "7\tLEFT\tNULL\tNULL\t" + at3,
        "8\tEXPIRED\tNULL\t" + at3 + "\tNULL",
    };
    std::string all;
    for (const std::string& line : expected) all += line + "\n";
    EXPECT_EQ(server().ask("SELECT id - 2 * 1099511627776, status, entered_at, expired_at, left_at"
                           " FROM queue_entries ORDER BY id"),
              all);
    EXPECT_EQ(server().ask("SELECT queue_id, user_id, entry_token FROM queue_entries"
                           " WHERE status = 'WAITING'"),
              "2\tvisitor-1\t" + token(2, 1) + "\n");
}

TEST_P(SociSinkTest, TakesEveryNameThatSomebodyCouldHave) {
    const std::unique_ptr<SociSink> kept = sink();
    const std::string names[] = {R"(';DROP TABLE anteroom_visits;--)",
                                 R"(back\slash "quoted" 'single')",
                                 ":rows $1 ? %s",
                                 "한국어 😀",
                                 "ANN",
                                 "ann",
                                 "ann ",
                                 std::string("nul\0inside", 10),
                                 "broken \xff\xfe utf-8",
                                 std::string(300, 'x'),
                                 "ü" + std::string(254, 'y') + "üü",
                                 ""};
    std::vector<FactRow> facts;
    Number number = 0;
    for (const std::string& name : names) {
        facts.push_back(joined(1, ++number, name, 100));
        facts.back().visitor = "key";
    }
    const Result<void> written = write(*kept, facts);
    ASSERT_TRUE(written) << written.fault().reason;
    const Visits found = visits();
    ASSERT_EQ(found.size(), std::size(names));
    EXPECT_EQ(found.at({1, 1}).visitor, names[0]);
    EXPECT_EQ(found.at({1, 3}).visitor, names[2]);
    EXPECT_EQ(found.at({1, 4}).visitor, names[3]);
    EXPECT_EQ(found.at({1, 8}).visitor, "nulinside");
    EXPECT_EQ(found.at({1, 10}).visitor.size(), 256u);
    EXPECT_EQ(found.at({1, 11}).visitor, "ü" + std::string(254, 'y'));
    EXPECT_EQ(found.at({1, 12}).visitor, "key");
    EXPECT_EQ(server().ask("SELECT count(*) FROM anteroom_visits WHERE visitor = 'ann'"
                           " AND number = 6"),
              "1\n");
    EXPECT_EQ(server().ask("SELECT count(*) FROM anteroom_visits WHERE visitor = 'ANN'"), "1\n");
}

TEST_P(SociSinkTest, ForgetsInSmallSteps) {
    const std::unique_ptr<SociSink> kept = sink();
    std::vector<FactRow> facts;
    for (Number number = 1; number <= 10; ++number) {
        facts.push_back(joined(1, number, "ann", 100));
        if (number <= 7)
            facts.push_back(
                fact(FactKind::left, 1, number, static_cast<std::int64_t>(1'000 + number)));
    }
    ASSERT_TRUE(write(*kept, facts));
    EXPECT_EQ(*kept->forget(Instant{1'006}, 3), 3u);
    EXPECT_EQ(*kept->forget(Instant{1'006}, 3), 2u);
    EXPECT_EQ(*kept->forget(Instant{1'006}, 3), 0u);
    EXPECT_EQ(visits().size(), 5u);
}

TEST_P(SociSinkTest, IsFilledFromHistoryDbWhenFactsAreGone) {
    const Folder folder;
    Ledger ledger(folder);
    ledger.add_room("sale");
    const std::vector<FactRow> facts = crowd(14, 12'000);
    FactRow configured = fact(FactKind::configured, 1, 0, 1);
    configured.settings = R"({"capacity":77})";
    ledger.add(configured);
    ledger.add(facts);
    Lines lines;
    {
        std::vector<std::unique_ptr<HistorySink>> first;
        first.push_back(std::make_unique<SqliteSink>(folder.path()));
        Historian historian(quick(folder, lines), std::move(first));
        historian.start();
        ASSERT_TRUE(historian.wait_consumed(ledger.last(), patience));
    }
    ledger.prune(11'000);
    Historian historian(quick(folder, lines), sinks(folder));
    historian.start();
    ASSERT_TRUE(historian.wait_consumed(ledger.last(), patience));
    EXPECT_EQ(visits(), naive_visits(facts));
    EXPECT_EQ(server().ask("SELECT max_capacity FROM waiting_queues"), "77\n");
}

TEST_P(SociSinkTest, SaysWhatIsWrongWithoutThePassword) {
    SqlUrl url = server().url(gate_.port());
    url.password += "-wrong";
    const std::string wrong_password = fault(url);
    EXPECT_NE(
        wrong_password.find(is_postgresql() ? "password authentication failed" : "Access denied"),
        std::string::npos)
        << wrong_password;
    url = server().url(gate_.port());
    url.database = "nowhere";
    const std::string wrong_database = fault(url);
    EXPECT_NE(wrong_database.find("nowhere"), std::string::npos) << wrong_database;
    url = server().url(gate_.port());
    url.user = url.password; // Pasted into the wrong place.
    const std::string wrong_user = fault(url);
    gate_.set(TcpGate::Mode::refuse);
    const std::string nobody = fault(server().url(gate_.port()));
    for (const std::string& text : {wrong_password, wrong_database, wrong_user, nobody}) {
        EXPECT_EQ(text.find(DatabaseServer::password), std::string::npos) << text;
        EXPECT_EQ(text.find("-wrong"), std::string::npos) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
}

TEST_P(SociSinkTest, RefusesTablesOfAnotherVersion) {
    ASSERT_TRUE(sink()->cursor());
    server().ask("UPDATE anteroom_cursor SET version = 9");
    EXPECT_NE(
        fault(server().url(gate_.port())).find("have version 9; this program knows version 1"),
        std::string::npos);
}

TEST_P(SociSinkTest, DoesNotTouchTablesOfSomebodyElse) {
    server().ask("CREATE TABLE waiting_queues(id BIGINT)");
    const std::string reason = fault(server().url(gate_.port()));
    EXPECT_NE(reason.find("waiting_queues"), std::string::npos) << reason;
    server().ask("DROP TABLE waiting_queues");
}

TEST_P(SociSinkTest, AConflictDoesNotQuoteTheToken) {
    SociSink kept(server().url(gate_.port()), dialect_views(),
                  [](std::uint32_t, Number) { return token(7, 7); });
    const Result<void> written = write(kept, {joined(1, 1, "ann", 1), joined(1, 2, "bob", 1)});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.fault().reason.find(token(7, 7)), std::string::npos)
        << written.fault().reason;
}

TEST_P(SociSinkTest, ADatabaseThatSaysNothingHoldsUpNobody) {
    const Folder folder;
    Ledger ledger(folder);
    ledger.add(crowd(15, 500));
    gate_.set(TcpGate::Mode::silent);
    Lines lines;
    HistorianOptions options = quick(folder, lines);
    options.stop_max = Millis{10};
    const auto gave_up = std::make_shared<std::atomic<bool>>(false);
    std::vector<std::unique_ptr<HistorySink>> both;
    both.push_back(std::make_unique<SqliteSink>(folder.path()));
    both.push_back(std::make_unique<PatientSink>(sink(), gave_up));
    Historian historian(options, std::move(both));
    historian.start();
    // history.db goes on meanwhile.
    while (historian.status()[0].cursor < 500) std::this_thread::yield();
    while (gate_.taken() == 0) std::this_thread::yield();
    EXPECT_EQ(historian.consumed(), 0u);
    historian.stop();
    EXPECT_FALSE(*gave_up) << "it was not waited for";
    gate_.set(TcpGate::Mode::refuse); // So that the thread that was left behind comes to its end.
}

INSTANTIATE_TEST_SUITE_P(Databases, SociSinkTest,
                         ::testing::Values(SqlKind::postgresql, SqlKind::mysql),
                         [](const auto& instance) {
                             return std::string(instance.param == SqlKind::postgresql ? "PostgreSQL"
                                                                                      : "MariaDB");
                         });

} // namespace
} // namespace anteroom::history
