#include "store/history/history_reader.h"

#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "store/history/sqlite_sink.h"
#include "store/history/testing.h"

namespace anteroom::history {
namespace {

using testing::fact;
using testing::Folder;
using testing::joined;

// Three rooms; the second is the first one's successor under the same name.
void fill(const Folder& folder) {
    const std::vector<LedgerRoom> rooms{{1, "sale", Instant{10}, Instant{500}},
                                        {2, "sale", Instant{600}, std::nullopt},
                                        {3, "drop", Instant{700}, std::nullopt}};
    const std::vector<FactRow> facts{
        joined(1, 1, "ann", 100),
        fact(FactKind::left, 1, 1, 200),
        joined(2, 1, "ann", 1'000),
        joined(2, 2, "bob", 1'001),
        joined(2, 3, "eve", 1'002),
        joined(2, 4, "joe", 1'003),
        joined(2, 5, "max", 1'004),
        fact(FactKind::called, 2, 1, 1'100),
        fact(FactKind::called, 2, 2, 1'100),
        fact(FactKind::claimed, 2, 2, 1'200),
        fact(FactKind::expired, 2, 3, 1'300, 0),
        joined(3, 1, "bob", 900),
        fact(FactKind::called, 3, 1, 950),
        fact(FactKind::claimed, 3, 1, 960),
        fact(FactKind::finished, 3, 1, 970),
    };
    SqliteSink sink(folder.path());
    ASSERT_TRUE(sink.cursor());
    ASSERT_TRUE(sink.write({.after = 0, .through = facts.size(), .rooms = rooms, .facts = facts}));
}

HistoryReader opened(const Folder& folder) {
    Result<HistoryReader> reader = HistoryReader::open(folder.path());
    EXPECT_TRUE(reader) << (reader ? "" : reader.fault().reason);
    return std::move(*reader);
}

std::vector<Number> numbers(const VisitPage& page) {
    std::vector<Number> found;
    for (const Visit& visit : page.visits) found.push_back(visit.number);
    return found;
}

TEST(HistoryReader, GivesPagesOfARoom) {
    const Folder folder;
    fill(folder);
    HistoryReader reader = opened(folder);
    const VisitPage first = *reader.visits(2, {.limit = 2});
    EXPECT_EQ(numbers(first), (std::vector<Number>{1, 2}));
    EXPECT_EQ(first.next_after, Number{2});
    const VisitPage last = *reader.visits(2, {.after = 2, .limit = 3});
    EXPECT_EQ(numbers(last), (std::vector<Number>{3, 4, 5}));
    EXPECT_EQ(last.next_after, std::nullopt);
    EXPECT_TRUE(reader.visits(99, {})->visits.empty());
}

TEST(HistoryReader, FiltersByState) {
    const Folder folder;
    fill(folder);
    HistoryReader reader = opened(folder);
    const std::pair<VisitorState, std::vector<Number>> rows[] = {
        {VisitorState::waiting, {4, 5}}, {VisitorState::called, {1}}, {VisitorState::active, {2}},
        {VisitorState::expired, {3}},    {VisitorState::left, {}},    {VisitorState::finished, {}}};
    for (const auto& [state, expected] : rows)
        EXPECT_EQ(numbers(*reader.visits(2, {.state = state})), expected) << name(state);
    const VisitPage page = *reader.visits(2, {.state = VisitorState::waiting, .limit = 1});
    EXPECT_EQ(page.next_after, Number{4});
}

TEST(HistoryReader, FindsAVisitorInAllRooms) {
    const Folder folder;
    fill(folder);
    HistoryReader reader = opened(folder);
    const std::vector<VisitEntry> found = *reader.visits_of("bob");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].room_id, "drop") << "in the order of joining";
    EXPECT_EQ(found[1].room_id, "sale");
    EXPECT_TRUE(reader.visits_of("nobody")->empty());
    EXPECT_TRUE(reader.visits_of("' OR 1=1 --")->empty());
}

TEST(HistoryReader, CountsTheVisitsOfRooms) {
    const Folder folder;
    fill(folder);
    HistoryReader reader = opened(folder);
    const std::vector<RoomSummary> rooms = *reader.summaries();
    ASSERT_EQ(rooms.size(), 3u);
    EXPECT_EQ(rooms[0].left, 1u);
    EXPECT_EQ(rooms[0].visits(), 1u);
    EXPECT_EQ(rooms[1].waiting, 2u);
    EXPECT_EQ(rooms[1].called, 1u);
    EXPECT_EQ(rooms[1].active, 1u);
    EXPECT_EQ(rooms[1].expired, 1u);
    EXPECT_EQ(rooms[2].finished, 1u);
    EXPECT_EQ(reader.rooms_named("sale")->size(), 2u);
    EXPECT_TRUE(reader.rooms_named("none")->empty());
    EXPECT_EQ(*reader.count(), 7u);
    EXPECT_EQ(*reader.count(2), 5u);
    EXPECT_EQ(*reader.cursor(), 15u);
}

TEST(HistoryReader, SeesOneMomentWhenHeldStill) {
    const Folder folder;
    fill(folder);
    HistoryReader reader = opened(folder);
    ASSERT_TRUE(reader.hold_still());
    EXPECT_EQ(*reader.cursor(), 15u);
    SqliteSink sink(folder.path());
    const std::vector<FactRow> facts{joined(3, 2, "ann", 2'000)};
    ASSERT_TRUE(sink.write({.after = 15, .through = 16, .facts = facts}));
    EXPECT_EQ(*reader.cursor(), 15u);
    EXPECT_EQ(*reader.count(), 7u);
    EXPECT_EQ(*opened(folder).count(), 8u);
}

TEST(HistoryReader, WritesAVisitAsJson) {
    std::string text;
    append_json(text,
                {.room = 1,
                 .number = 7,
                 .visitor = "a\"n\\n",
                 .lane = 2,
                 .joined_at = Instant{100},
                 .progress = {.called_at = Instant{200},
                              .ended_at = Instant{300},
                              .outcome = VisitorState::expired,
                              .cause = Cause::no_show}},
                "sale");
    EXPECT_EQ(text, R"({"room":"sale","number":7,"visitor":"a\"n\\n","lane":2,"state":"expired",)"
                    R"("joined_at":100,"called_at":200,"entered_at":null,"ended_at":300,)"
                    R"("outcome":"expired","cause":"no_show"})");
}

// As a user who may read the folder and not write to it, even when the tests run as root.
class ReadingUser {
  public:
    explicit ReadingUser(const Folder& folder) : path_(folder.path()) {
        std::filesystem::permissions(path_, std::filesystem::perms(0555));
        if (geteuid() == 0) setfsuid(65'534);
    }
    ~ReadingUser() {
        if (geteuid() == 0) setfsuid(0);
        std::filesystem::permissions(path_, std::filesystem::perms(0755));
    }
    ReadingUser(const ReadingUser&) = delete;
    ReadingUser& operator=(const ReadingUser&) = delete;

  private:
    std::string path_;
};

TEST(HistoryReader, ReadsInAFolderThatCannotBeWritten) {
    const Folder folder;
    fill(folder);
    {
        const ReadingUser user(folder);
        EXPECT_EQ(*opened(folder).count(), 7u) << "the server has ended";
    }
    SqliteSink sink(folder.path()); // Holds the file open, with a log beside it.
    const std::vector<FactRow> facts{joined(3, 2, "ann", 2'000)};
    ASSERT_TRUE(sink.write({.after = 15, .through = 16, .facts = facts}));
    {
        const ReadingUser user(folder);
        EXPECT_EQ(*opened(folder).count(), 8u) << "the server runs";
    }
}

TEST(HistoryReader, SaysWhyItCannotReadAFolder) {
    const Folder folder;
    EXPECT_FALSE(HistoryReader::is_there(folder.path()));
    EXPECT_NE(HistoryReader::open(folder.path()).fault().reason.find("history.db is not there"),
              std::string::npos);
    // As after a crash, with the readers' file lost.
    const Folder crashed;
    fill(folder);
    SqliteSink sink(folder.path());
    const std::vector<FactRow> facts{joined(3, 2, "ann", 2'000)};
    ASSERT_TRUE(sink.write({.after = 15, .through = 16, .facts = facts}));
    for (const char* file : {"/history.db", "/history.db-wal"})
        std::filesystem::copy(folder.path() + file, crashed.path() + file);
    const ReadingUser user(crashed);
    const Result<HistoryReader> reader = HistoryReader::open(crashed.path());
    ASSERT_FALSE(reader);
    EXPECT_NE(reader.fault().reason.find("use the account of the server"), std::string::npos)
        << reader.fault().reason;
}

} // namespace
} // namespace anteroom::history
