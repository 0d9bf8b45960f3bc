// Readers of a room beside the one writer: what a poll may see while the room changes under it. A
// program of its own, because it replaces operator new.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <variant>

#include "base/counted_memory_testing.h"
#include "base/test_readers.h"
#include "engine/pulse.h"
#include "engine/room.h"

namespace anteroom {
namespace {

using testing::below;
using testing::Random;
using Readers = testing::Readers<Retired>;

VisitorKey key_of(std::uint64_t visitor) {
    Random random(visitor);
    return {.high = random(), .low = random()};
}

// A room with a writer that never stops doing something.
class Bustle {
  public:
    explicit Bustle(const Settings& settings, std::uint64_t seed = 1) : random_(seed) {
        apply(Configure{settings});
    }

    template <class Answer = Done>
    Answer apply(const Command& command) {
        facts_.clear();
        Outcome outcome = room.apply(command, now, facts_);
        const Answer* answer = std::get_if<Answer>(&outcome);
        return answer ? *answer : Answer{};
    }
    Number join(std::uint64_t visitor, std::uint8_t lane = 0) {
        return apply<Standing>(Join{.visitor = key_of(visitor), .lane = lane}).number;
    }
    std::uint64_t pick(std::uint64_t end) { return below(random_, end); }
    // Somebody who has a number, mostly of the last `reach` ones.
    Number anybody(std::uint64_t reach) {
        const Number issued = room.issued();
        return issued - pick(std::min(issued, pick(10) == 0 ? issued : reach));
    }

    Room room;
    Instant now{1'000'000};

  private:
    Random random_;
    Facts facts_;
};

TEST(RoomReaders, NobodyOvertakesAVisitorWhoWaits) {
    constexpr std::uint64_t before = 20'000; // Stand ahead of the one who is watched.
    constexpr std::uint64_t keeps = 2'000;   // So many of them never go.
    constexpr std::int64_t capacity = 100;
    Bustle bustle({.capacity = capacity,
                   .admit_batch = 5,
                   .admit_interval = Millis{50},
                   .admit_on_join = false,
                   .idle = hours(24),
                   .leave_grace = Millis{40}});
    Room& room = bustle.room;
    for (std::uint64_t visitor = 1; visitor <= before; ++visitor) bustle.join(visitor);
    const Number watched = bustle.join(before + 1);
    std::atomic<std::uint64_t> ahead_at_most{before};

    Readers readers([&]() -> Readers::Turn {
        return [&, last = before, last_outside = before](Random& random) mutable {
            const std::uint64_t at_most = ahead_at_most.load();
            const Standing standing = room.standing(watched);
            ASSERT_EQ(standing.state, VisitorState::waiting);
            ASSERT_LE(standing.ahead, at_most);
            ASSERT_LE(standing.ahead, last) << "ahead grew for somebody who waits";
            ASSERT_GE(standing.ahead, keeps);
            last = standing.ahead;
            const std::uint64_t outside = room.outside_before(standing);
            ASSERT_LE(outside, last_outside) << "somebody came out again";
            ASSERT_GE(outside, keeps);
            last_outside = outside;
            // A newcomer is counted a moment before the number is issued.
            ASSERT_LE(standing.behind, room.issued() + 1 - watched);
            ASSERT_EQ(room.find(key_of(before + 1)), watched);
            ASSERT_TRUE(
                room.touch(watched, Instant{1'000'000 + static_cast<int>(below(random, 99))}));
            ASSERT_LE(room.inside(), std::uint64_t{capacity});
            if (below(random, 50) > 0) return;
            const Pulse pulse = make_pulse(room);
            ASSERT_LE(pulse.active, pulse.capacity);
            ASSERT_LE(pulse.serving, pulse.issued);
            // The frame is put together while the line moves: near the truth, not on it.
            const std::uint64_t told = ahead_from(pulse, standing.line, standing.order);
            ASSERT_GE(told, keeps / 2);
            ASSERT_LE(told, last + last / 20 + 100);
        };
    });
    const auto goes = [&](Number number) { return number <= before - keeps || number > watched; };
    for (int operation = 0; operation < 120'000; ++operation) {
        const Number somebody = 1 + bustle.pick(room.issued());
        switch (bustle.pick(12)) {
            case 0:
                bustle.now = bustle.now + Millis{1};
                bustle.apply(Tick{});
                break;
            case 1: bustle.join(room.issued() + 1'000'000); break;
            case 2:
            case 3:
            case 4:
            case 5:
                if (goes(somebody)) bustle.apply(Leave{somebody});
                break;
            case 6:
            case 7:
            case 8: bustle.apply<Standing>(Touch{somebody}); break;
            case 9: bustle.apply<Standing>(Claim{room.serving()}); break;
            default:
                bustle.apply(Finish{room.serving() - std::min(room.serving(), bustle.pick(50))});
        }
        ahead_at_most = room.standing(watched).ahead;
        readers.retire(room.take_retired());
    }
    readers.finish();
    EXPECT_GT(room.totals().left, 500u);
    EXPECT_GT(room.totals().finished, 100u);
    EXPECT_EQ(room.standing(watched).ahead, ahead_at_most);
}

TEST(RoomReaders, NeverSeeMoreInsideThanTheCapacity) {
    constexpr std::int64_t capacity = 8;
    Bustle bustle({.capacity = capacity, .admit_batch = 1'000, .admit_interval = Millis{1}});
    Room& room = bustle.room;
    Readers readers([&]() -> Readers::Turn {
        return [&](Random&) {
            ASSERT_LE(room.inside(), std::uint64_t{capacity});
            ASSERT_LE(room.called(), std::uint64_t{capacity});
            ASSERT_LE(room.active(), std::uint64_t{capacity});
        };
    });
    for (std::uint64_t visitor = 1; visitor <= 20'000; ++visitor) {
        bustle.now = bustle.now + Millis{1};
        bustle.join(visitor);
        const Number called = room.serving();
        bustle.apply<Standing>(Claim{called});
        if (called > 4) bustle.apply(Finish{called - bustle.pick(4)});
        bustle.apply(Tick{});
        readers.retire(room.take_retired());
    }
    readers.finish();
    EXPECT_GT(room.totals().finished, 1'000u);
}

void check_line(const PulseLine& line, std::uint64_t order_max) {
    std::uint64_t order = line.first;
    for (const std::uint64_t run : line.runs) {
        ASSERT_LE(run, order_max);
        order += run;
    }
    ASSERT_LE(order, order_max + 1);
    ASSERT_TRUE(std::is_sorted(line.marks.begin(), line.marks.end()));
    ASSERT_TRUE(line.marks.empty() || line.marks.back() <= order_max + 1);
}

TEST(RoomReaders, SeeWholeAnswersWhateverTheWriterDoes) {
    constexpr std::uint64_t visitors = 6'000;
    constexpr std::uint64_t order_max = 1'000'000;
    // Two settings, each recognisable by every one of its values.
    const auto settings = [](std::int64_t scale) {
        return Settings{.capacity = 200 * scale,
                        .lease = Millis{300 * scale},
                        .claim_window = Millis{150 * scale},
                        .admit_batch = 20 * scale,
                        .admit_interval = Millis{10},
                        .lanes = 3,
                        .idle = Millis{2'000},
                        .sweep_interval = Millis{100},
                        .leave_grace = Millis{30},
                        .ended_memory = Millis{500},
                        .outer_batch = 30,
                        .outer_interval = Millis{20},
                        .outer_lifetime = Millis{4'000}};
    };
    Bustle bustle(settings(1));
    Room& room = bustle.room;
    const Number constant = bustle.join(0, 2);
    bustle.apply(SetState{RoomState::paused});

    Readers readers([&]() -> Readers::Turn {
        return [&](Random& random) {
            const Settings& set = room.settings();
            ASSERT_EQ(set.capacity, set.admit_batch * 10);
            ASSERT_EQ(set.lease.count, set.claim_window.count * 2);

            const VisitorKey key = key_of(below(random, visitors));
            if (const Number number = room.find(key)) {
                ASSERT_LE(number, room.issued());
                const Standing standing = room.standing(number);
                ASSERT_NE(standing.state, VisitorState::unknown);
                ASSERT_TRUE(!is_inside(standing.state) || standing.until < Instant{2'000'000});
                ASSERT_TRUE(!is_in_line(standing.state) || standing.order < order_max);
                room.touch(number, standing.joined);
                room.wait(standing.ahead);
            }
            ASSERT_EQ(room.find(key_of(0)), constant);
            ASSERT_TRUE(is_live(room.standing(constant).state));

            const OuterLine& outer = room.outer();
            const OuterPlace place{.generation = outer.generation(), .number = below(random, 500)};
            if (const std::optional<OuterStanding> standing = outer.standing(place)) {
                ASSERT_LE(place.number, standing->issued);
                ASSERT_LE(standing->serving, standing->issued);
            }
            const Number taken = outer.find(key);
            const VisitorKey* holder = taken ? outer.visitor_of(taken) : nullptr;
            ASSERT_TRUE(!holder || *holder != VisitorKey{});

            if (below(random, 16) > 0) return;
            const Pulse pulse = make_pulse(room);
            ASSERT_LE(pulse.serving, pulse.issued);
            ASSERT_LE(pulse.outer_serving, pulse.outer_issued);
            for (const PulseLine& line : pulse.lines) check_line(line, order_max);
        };
    });
    const auto outer_place = [&] {
        return OuterPlace{room.outer().generation(), 1 + bustle.pick(room.outer().issued() + 1)};
    };
    for (int operation = 0; operation < 60'000; ++operation) {
        const std::uint64_t visitor = 1 + bustle.pick(visitors - 1);
        switch (bustle.pick(40)) {
            case 0: bustle.apply(Configure{settings(1 + static_cast<int>(bustle.pick(2)))}); break;
            case 1: bustle.apply(SetState{static_cast<RoomState>(bustle.pick(2))}); break;
            case 2: bustle.apply(Resume{}); break;
            case 3:
                bustle.pick(9) == 0 ? bustle.apply(Activate{}) : bustle.apply(Deactivate{});
                break;
            case 4: bustle.apply(Advance{20}); break;
            case 5: bustle.apply(CallNext{3}); break;
            case 6:
            case 7:
            case 8:
            case 9:
            case 10: bustle.apply<OuterStanding>(TakeNumber{key_of(visitor)}); break;
            case 11:
            case 12:
            case 13:
            case 14: bustle.apply<Standing>(Join{key_of(visitor), 0, outer_place()}); break;
            case 15:
            case 16:
            case 17:
            case 18:
            case 19:
            case 20: bustle.join(visitor, static_cast<std::uint8_t>(bustle.pick(3))); break;
            case 21:
            case 22:
            case 23:
            case 24:
            case 25:
                bustle.now = bustle.now + Millis{1};
                bustle.apply(Tick{});
                break;
            case 26:
            case 27:
            case 28:
            case 29: {
                const Number number = bustle.anybody(500);
                if (number != constant) bustle.apply(Leave{number});
                break;
            }
            case 30:
            case 31: {
                const Number number = bustle.anybody(500);
                if (number != constant) bustle.apply(Finish{number});
                break;
            }
            case 32: bustle.apply<Standing>(Touch{constant}); break;
            case 33:
            case 34: bustle.apply<Standing>(Claim{bustle.anybody(500)}); break;
            default: bustle.apply<Standing>(Touch{bustle.anybody(500)});
        }
        readers.retire(room.take_retired());
    }
    readers.finish();
    const Room::Totals& totals = room.totals();
    EXPECT_GT(totals.joined, 1'000u);
    EXPECT_GT(totals.called, 1'000u);
    EXPECT_GT(room.outer().generation(), 10u);
    EXPECT_EQ(totals.joined - totals.finished - totals.left - totals.expired,
              room.waiting() + room.inside());
}

// What the retired objects of a room come to: unlinked, and destroyed when the readers have passed.
TEST(RoomReaders, MemoryBehindTheFrontIsGivenBack) {
    constexpr std::uint64_t crowd = 2'000;     // Are in the room at a time.
    constexpr std::uint64_t visitors = 40'000; // Pass through it.
    Bustle bustle({.capacity = crowd / 2,
                   .lease = Millis{5'000},
                   .claim_window = Millis{5'000},
                   .admit_batch = 1'000,
                   .admit_interval = Millis{1},
                   .ended_memory = Millis{10'000}});
    Room& room = bustle.room;
    Readers readers([&]() -> Readers::Turn {
        return [&](Random& random) {
            const Number issued = room.issued();
            const Standing standing = room.standing(issued - below(random, issued + 1));
            ASSERT_LE(standing.ahead, crowd);
        };
    });
    const auto pass_through = [&](std::uint64_t from, std::uint64_t to) {
        std::size_t unlinked = 0;
        for (std::uint64_t visitor = from; visitor < to; ++visitor) {
            bustle.now = bustle.now + Millis{1};
            bustle.join(visitor);
            if (visitor > crowd) bustle.apply(Finish{visitor - crowd});
            bustle.apply(Tick{});
            unlinked += readers.retire(room.take_retired());
        }
        return unlinked;
    };
    pass_through(1, visitors / 2);
    const std::size_t bytes_before = counted::bytes_held();
    const std::size_t unlinked = pass_through(visitors / 2, visitors);
    readers.finish();
    // Per 256 visitors one chunk of records, and after the room's memory of ends one tomb.
    EXPECT_GE(unlinked, 2 * (visitors / 2 / 256) - 2);
    EXPECT_LE(counted::bytes_held(), bytes_before + bytes_before / 4);
    EXPECT_EQ(room.waiting() + room.inside(), crowd);
}

// The doorman passes over whoever is silent while readers take signs of life: whose sign was taken
// is called, and nobody is lost between the two.
TEST(RoomReaders, ASignOfLifeAndTheDoormanNeverMissEachOther) {
    constexpr std::uint64_t people = 64;
    Bustle bustle(
        {.capacity = 0, .claim_by_look = false, .admit_on_join = false, .idle = hours(24)});
    Room& room = bustle.room;
    for (std::uint64_t visitor = 1; visitor <= people; ++visitor) bustle.join(visitor);
    std::atomic<std::int64_t> clock{bustle.now.ms};
    std::array<std::atomic<bool>, people + 1> wants_touch{};
    std::array<std::atomic<std::int64_t>, people + 1> taken{};

    {
        Readers readers([&]() -> Readers::Turn {
            return [&](Random& random) {
                const Number number = 1 + below(random, people);
                const Instant now{clock.load()};
                if (room.touch(number, now, seconds(2)))
                    taken[number].store(now.ms);
                else
                    wants_touch[number].store(true);
                ASSERT_LE(room.absent(), people);
                ASSERT_LE(room.callable_ahead(room.standing(number)), people);
            };
        });
        for (int round = 0; round < 3'000; ++round) {
            bustle.now = bustle.now + seconds(bustle.pick(3) == 0 ? 31 : 1);
            clock.store(bustle.now.ms);
            bustle.apply(Tick{}); // Sweeps every 30 s, and passes over.
            for (Number number = 1; number <= people; ++number)
                if (wants_touch[number].exchange(false)) bustle.apply<Standing>(Touch{number});
            readers.retire(room.take_retired());
        }
    }
    for (Number number = 1; number <= people; ++number) {
        const bool is_fresh = bustle.now - Instant{taken[number].load()} < limits::presence_min;
        EXPECT_TRUE(!is_fresh || room.is_present(number, bustle.now)) << number;
        bustle.apply<Standing>(Touch{number});
    }
    EXPECT_EQ(room.absent(), 0u);
    bustle.apply(Configure{{.capacity = people, .claim_by_look = false}});
    bustle.apply(Tick{});
    EXPECT_EQ(room.called(), people);
}

} // namespace
} // namespace anteroom
