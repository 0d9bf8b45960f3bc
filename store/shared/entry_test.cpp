#include "store/shared/entry.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/room.h"
#include "store/shared/projection.h"

namespace anteroom::shared {
namespace {

constexpr VisitorKey ann{.high = 7, .low = 9};

// One of every kind, with members that differ from their defaults.
Facts every_fact() {
    Settings settings;
    settings.capacity = 17;
    settings.lanes = 3;
    settings.claim_by_look = false;
    const std::vector<Happening> all{
        Joined{.number = 300, .visitor = ann, .lane = 2, .outer = 5, .bound_only = true},
        Called{1},
        Claimed{2},
        Finished{3},
        Leaving{4},
        Returned{5},
        Left{6},
        Expired{.number = 7, .cause = Expiry::lease},
        NumberTaken{.number = 8, .visitor = ann},
        Advanced{9},
        OuterExpired{10},
        Activated{11},
        Deactivated{},
        Configured{settings},
        StateChanged{RoomState::draining},
        Cleared{},
        Redeemed{std::uint64_t{1} << 40},
        LeaseSet{.number = 12, .until = Instant{1'700'000'300'000}},
        Missed{13},
    };
    static_assert(std::variant_size_v<Happening> == 19, "one more kind belongs into this list");
    Facts facts;
    for (std::size_t i = 0; i < all.size(); ++i)
        facts.push_back({.sequence = 100 + i,
                         .at = Instant{1'700'000'000'000 + std::int64_t(i / 3) * 250},
                         .what = all[i]});
    return facts;
}

std::vector<Outcome> every_outcome() {
    return {Done{.called = 1, .expired = 2, .left = 3, .advanced = 4},
            Standing{.number = 5,
                     .state = VisitorState::active,
                     .lane = 1,
                     .line = 3,
                     .order = 6,
                     .ahead = 7,
                     .behind = 8,
                     .joined = Instant{9},
                     .until = Instant{10},
                     .is_new = true,
                     .redeemed = true,
                     .missed = 2},
            OuterStanding{.generation = 1,
                          .number = 2,
                          .serving = 3,
                          .issued = 4,
                          .released = true,
                          .is_new = true},
            Refused{Reason::outer_taken}};
}

LogEntry full_entry() {
    LogEntry entry{.after = 0x1122, .stamp = ~std::uint64_t{0}, .facts = every_fact()};
    std::uint64_t ask = 0;
    for (const Outcome& outcome : every_outcome())
        entry.answers.push_back({.process = 77, .ask = ++ask * 1'000, .outcome = outcome});
    entry.profile = Profile{.message = "open at ten", .target = "/in", .lanes = {"a", "b"}};
    entry.removed = true;
    return entry;
}

std::vector<Command> every_command() {
    Settings settings;
    settings.idle = seconds(17);
    static_assert(std::variant_size_v<Command> == 19, "one more kind belongs into this list");
    return {Join{.visitor = ann, .lane = 1, .outer = OuterPlace{.generation = 2, .number = 3}},
            Touch{1},
            Claim{2},
            Redeem{3},
            Finish{4},
            Leave{5},
            TakeNumber{ann},
            Tick{},
            Wake{},
            Configure{settings},
            SetState{RoomState::paused},
            Resume{},
            CallNext{-3},
            Advance{4},
            Activate{},
            Deactivate{},
            Clear{},
            SetLease{.number = 6, .lease = seconds(300)},
            Seek{{.high = 7, .low = 8}}};
}

TEST(LogEntry, ComesBackAsItWas) {
    const LogEntry entry = full_entry();
    const std::string bytes = write_entry(entry);
    const std::optional<LogEntry> back = read_entry(bytes);
    ASSERT_TRUE(back);
    EXPECT_EQ(write_entry(*back), bytes);
    EXPECT_EQ(back->after, entry.after);
    EXPECT_EQ(back->stamp, entry.stamp);
    ASSERT_EQ(back->facts.size(), entry.facts.size());
    for (std::size_t i = 0; i < entry.facts.size(); ++i) {
        EXPECT_EQ(back->facts[i].sequence, entry.facts[i].sequence);
        EXPECT_EQ(back->facts[i].at, entry.facts[i].at);
        EXPECT_EQ(back->facts[i].what.index(), entry.facts[i].what.index());
    }
    const auto& joined = std::get<Joined>(back->facts[0].what);
    EXPECT_EQ(joined.visitor, ann);
    EXPECT_EQ(joined.lane, 2);
    EXPECT_EQ(joined.outer, 5u);
    EXPECT_TRUE(joined.bound_only);
    EXPECT_EQ(std::get<Configured>(back->facts[13].what).settings.capacity, 17);
    for (std::size_t i = 0; i < entry.answers.size(); ++i)
        EXPECT_EQ(back->answers[i].outcome, entry.answers[i].outcome);
    EXPECT_EQ(back->profile, entry.profile);
    EXPECT_TRUE(back->removed);
}

TEST(LogEntry, AnEmptyOneIsSmall) {
    const std::string bytes = write_entry({.after = 1, .stamp = 2});
    EXPECT_EQ(bytes.size(), 21u);
    EXPECT_TRUE(read_entry(bytes));
}

TEST(LogEntry, WhatIsCutOrLongerIsNone) {
    const std::string bytes = write_entry(full_entry());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(read_entry(std::string_view(bytes).substr(0, size))) << size;
    EXPECT_FALSE(read_entry(bytes + '\0'));
    EXPECT_FALSE(read_entry("\x03" + bytes.substr(1))); // A version that we do not know.
}

// The first version had no missed calls in a standing; it is the last member there.
TEST(LogEntry, AnEntryOfTheFirstVersionIsRead) {
    LogEntry entry{.after = 1, .stamp = 2};
    entry.answers.push_back({.process = 3, .ask = 4, .outcome = every_outcome()[1]});
    std::string bytes = write_entry(entry);
    bytes[0] = 1;
    bytes.erase(bytes.size() - 3, 1); // Before the bytes of profile and end.
    const std::optional<LogEntry> back = read_entry(bytes);
    ASSERT_TRUE(back);
    Standing expected = std::get<Standing>(every_outcome()[1]);
    expected.missed = 0;
    EXPECT_EQ(back->answers[0].outcome, Outcome{expected});
}

// Nor was told how soon visitors ask again.
TEST(AskMessage, AnAskOfTheFirstVersionIsRead) {
    std::string seen = write_ask({.what = AskSeen{.numbers = {1, 300}, .told = Millis{0}}});
    seen[0] = 1;
    seen.erase(seen.size() - 5, 1); // Before the count, 1, and 299 in two bytes.
    const std::optional<AskMessage> back = read_ask(seen);
    ASSERT_TRUE(back);
    EXPECT_EQ(std::get<AskSeen>(back->what).numbers, (std::vector<Number>{1, 300}));

    std::string touch = write_ask({.what = AskCommand{Touch{.number = 7, .told = seconds(9)}, ""}});
    touch[0] = 1;
    touch.erase(touch.size() - 9, 8); // Before the length of the name.
    const std::optional<AskMessage> touched = read_ask(touch);
    ASSERT_TRUE(touched);
    const Touch& command = std::get<Touch>(std::get<AskCommand>(touched->what).command);
    EXPECT_EQ(command.number, 7u);
    EXPECT_EQ(command.told, Millis{0});
}

// Whatever is read can be written again and is the same: one meaning, one text.
TEST(LogEntry, DamagedBytesAreRefusedOrMeanSomething) {
    const std::string good = write_entry(full_entry());
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000; ++i) {
        std::string bytes = good;
        for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips)
            bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
        const std::optional<LogEntry> entry = read_entry(bytes);
        if (!entry) continue;
        const std::optional<LogEntry> again = read_entry(write_entry(*entry));
        ASSERT_TRUE(again);
        EXPECT_EQ(write_entry(*again), write_entry(*entry));
    }
}

TEST(AskMessage, ComesBackAsItWas) {
    for (const Command& command : every_command()) {
        const std::string bytes = write_ask(
            {.process = 5, .id = 6, .at = Instant{7}, .what = AskCommand{command, "ann"}});
        const std::optional<AskMessage> ask = read_ask(bytes);
        ASSERT_TRUE(ask) << command.index();
        EXPECT_EQ(write_ask(*ask), bytes);
        EXPECT_EQ(ask->process, 5u);
        EXPECT_EQ(ask->id, 6u);
        EXPECT_EQ(ask->at, Instant{7});
        EXPECT_EQ(std::get<AskCommand>(ask->what).command.index(), command.index());
        EXPECT_EQ(std::get<AskCommand>(ask->what).who, "ann");
        for (std::size_t size = 0; size < bytes.size(); ++size)
            EXPECT_FALSE(read_ask(std::string_view(bytes).substr(0, size)));
    }
    const std::vector<Number> numbers{1, 2, 3, 500, 1'000'000};
    const std::optional<AskMessage> seen =
        read_ask(write_ask({.what = AskSeen{numbers, seconds(5)}}));
    ASSERT_TRUE(seen);
    EXPECT_EQ(std::get<AskSeen>(seen->what).told, seconds(5));
    EXPECT_EQ(std::get<AskSeen>(seen->what).numbers, numbers);
    const std::optional<AskMessage> profile =
        read_ask(write_ask({.what = AskProfile{{.target = "/"}}}));
    ASSERT_TRUE(profile);
    EXPECT_EQ(std::get<AskProfile>(profile->what).profile.target, "/");
    EXPECT_TRUE(read_ask(write_ask({.what = AskRemove{}})));
}

TEST(Presence, ComesBackAsItWasAndNothingElseIsTaken) {
    const PresenceMarks marks{{.line = 1, .order = 1'000'000, .callable = 0},
                              {.line = 1, .order = 1'100'000, .callable = 3},
                              {.line = 3, .order = 7, .callable = 3},
                              {.line = 3, .order = 9, .callable = 5}};
    const std::string bytes = write_presence(marks);
    EXPECT_EQ(read_presence(bytes), marks);
    EXPECT_EQ(read_presence(write_presence({})), PresenceMarks{});
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(read_presence(std::string_view(bytes).substr(0, size))) << size;
    EXPECT_FALSE(read_presence(bytes + '\0'));
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000; ++i) {
        std::string damaged = bytes;
        damaged[random() % damaged.size()] ^= static_cast<char>(1u << random() % 8);
        if (const std::optional<PresenceMarks> read = read_presence(damaged)) {
            EXPECT_EQ(read_presence(write_presence(*read)), read);
        }
    }
}

TEST(Projection, TheRankIsTheNumberAhead) {
    // Carriers of outer numbers before the others, lane by lane.
    EXPECT_LT(score_of(0, 900), score_of(1, 1));
    EXPECT_LT(score_of(1, 4'000'000'000), score_of(2, 1));
    EXPECT_EQ(score_of(1, 42), 42);
}

TEST(Projection, FollowsAVisit) {
    Room room;
    Facts facts;
    std::vector<std::string> changes;
    const auto ask = [&](const Command& command, std::string_view who = {}) {
        facts.clear();
        changes.clear();
        room.apply(command, Instant{1'000}, facts);
        project(room, facts, who, changes);
        return changes;
    };
    using Words = std::vector<std::string>;
    EXPECT_EQ(ask(Configure{{.capacity = 1, .claim_window = {}}}), (Words{"T", "1"}));
    const Words first = ask(Join{.visitor = ann}, "ann");
    const std::string until = std::to_string(1'000 + minutes(10).count);
    EXPECT_EQ(first, (Words{"J", "1", "ann", "1", "C", "1", until, "C", "1", until}));
    EXPECT_EQ(ask(Join{.visitor = {.high = 1, .low = 2}}),
              (Words{"J", "2", "#00000000000000010000000000000002", "2"}));
    EXPECT_EQ(ask(Finish{1}), (Words{"E", "1"}));
    EXPECT_EQ(ask(Clear{}), (Words{"K"}));

    ask(Configure{{.capacity = 1, .claim_by_look = false}});
    ask(Join{.visitor = ann}, "ann");
    facts.clear();
    changes.clear();
    room.apply(Tick{}, Instant{1'000} + seconds(31), facts);
    project(room, facts, {}, changes);
    EXPECT_EQ(changes, (Words{"M", "3", "3"})) << "back in the queue, and not inside";
}

} // namespace
} // namespace anteroom::shared
