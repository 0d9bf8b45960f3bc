// Wrong histories, told by hand: the witness must complain about each, and only about those.
#include "sim/witness.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace anteroom::sim {
namespace {

// A room that does what the test says it did.
class Tale {
  public:
    explicit Tale(Settings settings = {}) {
        tell(Configure{settings}, Done{}, {Configured{settings}});
    }

    void tell(const Command& command, const Outcome& outcome,
              std::initializer_list<Happening> happenings = {}) {
        std::vector<Fact> facts;
        for (const Happening& what : happenings)
            facts.push_back({.sequence = ++sequence, .at = now, .what = what});
        witness.saw(command, now, outcome, facts);
    }
    void join(Number number, std::uint8_t lane = 0) {
        const VisitorKey key{number, number};
        const auto line = static_cast<std::uint8_t>(lane * 2 + 1);
        std::uint64_t ahead = 0;
        for (std::size_t i = 0; i <= line; ++i)
            ahead += witness.book().waits[i].size() + witness.book().away[i].size();
        const std::uint64_t all = witness.book().waiting + 1;
        tell(Join{.visitor = key, .lane = lane},
             Standing{.number = number,
                      .state = VisitorState::waiting,
                      .lane = lane,
                      .line = line,
                      .order = number,
                      .ahead = ahead,
                      .behind = all - ahead - 1,
                      .joined = now,
                      .is_new = true},
             {Joined{.number = number, .visitor = key, .lane = lane}});
    }
    void call(Number number) { tell(Tick{}, Done{.called = 1}, {Called{number}}); }
    void pass(Millis span) { now = now + span; }
    Standing waiting(Number number, std::uint64_t ahead) const {
        Standing standing{.number = number, .state = VisitorState::waiting, .line = 1};
        standing.order = number;
        standing.ahead = ahead;
        standing.behind = witness.book().waiting - ahead - 1;
        standing.joined = witness.book().guests.at(number).joined;
        return standing;
    }
    std::string complaint() const {
        return witness.violation() ? witness.violation()->what : "none";
    }

    Witness witness{Millis{0}};
    Instant now{1'000'000};
    std::uint64_t sequence = 0;
};

void expect_complaint(const Tale& tale, const std::string& about) {
    EXPECT_NE(tale.complaint().find(about), std::string::npos) << tale.complaint();
}

Settings two_lanes() {
    Settings settings;
    settings.lanes = 2;
    return settings;
}

// Called, and asks for a lease of a minute.
Standing inside(const Tale& tale, Instant until) {
    return {.number = 1,
            .state = VisitorState::active,
            .line = 1,
            .order = 1,
            .joined = tale.witness.book().guests.at(1).joined,
            .until = until};
}

TEST(Witness, IsContentWithALeaseAsItWasSet) {
    Tale tale;
    tale.join(1);
    tale.call(1);
    const Instant until = tale.now + minutes(1);
    tale.tell(SetLease{1, minutes(1)}, inside(tale, until), {Claimed{1}, LeaseSet{1, until}});
    tale.tell(SetLease{1, hours(9)}, Refused{Reason::bad_lease});
    tale.pass(minutes(1));
    tale.tell(Tick{}, Done{.expired = 1}, {Expired{1, Expiry::lease}});
    EXPECT_EQ(tale.complaint(), "none");
}

TEST(Witness, NoticesALeaseThatWasNotSet) {
    Tale tale;
    tale.join(1);
    tale.call(1);
    tale.tell(SetLease{1, minutes(1)}, inside(tale, tale.now + minutes(10)), {Claimed{1}});
    expect_complaint(tale, "another time than was set");
}

TEST(Witness, NoticesALeaseThatNobodyAskedFor) {
    Tale tale;
    tale.join(1);
    tale.call(1);
    tale.tell(Tick{}, Done{}, {LeaseSet{1, tale.now + minutes(1)}});
    expect_complaint(tale, "a lease without a place inside");
}

TEST(Witness, IsContentWithAGoodVisit) {
    Tale tale({.capacity = 1});
    tale.join(1);
    tale.join(2);
    tale.call(1);
    tale.tell(Claim{2}, Refused{Reason::not_called});
    tale.tell(Finish{1}, Done{}, {Finished{1}});
    tale.call(2);
    EXPECT_EQ(tale.complaint(), "none");
}

TEST(Witness, SeesASecondCall) {
    Tale tale;
    tale.join(1);
    tale.call(1);
    tale.call(1);
    expect_complaint(tale, "called twice");
}

TEST(Witness, IsContentWhenTheAbsentArePassedOverAndMissedCallsGoToTheNext) {
    Tale tale({.capacity = 1});
    tale.join(1);
    tale.join(2);
    tale.pass(seconds(10));
    tale.witness.saw_touch(2, tale.now);
    tale.call(2);
    tale.pass(seconds(30));
    tale.witness.saw_touch(1, tale.now);
    tale.tell(Tick{}, Done{.called = 1}, {Missed{2}, Called{1}});
    EXPECT_EQ(tale.complaint(), "none");
}

TEST(Witness, SeesACallOfSomebodyAbsent) {
    Tale tale;
    tale.join(1);
    tale.pass(seconds(10));
    tale.call(1);
    expect_complaint(tale, "who is absent");
}

TEST(Witness, SeesASlotLeftFreeForSomebodyBehindTheAbsent) {
    Tale tale({.capacity = 1, .admit_on_join = false});
    tale.join(1);
    tale.join(2);
    tale.pass(seconds(10));
    tale.witness.saw_touch(2, tale.now, seconds(10));
    tale.witness.saw_time(tale.now);
    tale.pass(Millis{2'001});
    tale.witness.saw_time(tale.now);
    expect_complaint(tale, "a free slot stays unused");
}

TEST(Witness, SeesSomebodyOvertakenWhoIsBack) {
    Tale tale({.capacity = 1});
    tale.join(1);
    tale.join(2);
    tale.pass(seconds(10));
    tale.witness.saw_touch(2, tale.now);
    tale.witness.saw_touch(1, tale.now);
    tale.call(2);
    expect_complaint(tale, "overtaken within the lane");
}

TEST(Witness, SeesAMissedCallThatWasTakenBackTooEarly) {
    Tale tale;
    tale.join(1);
    tale.call(1);
    tale.pass(Millis{29'999});
    tale.tell(Tick{}, Done{}, {Missed{1}});
    expect_complaint(tale, "before the time for the claim was over");
}

TEST(Witness, SeesAVisitThatEndsWithTheFirstMissedCall) {
    Tale tale;
    tale.join(1);
    tale.call(1);
    tale.pass(seconds(30));
    tale.tell(Tick{}, Done{.expired = 1}, {Expired{1, Expiry::no_show}});
    expect_complaint(tale, "ended with the first call");
}

TEST(Witness, SeesSomebodyCalledAgainWhoMissedACallAndDidNotAsk) {
    Tale tale;
    tale.join(1);
    tale.call(1);
    tale.pass(seconds(30));
    tale.tell(Tick{}, Done{.called = 1}, {Missed{1}, Called{1}});
    expect_complaint(tale, "who is absent");
}

TEST(Witness, SeesAFourthChance) {
    Tale tale;
    tale.join(1);
    for (int call = 1; call <= 3; ++call) {
        tale.call(1);
        tale.pass(seconds(30));
        EXPECT_EQ(tale.complaint(), "none");
        tale.tell(Tick{}, Done{}, {Missed{1}});
        tale.tell(Touch{1}, Standing{.number = 1,
                                     .state = VisitorState::waiting,
                                     .line = 1,
                                     .order = 1,
                                     .joined = Instant{1'000'000},
                                     .missed = static_cast<std::uint8_t>(call)});
    }
    expect_complaint(tale, "missed too often");
}

TEST(Witness, SeesAStreamThatBringsBackWhoMissedACall) {
    Tale tale;
    tale.join(1);
    tale.call(1);
    tale.pass(seconds(30));
    tale.tell(Tick{}, Done{}, {Missed{1}});
    tale.witness.saw_stay(1, tale.now, true);
    expect_complaint(tale, "bring back who missed a call");
}

TEST(Witness, SeesAheadGrowAfterAMissedCall) {
    Tale tale({.capacity = 1});
    tale.join(1);
    tale.join(2);
    tale.call(1);
    tale.witness.saw_standing(tale.waiting(2, 0));
    tale.pass(seconds(30));
    tale.tell(Tick{}, Done{}, {Missed{1}});
    Standing grown = tale.waiting(2, 1);
    grown.behind = 0;
    tale.witness.saw_standing(grown);
    EXPECT_NE(tale.complaint(), "none");
}

TEST(Witness, SeesACallAboveTheCapacity) {
    Tale tale({.capacity = 1});
    tale.join(1);
    tale.join(2);
    tale.call(1);
    tale.call(2);
    expect_complaint(tale, "above the capacity");
}

TEST(Witness, SeesTooManyCallsInAWindow) {
    Tale tale({.admit_batch = 1, .admit_interval = seconds(5)});
    tale.join(1);
    tale.join(2);
    tale.call(1);
    tale.pass(Millis{4'999});
    tale.call(2);
    expect_complaint(tale, "more calls than a batch");
}

TEST(Witness, SeesTooManyCallsForTheRate) {
    Tale tale({.rate_milli = 2'000});
    for (Number number = 1; number <= 3; ++number) tale.join(number);
    for (Number number = 1; number <= 3; ++number) {
        tale.call(number);
        tale.pass(Millis{400});
    }
    expect_complaint(tale, "more calls than the rate");
}

TEST(Witness, LetsAnOperatorCallFasterThanThePace) {
    Tale tale({.admit_batch = 1, .admit_interval = seconds(5)});
    tale.join(1);
    tale.join(2);
    tale.call(1);
    tale.tell(CallNext{1}, Done{.called = 1}, {Called{2}});
    EXPECT_EQ(tale.complaint(), "none");
}

TEST(Witness, SeesOvertakingWithinALane) {
    Tale tale;
    tale.join(1);
    tale.join(2);
    tale.call(2);
    expect_complaint(tale, "overtaken");
}

TEST(Witness, SeesALowerLaneBeforeAHigherOne) {
    Tale tale(two_lanes());
    tale.join(1, 1);
    tale.join(2, 0);
    tale.call(1);
    expect_complaint(tale, "lower lane");
}

TEST(Witness, SeesACallInAPausedRoom) {
    Tale tale;
    tale.join(1);
    tale.tell(SetState{RoomState::paused}, Done{}, {StateChanged{RoomState::paused}});
    tale.call(1);
    expect_complaint(tale, "paused or closed");
}

TEST(Witness, SeesACallBeforeTheLeastWait) {
    Tale tale({.wait_min = seconds(10)});
    tale.join(1);
    tale.call(1);
    expect_complaint(tale, "least wait");
}

TEST(Witness, SeesANumberUsedAgain) {
    Tale tale;
    tale.join(1);
    tale.tell(Leave{1}, Done{}, {Leaving{1}});
    tale.pass(minutes(1));
    tale.tell(Tick{}, Done{.left = 1}, {Left{1}});
    tale.join(1);
    expect_complaint(tale, "used again");
}

TEST(Witness, SeesASecondPlaceForTheSameVisitor) {
    Tale tale;
    tale.join(1);
    const VisitorKey key{1, 1};
    tale.tell(Join{.visitor = key}, Standing{.number = 2, .is_new = true},
              {Joined{.number = 2, .visitor = key}});
    expect_complaint(tale, "two places");
}

TEST(Witness, SeesAGapInTheFacts) {
    Tale tale;
    ++tale.sequence;
    tale.join(1);
    expect_complaint(tale, "gap");
}

TEST(Witness, SeesAFactOfAnotherTime) {
    Tale tale;
    const Fact fact{.sequence = 2, .at = tale.now + seconds(1), .what = StateChanged{}};
    tale.witness.saw(SetState{}, tale.now, Done{}, {&fact, 1});
    expect_complaint(tale, "another time");
}

TEST(Witness, SeesARefusalThatChangesSomething) {
    Tale tale;
    tale.join(1);
    tale.tell(Leave{1}, Refused{Reason::room_full}, {Leaving{1}});
    expect_complaint(tale, "refused command changed");
}

TEST(Witness, SeesARefusalWithoutReason) {
    Tale tale;
    tale.tell(Join{.visitor = {1, 1}}, Refused{Reason::room_full});
    expect_complaint(tale, "no good reason");
}

TEST(Witness, SeesSomebodyLost) {
    Tale tale;
    tale.join(1);
    tale.tell(Touch{1}, Refused{Reason::unknown_number});
    expect_complaint(tale, "lost");
}

TEST(Witness, SeesAWrongState) {
    Tale tale;
    tale.join(1);
    tale.witness.saw_standing(Standing{.number = 1, .state = VisitorState::active});
    expect_complaint(tale, "another state");
}

TEST(Witness, SeesAPlaceThatBecomesWorse) {
    Tale tale;
    tale.join(1);
    tale.join(2);
    tale.join(3);
    tale.witness.saw_standing(tale.waiting(2, 0));
    tale.witness.saw_standing(tale.waiting(2, 1));
    expect_complaint(tale, "became worse");
}

TEST(Witness, SeesAWrongCountAhead) {
    Tale tale;
    tale.join(1);
    tale.join(2);
    tale.witness.saw_standing(tale.waiting(2, 0), 1);
    expect_complaint(tale, "number of those before");
}

TEST(Witness, SeesWrongCounts) {
    Tale tale;
    tale.join(1);
    tale.witness.saw_counts({.waiting = 2, .issued = 1});
    expect_complaint(tale, "in the line");
}

TEST(Witness, SeesSomebodySweptTooEarly) {
    Tale tale({.idle = minutes(1)});
    tale.join(1);
    tale.pass(Millis{59'999});
    tale.tell(Tick{}, Done{.expired = 1}, {Expired{1, Expiry::silent}});
    expect_complaint(tale, "swept before");
}

TEST(Witness, SeesSomebodySweptInTheGraceAfterWaking) {
    Tale tale({.idle = minutes(1)});
    tale.join(1);
    tale.pass(minutes(10));
    tale.tell(Wake{}, Done{});
    tale.pass(seconds(59));
    tale.tell(Tick{}, Done{.expired = 1}, {Expired{1, Expiry::silent}});
    expect_complaint(tale, "swept before");
}

TEST(Witness, SeesSomebodySilentWhoStays) {
    Tale tale({.capacity = 0, .idle = minutes(1)});
    tale.join(1);
    tale.pass(seconds(93));
    tale.witness.look_for_overdue(tale.now);
    expect_complaint(tale, "not swept");
}

TEST(Witness, SeesALeaseThatEndsTooEarly) {
    Tale tale({.claim_window = seconds(30)});
    tale.join(1);
    tale.call(1);
    tale.pass(seconds(29));
    tale.tell(Tick{}, Done{.expired = 1}, {Expired{1, Expiry::no_show}});
    expect_complaint(tale, "too early");
}

TEST(Witness, SeesALeaseThatNeverEnds) {
    Tale tale({.claim_window = seconds(30)});
    tale.join(1);
    tale.call(1);
    tale.pass(seconds(33));
    tale.witness.look_for_overdue(tale.now);
    expect_complaint(tale, "outlived");
}

TEST(Witness, SeesALeaseBeyondItsMaximum) {
    Tale tale({.lease = minutes(1), .lease_max = minutes(2)});
    tale.join(1);
    tale.call(1);
    tale.pass(minutes(3));
    tale.tell(Finish{1}, Done{}, {Finished{1}});
    expect_complaint(tale, "beyond its maximum");
}

TEST(Witness, SeesAReturnThatLosesThePlace) {
    Tale tale;
    tale.join(1);
    tale.tell(Leave{1}, Done{}, {Leaving{1}});
    tale.tell(Touch{1}, Standing{.number = 1, .state = VisitorState::leaving});
    expect_complaint(tale, "did not restore");
}

TEST(Witness, SeesALeaverWithoutGrace) {
    Tale tale;
    tale.join(1);
    tale.tell(Leave{1}, Done{}, {Left{1}});
    expect_complaint(tale, "without the grace");
}

TEST(Witness, SeesAClosedLaneWithSomebodyInIt) {
    Tale tale(two_lanes());
    tale.join(1, 1);
    tale.tell(Configure{}, Done{}, {Configured{}});
    expect_complaint(tale, "lane was closed");
}

TEST(Witness, SeesASlotThatATickLeavesFree) {
    Tale tale;
    tale.join(1);
    tale.tell(Tick{}, Done{});
    expect_complaint(tale, "slot free");
}

TEST(Witness, SeesASlotThatStaysFreeWithoutTicks) {
    Tale tale;
    tale.join(1);
    tale.witness.saw_time(tale.now);
    EXPECT_EQ(tale.complaint(), "none");
    tale.witness.saw_time(tale.now + Millis{2'001});
    expect_complaint(tale, "stays unused");
}

TEST(Witness, SeesTheOuterLineServeBeyondWhatItIssued) {
    Tale tale;
    tale.tell(Activate{}, Done{}, {Activated{1}});
    tale.tell(Advance{5}, Done{.advanced = 5}, {Advanced{5}});
    expect_complaint(tale, "beyond what it issued");
}

class OuterTale : public Tale {
  public:
    OuterTale() {
        tell(Activate{}, Done{}, {Activated{1}});
        take(1);
        take(2);
        tell(Advance{1}, Done{.advanced = 1}, {Advanced{1}});
    }
    void take(Number number) {
        const OuterStanding standing{.generation = 1, .number = number, .issued = number};
        const VisitorKey key{number, 7};
        tell(TakeNumber{key}, standing, {NumberTaken{.number = number, .visitor = key}});
    }
    void join_with(std::uint32_t generation, Number outer, VisitorKey key) {
        const Number number = witness.book().issued + 1;
        tell(Join{.visitor = key, .outer = OuterPlace{generation, outer}},
             Standing{.number = number, .state = VisitorState::waiting, .is_new = true},
             {Joined{.number = number, .visitor = key, .outer = outer}});
    }
};

TEST(Witness, SeesAJoinPastTheOuterLine) {
    OuterTale tale;
    tale.join(1);
    expect_complaint(tale, "past the outer line");
}

TEST(Witness, SeesAJoinBeforeTheOuterTurn) {
    OuterTale tale;
    tale.join_with(1, 2, {2, 7});
    expect_complaint(tale, "before the outer turn");
}

TEST(Witness, SeesAnOldGenerationAccepted) {
    OuterTale tale;
    tale.join_with(0, 1, {1, 7});
    expect_complaint(tale, "unknown outer number");
}

TEST(Witness, SeesASecondOuterNumber) {
    OuterTale tale;
    const OuterStanding standing{.generation = 1, .number = 3, .issued = 3};
    tale.tell(TakeNumber{{1, 7}}, standing, {NumberTaken{.number = 3, .visitor = {1, 7}}});
    expect_complaint(tale, "two outer numbers");
}

TEST(Witness, SeesAnOuterNumberUsedByTwo) {
    OuterTale tale;
    const Joined joined{.number = 1, .visitor = {1, 7}, .outer = 1};
    const Standing standing{.number = 1,
                            .state = VisitorState::waiting,
                            .order = 1,
                            .joined = tale.now,
                            .is_new = true};
    tale.tell(Join{.visitor = {1, 7}, .outer = OuterPlace{1, 1}}, standing, {joined});
    EXPECT_EQ(tale.complaint(), "none");
    tale.join_with(1, 1, {9, 9});
    expect_complaint(tale, "somebody else's outer number");
}

} // namespace
} // namespace anteroom::sim
