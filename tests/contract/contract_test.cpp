// What every store must do, asked of each of them with the engine as the judge: a store adds
// nothing to the rules and takes nothing from them.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/contract/houses.h"

namespace anteroom::contract {
namespace {

VisitorKey visitor(std::uint64_t i) {
    return {.high = i * 0x9e37'79b9'7f4a'7c15, .low = i};
}

// Without the times, which the judge reads a moment later.
Outcome timeless(Outcome outcome) {
    if (auto* standing = std::get_if<Standing>(&outcome)) standing->joined = standing->until = {};
    return outcome;
}

bool is_unavailable(const Outcome& outcome) {
    return outcome == Outcome(Refused{Reason::unavailable});
}

std::string in_words(const Outcome& outcome) {
    std::ostringstream out;
    if (const auto* s = std::get_if<Standing>(&outcome))
        out << "standing " << s->number << ' ' << name(s->state) << " line " << int{s->line}
            << " order " << s->order << " ahead " << s->ahead << " behind " << s->behind
            << (s->is_new ? " new" : "") << (s->redeemed ? " redeemed" : "");
    if (const auto* s = std::get_if<OuterStanding>(&outcome))
        out << "outer " << s->generation << '/' << s->number << " serving " << s->serving << " of "
            << s->issued << (s->released ? " released" : "") << (s->is_new ? " new" : "");
    if (const auto* d = std::get_if<Done>(&outcome))
        out << "called " << d->called << " expired " << d->expired << " left " << d->left
            << " advanced " << d->advanced;
    if (const auto* r = std::get_if<Refused>(&outcome)) out << "refused " << name(r->reason);
    return out.str();
}

// A room of the house beside a room of the engine alone.
class Trial {
  public:
    Trial(House& house, const Settings& rules) : house_(house), id_(house.fresh_room_id()) {
        house_.process(0).make(id_, {.rules = rules});
        Facts facts;
        judge_.apply(Configure{rules}, now(), facts);
        note(facts);
    }

    // By one process after the other. False: stop, the rest means nothing.
    bool ask(const Command& command) {
        Process& process = house_.process(asked_++ % house_.processes());
        const Outcome told = process.ask(id_, command);
        if (is_unavailable(told)) {
            was_unavailable_ = true;
            return false;
        }
        Facts facts;
        const Outcome expected = judge_.apply(command, now(), facts);
        note(facts);
        EXPECT_EQ(in_words(timeless(told)), in_words(timeless(expected)))
            << "command " << asked_ << " of kind " << command.index();
        return timeless(told) == timeless(expected);
    }

    // A machine so slow that a process lost its lease: nothing is wrong, and nothing is shown.
    bool was_unavailable() const { return was_unavailable_; }

    // Everybody has the same room, everybody was told everything, and it is what should have been.
    void compare_at_the_end() {
        for (std::size_t i = 0; i < house_.processes(); ++i) {
            Process& process = house_.process(i);
            const Facts heard = process.await_heard(id_, happened_.size());
            ASSERT_EQ(heard.size(), happened_.size());
            Room replayed;
            for (std::size_t fact = 0; fact < heard.size(); ++fact) {
                ASSERT_EQ(heard[fact].what.index(), happened_[fact].what.index()) << fact;
                ASSERT_TRUE(replayed.replay(heard[fact])) << fact;
            }
            EXPECT_EQ(process.digest(id_), replayed.digest()) << "process " << i;
        }
    }

  private:
    Instant now() { return house_.process(0).clock().now(); }
    void note(const Facts& facts) { happened_.insert(happened_.end(), facts.begin(), facts.end()); }

    House& house_;
    const std::string id_;
    Room judge_;
    Facts happened_;
    std::size_t asked_ = 0;
    bool was_unavailable_ = false;
};

// Plays in a fresh room, and in another one if the store was not to be had meanwhile.
template <class Play>
void play(House& house, const Settings& rules, Play commands) {
    for (int attempt = 0; attempt < 10; ++attempt) {
        Trial trial(house, rules);
        const bool complete = commands(trial);
        if (trial.was_unavailable()) continue;
        if (complete) trial.compare_at_the_end();
        return;
    }
    FAIL() << "the store is never to be had";
}

struct Scene {
    const char* name;
    Settings rules;
    std::vector<Command> commands;
};

Settings small(std::int64_t capacity) {
    return {.capacity = capacity,
            .admit_batch = 1'000,
            .admit_interval = seconds(1),
            // The model hears of a command a moment after the store: nothing ends in between.
            .leave_grace = hours(1),
            .outer_interval = hours(1)};
}

Join join(std::uint64_t who, std::uint8_t lane = 0) {
    return {.visitor = visitor(who), .lane = lane};
}
Join carry(std::uint64_t who, Number number, std::uint32_t generation = 1) {
    return {.visitor = visitor(who),
            .outer = OuterPlace{.generation = generation, .number = number}};
}

std::vector<Scene> scenes() {
    Settings lanes = small(1);
    lanes.lanes = 3;
    Settings few = small(1);
    few.waiting_max = 2;
    Settings first = small(10);
    first.called_max = 1;
    first.admit_on_join = false;
    first.claim_by_look = false;
    Settings by_hand = small(2);
    by_hand.claim_by_look = false;
    Settings impossible = small(1);
    impossible.admit_batch = 0;
    return {
        {"JoinersGetNumbersInOrder", small(0), {join(1), join(2), join(3), join(2)}},
        {"WhoMeetsAFreeSlotIsCalled", small(2), {join(1), join(2), join(3), Touch{1}}},
        {"AFinishedVisitMakesRoom", small(1), {join(1), join(2), Finish{1}, Tick{}, Touch{2}}},
        {"ALeaverKeepsThePlaceForAWhile",
         small(0),
         {join(1), join(2), join(3), Leave{2}, Touch{3}, Touch{2}, Leave{2}, join(2)}},
        {"WhoIsInsideMayLeave", small(1), {join(1), join(2), Leave{1}, Tick{}, Touch{2}, Leave{1}}},
        {"CallsAreClaimedByHand",
         by_hand,
         {join(1), join(2), join(3), Claim{3}, Claim{1}, Claim{1}}},
        {"APassIsRedeemedOnce", small(1), {join(1), Redeem{1}, Redeem{1}, join(2), Redeem{2}}},
        {"ALeaseIsSet",
         small(2),
         {join(1), join(2), join(3), SetLease{1, seconds(5)}, SetLease{1, hours(999)},
          SetLease{3, seconds(5)}, SetLease{1, Millis{0}}, SetLease{9, seconds(5)}, Touch{1}}},
        {"APausedRoomCallsNobody",
         small(1),
         {SetState{RoomState::paused}, join(1), Tick{}, Touch{1}, Resume{}, Tick{}, Touch{1},
          Resume{}}},
        {"ADrainingRoomTakesNobody",
         small(1),
         {join(1), SetState{RoomState::draining}, join(2), join(1)}},
        {"AClosedRoomTakesAndCallsNobody",
         small(1),
         {join(1), join(2), SetState{RoomState::closed}, join(3), Finish{1}, Tick{}, Touch{2}}},
        {"PassThroughLetsEverybodyIn",
         small(1),
         {join(1), join(2), SetState{RoomState::passthrough}, Tick{}, Touch{2}, join(3)}},
        {"ClearEndsEverybody", small(1), {join(1), join(2), Clear{}, Touch{1}, Touch{2}, join(2)}},
        {"SettingsChangeAtOnce",
         small(0),
         {join(1), join(2), Configure{small(1)}, Tick{}, Touch{1}, Touch{2},
          Configure{impossible}}},
        {"LanesGoOneAfterTheOther",
         lanes,
         {join(1), join(2, 2), join(3, 1), join(4, 0), join(5, 7), Touch{2}, Finish{1}, Tick{},
          Touch{4}}},
        {"TheOuterLineComesFirst",
         small(1),
         {Activate{}, TakeNumber{visitor(1)}, TakeNumber{visitor(2)}, join(1), carry(1, 1),
          Advance{1}, carry(1, 1), carry(2, 2), carry(3, 1), Advance{5}, carry(2, 2),
          TakeNumber{visitor(1)}}},
        {"OuterNumbersGiveTheOrder",
         small(0),
         {Activate{}, TakeNumber{visitor(1)}, TakeNumber{visitor(2)}, TakeNumber{visitor(3)},
          Advance{3}, carry(3, 3), carry(1, 1), Touch{1}, carry(2, 2), Touch{1}, Touch{3}}},
        {"AnOldGenerationIsUnknown",
         small(1),
         {Activate{}, TakeNumber{visitor(1)}, Deactivate{}, join(2), Activate{}, Advance{1},
          carry(1, 1), carry(1, 1, 2), TakeNumber{visitor(1)}}},
        {"AFullRoomTakesNobody", few, {join(1), join(2), join(3), join(4), join(3)}},
        {"OnlyTheFirstMayEnter",
         first,
         {join(1), join(2), Tick{}, Tick{}, Claim{1}, Tick{}, Claim{2}}},
        {"OperatorsCall",
         small(2),
         {SetState{RoomState::paused}, join(1), join(2), join(3), Resume{}, CallNext{5},
          CallNext{-1}, Touch{3}}},
        {"NobodyHasThisNumber",
         small(1),
         {Touch{9}, Claim{9}, Redeem{9}, Finish{9}, Leave{9}, Advance{1}}},
    };
}

class Contract : public testing::TestWithParam<HouseKind> {
  protected:
    House& house() { return House::of(GetParam()); }
};

TEST_P(Contract, ScenesEndAsTheEngineSays) {
    for (const Scene& scene : scenes()) {
        SCOPED_TRACE(scene.name);
        play(house(), scene.rules, [&](Trial& trial) {
            bool goes_on = true;
            for (std::size_t i = 0; goes_on && i < scene.commands.size(); ++i)
                goes_on = trial.ask(scene.commands[i]);
            return goes_on;
        });
    }
}

Command random_command(std::mt19937_64& random, bool has_outer) {
    const auto up_to = [&](std::uint64_t n) { return random() % n; };
    const Number number = 1 + up_to(30);
    switch (up_to(has_outer ? 20 : 15)) {
        case 0:
        case 1:
        case 2:
        case 3: return join(up_to(25), static_cast<std::uint8_t>(up_to(2)));
        case 4:
        case 5:
            if (up_to(3) == 0) return Seek{join(up_to(25), 0).visitor};
            return Touch{number};
        case 6: return Claim{number};
        case 7: return Finish{number};
        case 8: return Leave{number};
        case 9:
            if (up_to(2) > 0)
                return SetLease{number, minutes(static_cast<std::int64_t>(1 + up_to(12)))};
            return Redeem{number};
        case 10:
        case 11: return Tick{};
        case 12: return CallNext{static_cast<std::int64_t>(up_to(3))};
        case 13:
            if (up_to(4) > 0) return Resume{};
            return SetState{static_cast<RoomState>(up_to(5))};
        case 14: {
            if (up_to(10) == 0) return Clear{};
            Settings rules = small(static_cast<std::int64_t>(up_to(6)));
            rules.lanes = 2;
            rules.claim_by_look = up_to(2) == 0;
            return Configure{rules};
        }
        case 15:
        case 16: return TakeNumber{visitor(up_to(25))};
        case 17: return Advance{static_cast<std::int64_t>(up_to(3))};
        case 18:
            if (up_to(5) > 0) return carry(up_to(25), 1 + up_to(20));
            return Activate{};
        default:
            return up_to(6) == 0 ? Command(Deactivate{}) : Command(carry(up_to(25), 1 + up_to(20)));
    }
}

TEST_P(Contract, RandomSequencesEndAsTheEngineSays) {
    for (std::uint64_t seed = 1; seed <= house().random_rounds(); ++seed) {
        SCOPED_TRACE(seed);
        Settings rules = small(3);
        rules.lanes = 2;
        play(house(), rules, [&](Trial& trial) {
            std::mt19937_64 random(seed);
            bool goes_on = true;
            for (int i = 0; goes_on && i < 200; ++i)
                goes_on = trial.ask(random_command(random, seed % 2 == 0));
            return goes_on;
        });
    }
}

TEST_P(Contract, AThousandJoinsAtOnceNeverExceedTheCapacity) {
    Process& first = house().process(0);
    const std::string id = house().fresh_room_id();
    first.make(id, {.rules = small(100)});
    constexpr std::size_t crowd = 1'000;
    std::vector<std::promise<Outcome>> done(crowd);
    for (std::size_t i = 0; i < crowd; ++i) {
        Process& process = house().process(i % house().processes());
        process.store().submit(*process.room(id), join(i + 1), nullptr,
                               [&done, i](const Outcome& outcome) { done[i].set_value(outcome); });
    }
    std::set<Number> numbers;
    std::size_t inside = 0;
    for (std::size_t i = 0; i < crowd; ++i) {
        Outcome outcome = done[i].get_future().get();
        if (is_unavailable(outcome)) outcome = first.insist(id, join(i + 1));
        const auto* standing = std::get_if<Standing>(&outcome);
        ASSERT_TRUE(standing) << in_words(outcome);
        numbers.insert(standing->number);
        if (is_inside(standing->state)) ++inside;
    }
    EXPECT_EQ(numbers.size(), crowd);
    EXPECT_EQ(*numbers.rbegin(), crowd);
    EXPECT_EQ(inside, 100u);
}

TEST_P(Contract, AProfileIsSeenEverywhere) {
    const std::string id = house().fresh_room_id();
    house().process(0).make(id);
    for (std::size_t i = 0; i < house().processes(); ++i) {
        const Profile profile{.message = "of process " + std::to_string(i), .target = "/"};
        Process& process = house().process(i);
        // Again if the writer was asleep for too long.
        Process::eventually([&] {
            std::promise<void> done;
            process.store().set_profile(*process.room(id), profile, nullptr,
                                        [&] { done.set_value(); });
            done.get_future().wait();
            return process.room(id)->profile() == profile;
        });
        for (std::size_t other = 0; other < house().processes(); ++other)
            Process::eventually(
                [&] { return house().process(other).room(id)->profile() == profile; });
    }
}

INSTANTIATE_TEST_SUITE_P(Stores, Contract, testing::ValuesIn(house_kinds()),
                         [](const auto& kind) { return std::string(name(kind.param)); });

} // namespace
} // namespace anteroom::contract
