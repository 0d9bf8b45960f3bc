#include "store/history/historian.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "store/history/sqlite_sink.h"
#include "store/history/testing.h"

namespace anteroom::history {
namespace {

using testing::crowd;
using testing::fact;
using testing::Folder;
using testing::joined;
using testing::Ledger;
using testing::Lines;
using testing::naive_visits;
using testing::patience;
using testing::quick;
using testing::today;
using testing::visits_in;

std::vector<std::unique_ptr<HistorySink>> only(std::unique_ptr<HistorySink> sink) {
    std::vector<std::unique_ptr<HistorySink>> sinks;
    sinks.push_back(std::move(sink));
    return sinks;
}

// A sink that fails when told to: before anything is written, or after everything was.
class Flaky final : public HistorySink {
  public:
    explicit Flaky(const std::string& folder) : sink_(folder) {}
    std::string name() const override { return "flaky"; }
    Result<std::uint64_t> cursor() override {
        if (away) return Fault{"nobody is there"};
        return sink_.cursor();
    }
    Result<void> write(const Batch& batch) override {
        if (away || fails_before.exchange(false)) return Fault{"nobody is there"};
        Result<void> written = sink_.write(batch);
        ++writes;
        if (written && fails_after_every && writes % fails_after_every == 0)
            return Fault{"the answer was lost"};
        return written;
    }
    Result<void> copy(std::span<const RoomRow> rooms, std::span<const Visit> visits) override {
        if (copies_left >= 0 && copies_left-- == 0) return Fault{"cut off"};
        return sink_.copy(rooms, visits);
    }
    Result<std::size_t> forget(Instant before, std::size_t limit) override {
        return sink_.forget(before, limit);
    }

    std::atomic<bool> away{false};
    std::atomic<bool> fails_before{false};
    std::atomic<int> fails_after_every{0};
    std::atomic<int> writes{0};
    std::atomic<int> copies_left{-1}; // Negative: never cut off.

  private:
    SqliteSink sink_;
};

TEST(Historian, CarriesWhatTheLedgerGets) {
    const Folder folder;
    Ledger ledger(folder);
    for (const char* id : {"sale", "drop", "show"}) ledger.add_room(id);
    Lines lines;
    Historian historian(quick(folder, lines), only(std::make_unique<SqliteSink>(folder.path())));
    EXPECT_EQ(historian.consumed(), 0u) << "unknown";
    historian.start();
    const std::vector<FactRow> facts = crowd(2, 5'000);
    for (std::size_t i = 0; i < facts.size(); i += 10) {
        ledger.add(std::vector(facts.begin() + static_cast<std::ptrdiff_t>(i),
                               facts.begin() + static_cast<std::ptrdiff_t>(i + 10)));
        historian.nudge();
    }
    ASSERT_TRUE(historian.wait_consumed(facts.size(), patience));
    EXPECT_EQ(historian.consumed(), facts.size());
    EXPECT_EQ(visits_in(folder.path()), naive_visits(facts));
    EXPECT_EQ(HistoryReader::open(folder.path())->rooms()->size(), 3u);
    EXPECT_EQ(historian.status()[0].name, "history.db");
    EXPECT_FALSE(historian.status()[0].failing);
    EXPECT_TRUE(lines.all().empty()) << lines.all()[0];
}

TEST(Historian, WaitsForALedgerThatIsNotThereYet) {
    const Folder folder;
    Lines lines;
    Historian historian(quick(folder, lines), only(std::make_unique<SqliteSink>(folder.path())));
    historian.start();
    ASSERT_TRUE(lines.wait_for("ledger.db is not there"));
    Ledger ledger(folder);
    ledger.add_room("sale");
    ledger.add(joined(1, 1, "ann", 100));
    ASSERT_TRUE(historian.wait_consumed(1, patience));
}

TEST(Historian, CountsEveryFactOnceWhenAnswersAreLost) {
    const Folder folder;
    Ledger ledger(folder);
    const std::vector<FactRow> facts = crowd(3, 10'000);
    ledger.add(facts);
    Lines lines;
    auto sink = std::make_unique<Flaky>(folder.path());
    sink->fails_after_every = 3;
    Historian historian(quick(folder, lines), only(std::move(sink)));
    historian.start();
    ASSERT_TRUE(historian.wait_consumed(facts.size(), patience));
    EXPECT_EQ(visits_in(folder.path()), naive_visits(facts));
}

TEST(Historian, TellsOnceThatASinkIsAwayAndOnceThatItIsBack) {
    const Folder folder;
    Ledger ledger(folder);
    ledger.add(crowd(4, 250));
    Lines lines;
    auto sink = std::make_unique<Flaky>(folder.path());
    Flaky& flaky = *sink;
    flaky.away = true;
    Historian historian(quick(folder, lines), only(std::move(sink)));
    historian.start();
    ASSERT_TRUE(lines.wait_for("the history is not written: nobody is there"));
    EXPECT_EQ(historian.consumed(), 0u) << "nothing may be pruned";
    EXPECT_EQ(historian.status()[0].behind, 250u);
    EXPECT_TRUE(historian.status()[0].failing);
    EXPECT_EQ(historian.status()[0].trouble, "nobody is there");
    flaky.away = false;
    ASSERT_TRUE(historian.wait_consumed(250, patience));
    ASSERT_TRUE(lines.wait_for("written again: flaky"));
    EXPECT_EQ(lines.all().size(), 2u);
    EXPECT_EQ(historian.status()[0].behind, 0u);
}

TEST(Historian, TheSlowestSinkDecidesWhatIsConsumed) {
    const Folder folder;
    const Folder other;
    Ledger ledger(folder);
    ledger.add(crowd(5, 250));
    Lines lines;
    std::vector<std::unique_ptr<HistorySink>> sinks =
        only(std::make_unique<SqliteSink>(folder.path()));
    auto second = std::make_unique<Flaky>(other.path());
    Flaky& flaky = *second;
    flaky.away = true;
    sinks.push_back(std::move(second));
    Historian historian(quick(folder, lines), std::move(sinks));
    historian.start();
    ASSERT_TRUE(lines.wait_for("nobody is there"));
    EXPECT_FALSE(historian.wait_consumed(1, Millis{0}));
    flaky.away = false;
    ASSERT_TRUE(historian.wait_consumed(250, patience));
    EXPECT_EQ(visits_in(other.path()), visits_in(folder.path()));
}

TEST(Historian, WhoIsInARoomThatIsRemovedLeavesWithIt) {
    const Folder folder;
    Ledger ledger(folder);
    const std::uint32_t room = ledger.add_room("sale");
    std::vector<FactRow> facts;
    for (Number number = 1; number <= 250; ++number)
        facts.push_back(joined(room, number, "ann", 100));
    ledger.add(facts);
    ledger.remove_room(room, Instant{777});
    Lines lines;
    Historian historian(quick(folder, lines), only(std::make_unique<SqliteSink>(folder.path())));
    historian.start();
    ASSERT_TRUE(historian.wait_consumed(250, patience));
    for (const auto& [key, visit] : visits_in(folder.path())) {
        EXPECT_EQ(visit.progress.ended_at, Instant{777});
        EXPECT_EQ(visit.progress.cause, Cause::cleared);
    }
    EXPECT_EQ(HistoryReader::open(folder.path())->rooms()->at(0).removed_at, Instant{777});
}

TEST(Historian, DeletesWhatEndedLongAgo) {
    const Folder folder;
    Ledger ledger(folder);
    std::vector<FactRow> facts;
    const Instant old = today - hours(24 * 31);
    for (Number number = 1; number <= 300; ++number) {
        facts.push_back(joined(1, number, "ann", old.ms));
        if (number <= 290) facts.push_back(fact(FactKind::left, 1, number, old.ms));
    }
    facts.push_back(joined(1, 301, "bob", today.ms));
    facts.push_back(fact(FactKind::left, 1, 301, today.ms));
    ledger.add(facts);
    Lines lines;
    HistorianOptions options = quick(folder, lines);
    options.deletions_per_turn = 7;
    Historian historian(options, only(std::make_unique<SqliteSink>(folder.path())));
    historian.start();
    ASSERT_TRUE(historian.wait_consumed(facts.size(), patience));
    // The deletions come behind the last batch; each turn asks again until nothing is left.
    HistoryReader reader = std::move(*HistoryReader::open(folder.path()));
    while (*reader.count() > 11) std::this_thread::yield();
    historian.stop();
    EXPECT_EQ(*reader.count(), 11u) << "ten have not ended, one has ended today";
}

TEST(Historian, ASecondSinkIsFilledFromTheFirstWhenFactsAreGone) {
    const Folder folder;
    const Folder other;
    Ledger ledger(folder);
    for (const char* id : {"sale", "drop", "show"}) ledger.add_room(id);
    const std::vector<FactRow> facts = crowd(6, 20'000);
    const std::vector<FactRow> before(facts.begin(), facts.begin() + 15'000);
    ledger.add(before);
    FactRow configured = fact(FactKind::configured, 1, 0, 1);
    configured.settings = R"({"capacity":77})";
    ledger.add(configured);
    Lines lines;
    {
        Historian historian(quick(folder, lines),
                            only(std::make_unique<SqliteSink>(folder.path())));
        historian.start();
        ASSERT_TRUE(historian.wait_consumed(15'001, patience));
    }
    ledger.prune(14'000);
    std::vector<std::unique_ptr<HistorySink>> sinks =
        only(std::make_unique<SqliteSink>(folder.path()));
    auto second = std::make_unique<Flaky>(other.path());
    second->copies_left = 1; // Cut off in the middle once; then it begins anew.
    sinks.push_back(std::move(second));
    Historian historian(quick(folder, lines), std::move(sinks));
    historian.start();
    ledger.add({facts.begin() + 15'000, facts.end()});
    historian.nudge();
    ASSERT_TRUE(historian.wait_consumed(facts.size() + 1, patience));
    EXPECT_EQ(visits_in(other.path()), naive_visits(facts));
    EXPECT_EQ(visits_in(other.path()), visits_in(folder.path()));
    EXPECT_EQ(HistoryReader::open(other.path())->rooms()->at(0).admission.capacity, 77);
}

TEST(Historian, TellsWhenFactsAreGoneThatNobodyHas) {
    const Folder folder;
    Ledger ledger(folder);
    ledger.add(crowd(7, 100));
    ledger.prune(40);
    Lines lines;
    Historian historian(quick(folder, lines), only(std::make_unique<SqliteSink>(folder.path())));
    historian.start();
    ASSERT_TRUE(historian.wait_consumed(100, patience));
    EXPECT_TRUE(lines.wait_for("the facts 1 to 40 are no longer in the ledger"));
}

TEST(Historian, HoldsEverythingBackWhenTheLedgerIsAnotherOne) {
    const Folder folder;
    {
        SqliteSink sink(folder.path());
        ASSERT_TRUE(sink.write({.after = 0, .through = 500}));
    }
    Ledger ledger(folder);
    ledger.add(crowd(8, 100));
    Lines lines;
    Historian historian(quick(folder, lines), only(std::make_unique<SqliteSink>(folder.path())));
    historian.start();
    ASSERT_TRUE(lines.wait_for("the ledger ends at 100: they do not belong together"));
    EXPECT_EQ(historian.consumed(), 0u);
}

// A sink that does not answer before it is let go.
class Hanging final : public HistorySink {
  public:
    explicit Hanging(std::shared_ptr<std::atomic<bool>> released)
        : released_(std::move(released)) {}
    std::string name() const override { return "hanging"; }
    Result<std::uint64_t> cursor() override {
        released_->wait(false);
        return Fault{"let go"};
    }
    Result<void> write(const Batch&) override { return Fault{""}; }
    Result<void> copy(std::span<const RoomRow>, std::span<const Visit>) override {
        return Fault{""};
    }
    Result<std::size_t> forget(Instant, std::size_t) override { return std::size_t{0}; }

  private:
    std::shared_ptr<std::atomic<bool>> released_;
};

TEST(Historian, LeavesASinkBehindThatDoesNotAnswer) {
    const Folder folder;
    Ledger ledger(folder);
    auto released = std::make_shared<std::atomic<bool>>(false);
    Lines lines;
    {
        HistorianOptions options = quick(folder, lines);
        options.stop_max = Millis{10};
        Historian historian(options, only(std::make_unique<Hanging>(released)));
        historian.start();
        EXPECT_EQ(historian.consumed(), 0u);
    }
    *released = true;
    released->notify_all();
    EXPECT_TRUE(lines.all().empty()) << "nothing is told after the end";
}

// The process that carries is killed again and again, at moments that differ; the next one goes on.
TEST(Historian, CountsEveryFactOnceWhoeverIsKilledWhen) {
    const Folder folder;
    const std::vector<FactRow> facts = crowd(9, 60'000);
    {
        Ledger ledger(folder);
        ledger.add(facts);
    }
    int kills = 0;
    for (std::uint64_t goal = 2'500; goal <= facts.size(); goal += 5'000) {
        int told[2];
        ASSERT_EQ(pipe(told), 0);
        const pid_t child = fork();
        if (child == 0) {
            Lines lines;
            HistorianOptions options = quick(folder, lines);
            Historian historian(options, only(std::make_unique<SqliteSink>(folder.path())));
            historian.start();
            const bool there = historian.wait_consumed(goal, patience);
            const char byte = there ? 'y' : 'n';
            if (write(told[1], &byte, 1) != 1) _exit(1);
            historian.wait_consumed(~std::uint64_t{0}, patience); // Goes on until it is killed.
            _exit(0);
        }
        char byte = 0;
        ASSERT_EQ(read(told[0], &byte, 1), 1);
        EXPECT_EQ(byte, 'y');
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        kills += WIFSIGNALED(status);
        close(told[0]);
        close(told[1]);
    }
    EXPECT_EQ(kills, 12);
    Lines lines;
    Historian historian(quick(folder, lines), only(std::make_unique<SqliteSink>(folder.path())));
    historian.start();
    ASSERT_TRUE(historian.wait_consumed(facts.size(), patience));
    EXPECT_EQ(visits_in(folder.path()), naive_visits(facts));
}

} // namespace
} // namespace anteroom::history
