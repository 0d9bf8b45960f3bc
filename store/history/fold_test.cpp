#include "store/history/fold.h"

#include <gtest/gtest.h>

#include "store/history/testing.h"

namespace anteroom::history {
namespace {

using testing::fact;
using testing::joined;

Chapter only_chapter(const std::vector<FactRow>& facts) {
    std::vector<Chapter> chapters = fold(facts);
    EXPECT_EQ(chapters.size(), 1u);
    return chapters.empty() ? Chapter{} : std::move(chapters.front());
}

TEST(Fold, FactsOfOneVisitBecomeOneRow) {
    const Chapter chapter =
        only_chapter({joined(1, 7, "ann", 100), fact(FactKind::called, 1, 7, 200),
                      fact(FactKind::claimed, 1, 7, 300), fact(FactKind::finished, 1, 7, 400)});
    ASSERT_EQ(chapter.arrivals.size(), 1u);
    EXPECT_EQ(chapter.arrivals[0], (Visit{.room = 1,
                                          .number = 7,
                                          .visitor = "ann",
                                          .joined_at = Instant{100},
                                          .progress = {.called_at = Instant{200},
                                                       .entered_at = Instant{300},
                                                       .ended_at = Instant{400},
                                                       .outcome = VisitorState::finished}}));
    EXPECT_TRUE(chapter.changes.empty());
}

TEST(Fold, LaterFactsOfAnEarlierVisitAreAChange) {
    const Chapter chapter =
        only_chapter({fact(FactKind::claimed, 1, 7, 300), fact(FactKind::left, 1, 7, 400)});
    ASSERT_EQ(chapter.changes.size(), 1u);
    const Progress& progress = chapter.changes[0].progress;
    EXPECT_EQ(progress.called_at, std::nullopt);
    EXPECT_EQ(progress.entered_at, Instant{300});
    EXPECT_EQ(progress.outcome, VisitorState::left);
    EXPECT_EQ(progress.cause, Cause::none);
}

// So that a sink goes once through its index of visitors, however large that is.
TEST(Fold, ArrivalsComeInTheOrderOfTheirNames) {
    const Chapter chapter =
        only_chapter({joined(1, 1, "eve", 100), joined(2, 1, "ann", 100), joined(1, 2, "bob", 200),
                      joined(1, 3, "ann", 300), fact(FactKind::called, 1, 1, 400)});
    ASSERT_EQ(chapter.arrivals.size(), 4u);
    EXPECT_EQ(chapter.arrivals[0].room, 1u);
    EXPECT_EQ(chapter.arrivals[0].visitor, "ann");
    EXPECT_EQ(chapter.arrivals[1].room, 2u);
    EXPECT_EQ(chapter.arrivals[2].visitor, "bob");
    EXPECT_EQ(chapter.arrivals[3].visitor, "eve");
    EXPECT_EQ(chapter.arrivals[3].progress.called_at, Instant{400});
}

TEST(Fold, ExpiryHasItsCause) {
    const std::pair<std::int64_t, Cause> rows[] = {
        {0, Cause::silent}, {1, Cause::no_show}, {2, Cause::lease}, {99, Cause::none}};
    for (const auto& [detail, cause] : rows) {
        const Chapter chapter = only_chapter({fact(FactKind::expired, 1, 7, 400, detail)});
        EXPECT_EQ(chapter.changes[0].progress.outcome, VisitorState::expired);
        EXPECT_EQ(chapter.changes[0].progress.cause, cause);
    }
}

TEST(Fold, AnonymousVisitorsHaveTheirKeyAndTheLaneIsWithoutFlags) {
    FactRow row = joined(1, 1, "", 100);
    row.detail = 256 + 3;
    const Chapter chapter = only_chapter({row});
    EXPECT_EQ(chapter.arrivals[0].visitor, "000102030405060708090a0b0c0d0e0f");
    EXPECT_EQ(chapter.arrivals[0].lane, 3);
}

TEST(Fold, WhoComesTwiceHasTwoVisits) {
    const Chapter chapter =
        only_chapter({joined(1, 1, "ann", 100), fact(FactKind::left, 1, 1, 200),
                      joined(1, 2, "ann", 300), fact(FactKind::called, 1, 2, 400)});
    ASSERT_EQ(chapter.arrivals.size(), 2u);
    EXPECT_EQ(chapter.arrivals[0].progress.outcome, VisitorState::left);
    EXPECT_EQ(chapter.arrivals[1].progress.outcome, std::nullopt);
    EXPECT_EQ(chapter.arrivals[1].progress.called_at, Instant{400});
}

TEST(Fold, AClearingEndsTheChapter) {
    const std::vector<Chapter> chapters =
        fold({{joined(1, 1, "ann", 100), fact(FactKind::cleared, 1, 0, 200),
               joined(1, 2, "bob", 300), fact(FactKind::called, 1, 1, 400)}});
    ASSERT_EQ(chapters.size(), 2u);
    ASSERT_TRUE(chapters[0].clearing);
    EXPECT_EQ(chapters[0].clearing->at, Instant{200});
    EXPECT_EQ(chapters[0].arrivals.size(), 1u);
    EXPECT_FALSE(chapters[1].clearing);
    EXPECT_EQ(chapters[1].arrivals.size(), 1u);
    EXPECT_EQ(chapters[1].changes.size(), 1u) << "the visit of an earlier chapter is not arriving";
}

TEST(Fold, RoomsKeepTheirAdmissionAndState) {
    FactRow configured = fact(FactKind::configured, 1, 0, 100);
    configured.admission = Admission{.capacity = 5, .batch = 2, .interval = seconds(3)};
    const Chapter chapter = only_chapter({configured, fact(FactKind::state_changed, 1, 0, 200, 3),
                                          fact(FactKind::state_changed, 1, 0, 300, 0)});
    ASSERT_EQ(chapter.rooms.size(), 3u);
    EXPECT_EQ(chapter.rooms[0].admission, configured.admission);
    EXPECT_EQ(chapter.rooms[1].state, RoomState::closed);
    EXPECT_EQ(chapter.rooms[2].state, RoomState::open);
    EXPECT_EQ(chapter.rooms[2].at, Instant{300});
}

TEST(Fold, WhatConcernsNoVisitChangesNothing) {
    for (const FactKind kind :
         {FactKind::leaving, FactKind::returned, FactKind::number_taken, FactKind::advanced,
          FactKind::outer_expired, FactKind::activated, FactKind::deactivated, FactKind::configured,
          FactKind::redeemed, FactKind::lease_set, FactKind{99}})
        EXPECT_TRUE(fold({{fact(kind, 1, 7, 100)}}).empty()) << name(kind);
    EXPECT_TRUE(fold({{fact(FactKind::state_changed, 1, 0, 100, 77)}}).empty());
}

} // namespace
} // namespace anteroom::history
