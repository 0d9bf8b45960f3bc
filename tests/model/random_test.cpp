// Long random runs against the naive model: what small worlds are too small for (full chunks, many
// lanes, changing settings, hours of time). ANTEROOM_RANDOM_OPERATIONS and ANTEROOM_RANDOM_SEED
// make them longer or repeat one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/model/compare.h"

namespace anteroom::model {
namespace {

// splitmix64: small, good enough, the same on every machine.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t bound) {
        state_ += 0x9e37'79b9'7f4a'7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
        return (z ^ (z >> 31)) % bound;
    }
    bool one_in(std::uint64_t n) { return below(n) == 0; }
    template <class T>
    T pick(std::initializer_list<T> choices) {
        return *(choices.begin() + below(choices.size()));
    }

  private:
    std::uint64_t state_;
};

Settings random_settings(Dice& dice) {
    Settings s;
    s.capacity = dice.pick<std::int64_t>({0, 1, 2, 5, 5, 50, 0xffff'ffff});
    s.lease = dice.pick({seconds(2), seconds(30), minutes(10)});
    s.lease_max = dice.pick({s.lease, hours(1)});
    s.lease_start = dice.pick({LeaseStart::at_call, LeaseStart::at_claim});
    s.claim_window = dice.pick({seconds(1), seconds(60)});
    s.claim_by_look = dice.one_in(2);
    s.admit_batch = dice.pick<std::int64_t>({1, 3, 100});
    s.admit_interval = dice.pick({Millis{1}, seconds(1), seconds(10)});
    s.rate_milli = dice.pick<std::int64_t>({0, 0, 100, 2'500, 50'000});
    s.admit_on_join = dice.one_in(2);
    s.wait_min = dice.pick({Millis{0}, Millis{0}, seconds(5)});
    s.called_max = dice.pick<std::int64_t>({0, 0, 1, 10});
    s.waiting_max = dice.pick<std::int64_t>({0, 10, 1'000, 1'000'000, 1'000'000});
    s.lanes = static_cast<std::uint8_t>(1 + dice.below(3));
    s.idle = dice.pick({seconds(20), minutes(10)});
    s.presence = dice.pick({Millis{0}, Millis{0}, seconds(10), minutes(2)});
    s.sweep_interval = dice.pick({seconds(1), seconds(30)});
    s.leave_grace = dice.pick({Millis{0}, seconds(10)});
    s.outer_batch = dice.pick<std::int64_t>({1, 7, 500});
    s.outer_interval = dice.pick({seconds(1), seconds(10)});
    s.outer_lifetime = dice.pick({minutes(1), hours(24)});
    return s;
}

VisitorKey key(std::uint64_t visitor) {
    return {.high = visitor * 0x9e37'79b9'7f4a'7c15, .low = visitor % 61};
}

Command operators_command(Dice& dice) {
    switch (dice.below(9)) {
        case 0: return Configure{random_settings(dice)};
        case 1:
            return SetState{dice.pick({RoomState::open, RoomState::paused, RoomState::draining,
                                       RoomState::closed, RoomState::passthrough})};
        case 2: return SetState{RoomState::open};
        case 3: return Resume{};
        case 4: return CallNext{static_cast<std::int64_t>(dice.below(4))};
        case 5: return Advance{static_cast<std::int64_t>(dice.below(20))};
        case 6: return dice.one_in(3) ? Command{Activate{}} : Command{Deactivate{}};
        case 7: return dice.one_in(20) ? Command{Clear{}} : Command{Wake{}};
        default: return SetState{RoomState::open};
    }
}

// Mostly the number of a live visitor; now and then any number, also 0 and one never issued.
Number random_number(Dice& dice, const Room& room, std::uint64_t people) {
    if (dice.one_in(16)) return dice.below(room.issued() + 2);
    for (int tries = 0; tries < 16; ++tries)
        if (const Number number = room.find(key(dice.below(people)))) return number;
    return dice.below(room.issued() + 2);
}

Command random_command(Dice& dice, const Room& room, std::uint64_t people) {
    const Number number = random_number(dice, room, people);
    const OuterLine& outer = room.outer();
    switch (dice.below(20)) {
        case 0:
        case 1:
        case 2:
        case 3: {
            Join join{.visitor = key(dice.below(people)),
                      .lane = static_cast<std::uint8_t>(dice.below(3))};
            if (outer.active() != dice.one_in(8))
                join.outer = OuterPlace{outer.generation(), dice.below(outer.issued() + 2)};
            return join;
        }
        case 4:
            if (dice.one_in(3)) return Seek{key(dice.below(people))};
            return TakeNumber{key(1'000 + dice.below(people))};
        case 5: return Leave{number};
        case 6: return dice.one_in(4) ? Command{Leave{number}} : Command{Finish{number}};
        case 7: return Finish{number};
        case 8:
        case 9: {
            const Millis lease{static_cast<std::int64_t>(
                dice.below(static_cast<std::uint64_t>(room.settings().lease.count) + 2))};
            if (dice.one_in(4)) return SetLease{number, lease};
            return dice.one_in(3) ? Command{Redeem{number}} : Command{Claim{number}};
        }
        case 10: return dice.one_in(4) ? operators_command(dice) : Command{Tick{}};
        case 11:
        case 12:
        case 13: return Tick{};
        default: return Touch{number, dice.pick({Millis{0}, seconds(2), seconds(10)})};
    }
}

Millis random_pause(Dice& dice) {
    if (dice.one_in(500)) return minutes(static_cast<std::int64_t>(dice.below(30)));
    if (dice.one_in(20)) return seconds(static_cast<std::int64_t>(dice.below(20)));
    return Millis{static_cast<std::int64_t>(dice.below(300))};
}

// One run; the model is slow with many visitors, so a run is short and there are many.
std::string run(std::uint64_t seed, std::uint64_t operations) {
    Dice dice(seed);
    const std::uint64_t people = dice.pick<std::uint64_t>({3, 10, 40});
    Room room;
    NaiveRoom model;
    Facts facts;
    Instant now{static_cast<std::int64_t>(dice.below(1'000'000'000))};
    const Settings settings = random_settings(dice);
    room.apply(Configure{settings}, now, facts);
    model.apply(Configure{settings}, now);
    if (dice.one_in(3)) {
        room.apply(Activate{}, now, facts);
        model.apply(Activate{}, now);
    }
    for (std::uint64_t i = 0; i < operations; ++i) {
        now = now + random_pause(dice);
        // The clock may be set back: the room must take that as "no time has passed".
        const Instant told = dice.one_in(200) ? now - minutes(5) : now;
        const Command command = random_command(dice, room, people);
        const bool is_early = std::holds_alternative<Tick>(command) &&
                              room.next_deadline().value_or(instant_max) > now;
        const std::size_t facts_before = facts.size();
        const Outcome ours = room.apply(command, told, facts);
        const Outcome theirs = model.apply(command, told);
        std::string found = difference(room, model);
        if (ours != theirs) found = describe(ours) + " instead of " + describe(theirs);
        if (is_early && facts.size() > facts_before)
            found = "a tick before the deadline did something";
        if (found.empty() && (i % 64 == 0 || i + 1 == operations))
            found = replay_difference(room, facts);
        if (i % 16 == 0) (void)room.take_retired();
        if (!found.empty()) return "operation " + std::to_string(i) + ": " + found;
    }
    return {};
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(Random, MillionsOfOperationsBehaveLikeTheModel) {
    const std::uint64_t operations_per_run = 500;
    const std::uint64_t total = from_environment("ANTEROOM_RANDOM_OPERATIONS", 4'000'000);
    const std::uint64_t first = from_environment("ANTEROOM_RANDOM_SEED", 1);
    for (std::uint64_t seed = first; seed < first + total / operations_per_run; ++seed) {
        const std::string found = run(seed, operations_per_run);
        ASSERT_EQ(found, "") << "repeat with ANTEROOM_RANDOM_SEED=" << seed
                             << " ANTEROOM_RANDOM_OPERATIONS=" << operations_per_run;
    }
}

// Long enough for chunks to fill, be buried and be passed by the window.
TEST(Random, LongRunsBehaveLikeTheModel) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const std::string found = run(seed * 1'000'003, 8'000);
        ASSERT_EQ(found, "") << "seed=" << seed * 1'000'003;
    }
}

} // namespace
} // namespace anteroom::model
