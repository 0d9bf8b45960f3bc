// Every sequence of commands in small worlds, against the naive model: what can go wrong with three
// visitors and two slots, goes wrong here.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tests/model/compare.h"

namespace anteroom::model {
namespace {

constexpr std::size_t alphabet = 9;

// Keys that fall into the same shard of the index and the same slot: collisions on purpose.
VisitorKey key(std::uint64_t visitor) {
    return {.high = visitor, .low = 8 * visitor};
}

// One letter of a sequence: time passes, then the room gets a command.
struct Step {
    std::string text;
    Millis pause;
    std::function<Command(const Room&)> command;
};

Step join(std::uint64_t visitor, std::uint8_t lane = 0) {
    return {"join " + std::to_string(visitor), Millis{1},
            [=](const Room&) { return Join{.visitor = key(visitor), .lane = lane}; }};
}

// Joins with the outer number that was taken `nth`.
Step join_from_outer(std::uint64_t visitor, Number outer) {
    return {"join " + std::to_string(visitor) + " from outer", Millis{1}, [=](const Room& room) {
                const OuterPlace place{.generation = room.outer().generation(), .number = outer};
                return Join{.visitor = key(visitor), .outer = place};
            }};
}

// A command about the newest number, that of the last join.
template <class About>
Step about(std::string text, Number number) {
    return {std::move(text), Millis{1}, [=](const Room&) { return About{number}; }};
}

Step plain(std::string text, Command command, Millis pause = Millis{1}) {
    return {std::move(text), pause, [=](const Room&) { return command; }};
}

Step tick(Millis after) {
    return plain("tick", Tick{}, after);
}

struct World {
    Settings settings;
    std::vector<Command> opening;
    std::array<Step, alphabet> steps;
};

class Exhaustive {
  public:
    explicit Exhaustive(World world) : world_(std::move(world)) {}

    // Runs all sequences of `depth` letters; returns how many, or 0 after a failure.
    std::uint64_t run(std::size_t depth) {
        std::vector<std::size_t> letters(depth, 0);
        std::size_t changed = 0; // The first letter that differs from the last sequence.
        std::uint64_t sequences = 0;
        for (;; ++sequences) {
            if (!play(letters, changed)) return 0;
            std::size_t i = depth;
            while (i > 0 && letters[i - 1] == alphabet - 1) letters[--i] = 0;
            if (i == 0) return sequences + 1;
            ++letters[i - 1];
            changed = i - 1;
        }
    }

  private:
    // Prefixes that were checked with an earlier sequence are not checked again.
    bool play(const std::vector<std::size_t>& letters, std::size_t check_from) {
        Room room;
        NaiveRoom model;
        Instant now{1'000'000};
        facts_.clear();
        room.apply(Configure{world_.settings}, now, facts_);
        model.apply(Configure{world_.settings}, now);
        for (const Command& command : world_.opening) {
            room.apply(command, now, facts_);
            model.apply(command, now);
        }
        for (std::size_t i = 0; i < letters.size(); ++i) {
            const Step& step = world_.steps[letters[i]];
            now = now + step.pause;
            const Command command = step.command(room);
            const bool early = i >= check_from && std::holds_alternative<Tick>(command) &&
                               room.next_deadline().value_or(instant_max) > now;
            const std::size_t facts_before = facts_.size();
            const Outcome ours = room.apply(command, now, facts_);
            const Outcome theirs = model.apply(command, now);
            if (i < check_from) continue;
            std::string found = difference(room, model);
            if (ours != theirs) found = describe(ours) + " instead of " + describe(theirs);
            if (early && facts_.size() > facts_before)
                found = "a tick before the deadline did something";
            if (found.empty()) found = replay_difference(room, facts_);
            if (!found.empty()) return fail(letters, i, found);
        }
        return true;
    }

    bool fail(const std::vector<std::size_t>& letters, std::size_t last, const std::string& found) {
        std::string story;
        for (std::size_t i = 0; i <= last; ++i)
            story += "  " + world_.steps[letters[i]].text + "\n";
        ADD_FAILURE() << found << "\nafter\n" << story;
        return false;
    }

    World world_;
    Facts facts_;
};

Settings small() {
    Settings settings;
    settings.capacity = 1;
    settings.lease = seconds(5);
    settings.lease_max = seconds(9);
    settings.claim_window = seconds(3);
    settings.idle = seconds(8);
    settings.sweep_interval = seconds(2);
    settings.leave_grace = seconds(2);
    settings.admit_batch = 1;
    settings.admit_interval = seconds(1);
    settings.waiting_max = 2;
    return settings;
}

constexpr std::uint64_t power(std::uint64_t base, std::size_t exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

void expect_all_agree(World world, std::size_t depth) {
    EXPECT_EQ(Exhaustive(std::move(world)).run(depth), power(alphabet, depth));
}

// 9^6 = 531 441 sequences; ANTEROOM_EXHAUSTIVE_DEPTH=7 runs 9^7 = 4 782 969.
std::size_t depth_wanted() {
    const char* given = std::getenv("ANTEROOM_EXHAUSTIVE_DEPTH");
    return given ? std::strtoul(given, nullptr, 10) : 6;
}

TEST(Exhaustive, OneSlotAndThreeVisitorsBehaveLikeTheModel) {
    expect_all_agree({.settings = small(),
                      .opening = {},
                      .steps = {join(1), join(2), join(3), about<Leave>("leave 1", 1),
                                about<Touch>("touch 2", 2), about<Finish>("finish 1", 1),
                                tick(Millis{1}), tick(seconds(2)), tick(seconds(5))}},
                     depth_wanted());
}

TEST(Exhaustive, TwoSlotsWithClaimsBehaveLikeTheModel) {
    Settings settings = small();
    settings.capacity = 2;
    settings.admit_batch = 2;
    settings.lease_start = LeaseStart::at_claim;
    settings.claim_by_look = false;
    settings.admit_on_join = false;
    settings.called_max = 1;
    expect_all_agree(
        {.settings = settings,
         .opening = {Join{.visitor = key(1)}},
         .steps = {join(2), join(3), about<Claim>("claim 1", 1), about<Claim>("claim 2", 2),
                   about<Leave>("leave 2", 2), about<Finish>("finish 1", 1), tick(Millis{1}),
                   tick(seconds(3)), plain("wake", Wake{}, seconds(4))}},
        6);
}

// Ten seconds without a sign of life is absent, here; three seconds without a claim is missed.
TEST(Exhaustive, AbsenceAndMissedCallsBehaveLikeTheModel) {
    Settings settings = small();
    settings.claim_by_look = false;
    settings.admit_on_join = false;
    settings.admit_interval = Millis{1};
    settings.idle = seconds(25);
    settings.sweep_interval = seconds(9);
    settings.lease = settings.lease_max = seconds(40);
    settings.waiting_max = 10;
    const Step touch_longer = plain("touch 2, told 6 s", Touch{.number = 2, .told = seconds(6)});
    expect_all_agree(
        {.settings = settings,
         .opening = {Join{.visitor = key(1)}, Join{.visitor = key(2)}, Join{.visitor = key(3)}},
         .steps = {about<Touch>("touch 1", 1), touch_longer, about<Touch>("touch 3", 3),
                   about<Claim>("claim 1", 1), about<Leave>("leave 2", 2), tick(Millis{1}),
                   tick(seconds(3)), tick(seconds(10)), plain("wake", Wake{}, seconds(1))}},
        depth_wanted());
}

TEST(Exhaustive, AChangedPresenceAndLanesBehaveLikeTheModel) {
    Settings settings = small();
    settings.lanes = 2;
    settings.claim_by_look = false;
    settings.claim_window = seconds(5);
    settings.idle = minutes(1);
    settings.lease = settings.lease_max = minutes(2);
    settings.wait_min = seconds(1);
    settings.waiting_max = 10;
    settings.presence = seconds(10);
    Settings longer = settings;
    longer.presence = seconds(20);
    expect_all_agree(
        {.settings = settings,
         .opening = {Join{.visitor = key(1), .lane = 1}, Join{.visitor = key(2), .lane = 0}},
         .steps = {join(3, 1), about<Touch>("touch 1", 1), about<Touch>("touch 2", 2),
                   about<Finish>("finish 2", 2), plain("presence 20 s", Configure{longer}),
                   plain("presence 10 s", Configure{settings}), tick(seconds(1)), tick(seconds(5)),
                   tick(seconds(11))}},
        6);
}

TEST(Exhaustive, LanesPausesAndCapacityChangesBehaveLikeTheModel) {
    Settings settings = small();
    settings.lanes = 2;
    Settings shrunk = settings;
    shrunk.capacity = 0;
    Settings grown = settings;
    grown.capacity = 0xffff'ffff;
    grown.lanes = 1;
    expect_all_agree(
        {.settings = settings,
         .opening = {Join{.visitor = key(1), .lane = 1}},
         .steps = {join(2, 1), join(3, 0), plain("pause", SetState{RoomState::paused}),
                   plain("resume", Resume{}), plain("call 1", CallNext{1}), tick(seconds(1)),
                   about<Leave>("leave 2", 2), plain("capacity 0", Configure{shrunk}),
                   plain("capacity huge, one lane", Configure{grown})}},
        6);
}

TEST(Exhaustive, TheOuterLineBehavesLikeTheModel) {
    Settings settings = small();
    settings.outer_batch = 1;
    settings.outer_interval = seconds(2);
    settings.outer_lifetime = seconds(20);
    settings.waiting_max = 10;
    expect_all_agree(
        {.settings = settings,
         .opening = {Activate{}, TakeNumber{key(11)}},
         .steps = {plain("take 12", TakeNumber{key(12)}), plain("take 11", TakeNumber{key(11)}),
                   plain("advance", Advance{1}), join_from_outer(1, 1), join_from_outer(2, 2),
                   join_from_outer(3, 1), plain("deactivate", Deactivate{}),
                   plain("activate", Activate{}), tick(seconds(2))}},
        6);
}

TEST(Exhaustive, RatesMinimumWaitsAndStatesBehaveLikeTheModel) {
    Settings settings = small();
    settings.capacity = 3;
    settings.admit_batch = 3;
    settings.rate_milli = 1'500;
    settings.wait_min = Millis{600};
    settings.leave_grace = Millis{0};
    expect_all_agree({.settings = settings,
                      .opening = {Join{.visitor = key(1)}, Join{.visitor = key(2)}},
                      .steps = {join(3), join(4), tick(Millis{200}), tick(Millis{700}),
                                plain("drain", SetState{RoomState::draining}),
                                plain("pass through", SetState{RoomState::passthrough}),
                                plain("close", SetState{RoomState::closed}),
                                plain("clear", Clear{}), plain("open", SetState{RoomState::open})}},
                     6);
}

} // namespace
} // namespace anteroom::model
