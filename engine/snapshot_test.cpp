// A snapshot that is taken while the room goes on is the room of the moment when it began.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "base/byte_stream.h"
#include "engine/line.h"
#include "engine/room.h"

namespace anteroom {
namespace {

constexpr std::uint64_t visitors = 1'500;

Settings lively() {
    Settings settings;
    settings.capacity = 40;
    settings.admit_batch = 7;
    settings.admit_interval = Millis{300};
    settings.rate_milli = 25'500;
    settings.lease = seconds(8);
    settings.lease_max = seconds(30);
    settings.claim_window = seconds(3);
    settings.lanes = 3;
    settings.idle = seconds(20);
    settings.sweep_interval = seconds(2);
    settings.leave_grace = seconds(2);
    settings.ended_memory = seconds(60);
    settings.outer_batch = 20;
    settings.outer_interval = seconds(1);
    settings.outer_lifetime = seconds(45);
    return settings;
}

// A room that random commands happen to, with all its facts.
class RandomRoom {
  public:
    explicit RandomRoom(std::uint64_t seed) : random_(seed) { apply(Configure{lively()}); }

    void step() {
        now = now + Millis{static_cast<std::int64_t>(pick(30))};
        const std::uint64_t id = 1 + pick(visitors);
        const VisitorKey who{.high = id << 53, .low = id};
        const Number number = 1 + pick(room.issued() + 1);
        switch (pick(40)) {
            case 0: return apply(Leave{number});
            case 1: return apply(Finish{number});
            case 2: return apply(Claim{number});
            case 3: return apply(SetState{static_cast<RoomState>(pick(5))});
            case 4: return apply(SetState{RoomState::open});
            case 5: return pick(30) == 0 ? apply(Activate{}) : apply(TakeNumber{who});
            case 6: return pick(20) == 0 ? apply(Deactivate{}) : apply(TakeNumber{who});
            case 7: return pick(200) == 0 ? apply(Clear{}) : apply(Tick{});
            case 8: return apply(CallNext{static_cast<std::int64_t>(pick(3))});
            case 9: return reconfigure();
            case 10:
            case 11:
            case 12: return apply(TakeNumber{who});
            case 13:
            case 14:
            case 15:
            case 16: return join_from_outer(who);
            case 17:
            case 18:
            case 19:
            case 20: return apply(Touch{number});
            case 21:
            case 22:
            case 23:
            case 24: return apply(Tick{});
            default: return apply(Join{.visitor = who, .lane = static_cast<std::uint8_t>(pick(3))});
        }
    }

    std::uint64_t pick(std::uint64_t below) { return random_() % below; }

    Room room;
    Facts facts;
    Instant now{1'000};

  private:
    void apply(const Command& command) { room.apply(command, now, facts); }
    void join_from_outer(const VisitorKey& who) {
        const OuterLine& outer = room.outer();
        apply(Join{.visitor = who,
                   .lane = static_cast<std::uint8_t>(pick(3)),
                   .outer = OuterPlace{.generation = outer.generation(),
                                       .number = 1 + pick(outer.issued() + 1)}});
    }
    void reconfigure() {
        Settings settings = lively();
        settings.rate_milli = pick(2) == 0 ? 0 : static_cast<std::int64_t>(1'000 * pick(30) + 500);
        settings.capacity = static_cast<std::int64_t>(20 + pick(40));
        apply(Configure{settings});
    }

    std::mt19937_64 random_;
};

bool restore_all(Room& room, const std::vector<std::string>& pieces) {
    for (const std::string& piece : pieces)
        if (!room.restore(piece)) return false;
    return true;
}

std::vector<std::string> snapshot_of(Room& room) {
    std::vector<std::string> pieces;
    room.begin_snapshot();
    while (room.take_snapshot(pieces, 1'000)) {
    }
    return pieces;
}

TEST(Snapshot, ARoomMadeOfItIsTheRoomItWasTakenFrom) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        RandomRoom live(seed);
        for (int i = 0; i < 3'000; ++i) live.step();
        const std::vector<std::string> pieces = snapshot_of(live.room);
        Room restored;
        ASSERT_TRUE(restore_all(restored, pieces)) << seed;
        EXPECT_EQ(restored.digest(), live.room.digest()) << seed;
        for (Number number = 1; number <= live.room.issued(); ++number) {
            const Standing was = live.room.standing(number);
            const Standing is = restored.standing(number);
            ASSERT_EQ(is.state, was.state) << seed << " " << number;
            ASSERT_EQ(is.ahead, was.ahead) << seed << " " << number;
        }
    }
}

TEST(Snapshot, TakenWhileTheRoomGoesOnItHoldsTheMomentItBegan) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        RandomRoom live(seed);
        const int before = 500 + static_cast<int>(live.pick(6'000));
        for (int i = 0; i < before; ++i) live.step();
        const std::uint64_t digest = live.room.digest();
        const std::size_t facts_before = live.facts.size();
        std::vector<std::string> pieces;
        live.room.begin_snapshot();
        const std::uint64_t pace = 1 + live.pick(400);
        do {
            for (std::uint64_t i = 0; i < pace; ++i) live.step();
        } while (live.room.take_snapshot(pieces, 1));
        for (int i = 0; i < 500; ++i) live.step();

        Room restored;
        ASSERT_TRUE(restore_all(restored, pieces)) << seed;
        EXPECT_EQ(restored.digest(), digest) << seed;
        for (std::size_t i = facts_before; i < live.facts.size(); ++i)
            ASSERT_TRUE(restored.replay(live.facts[i])) << seed << " fact " << i;
        EXPECT_EQ(restored.digest(), live.room.digest()) << seed;
    }
}

TEST(Snapshot, AnEmptyRoomHasOneToo) {
    Room live;
    Room restored;
    EXPECT_TRUE(restore_all(restored, snapshot_of(live)));
    EXPECT_EQ(restored.digest(), live.digest());
}

TEST(Snapshot, AbandonedItCostsNothingMore) {
    RandomRoom live(3);
    for (int i = 0; i < 500; ++i) live.step();
    live.room.begin_snapshot();
    live.room.abandon_snapshot();
    for (int i = 0; i < 500; ++i) live.step();
    Room restored;
    EXPECT_TRUE(restore_all(restored, snapshot_of(live.room)));
}

// The pieces with other words in the head, where these are found.
using Words = std::initializer_list<std::uint64_t>;
std::vector<std::string> with_words(std::vector<std::string> pieces, Words was, Words is) {
    const auto bytes_of = [](Words words) {
        std::string bytes;
        for (const std::uint64_t word : words) ByteWriter(bytes).word(word);
        return bytes;
    };
    const std::size_t at = pieces[0].find(bytes_of(was));
    EXPECT_NE(at, std::string::npos);
    if (at != std::string::npos) pieces[0].replace(at, 8 * was.size(), bytes_of(is));
    return pieces;
}

// Two visitors wait with outer orders: the last of a first generation, the first of a second.
std::vector<std::string> two_generations(Room& room) {
    Facts facts;
    const Instant now{1'000};
    const auto wait_with = [&](std::uint64_t id, std::uint32_t generation, std::uint8_t number) {
        room.apply(Advance{number}, now, facts);
        room.apply(Join{.visitor = {.high = id, .low = id},
                        .outer = OuterPlace{.generation = generation, .number = number}},
                   now, facts);
    };
    room.apply(SetState{RoomState::paused}, now, facts);
    room.apply(Activate{}, now, facts);
    for (std::uint64_t id = 1; id <= 77; ++id) room.apply(TakeNumber{{id << 50, id}}, now, facts);
    wait_with(1, 1, 77);
    room.apply(Activate{}, now, facts);
    room.apply(TakeNumber{{78ull << 50, 78}}, now, facts);
    wait_with(2, 2, 1);
    return snapshot_of(room);
}

// The same, but so many have taken numbers in the first generation.
std::vector<std::string> with_orders_before(const std::vector<std::string>& pieces,
                                            std::uint64_t count) {
    constexpr std::uint64_t issued = 1, serving = 1, forgotten = 0;
    return with_words(pieces, {issued, serving, forgotten, 77},
                      {issued, serving, forgotten, count});
}

TEST(Snapshot, OrdersThatLieTooFarApartAreRefused) {
    constexpr std::uint64_t span_max = std::uint64_t{1} << 30;
    Room live;
    const std::vector<std::string> pieces = two_generations(live);
    ASSERT_EQ(live.waiting(), 2u);
    // The older of the two has order 77; the newest order is one after the first generation.
    const std::vector<std::string> widest = with_orders_before(pieces, 77 + span_max - 2);
    Room restored;
    EXPECT_TRUE(restore_all(restored, widest));
    EXPECT_EQ(restored.waiting(), 2u);
    for (const std::uint64_t count : {77 + span_max - 1, span_max << 10, Line::number_max - 1}) {
        Room room;
        EXPECT_FALSE(restore_all(room, with_orders_before(pieces, count))) << count;
    }

    // The room itself never comes to that: it gives no number before the oldest has gone.
    Facts facts;
    Instant now{2'000};
    const TakeNumber take{{79ull << 50, 79}};
    const Outcome full = restored.apply(take, now, facts);
    ASSERT_TRUE(std::holds_alternative<Refused>(full));
    EXPECT_EQ(std::get<Refused>(full).reason, Reason::room_full);
    restored.apply(Leave{1}, now, facts);
    now = now + restored.settings().leave_grace + seconds(1);
    restored.apply(Tick{}, now, facts);
    EXPECT_TRUE(std::holds_alternative<OuterStanding>(restored.apply(take, now, facts)));
}

TEST(Snapshot, NumbersThatLieTooFarApartAreRefused) {
    constexpr std::uint64_t reach = (std::uint64_t{1} << 30) - 256;
    Room live;
    Facts facts;
    Instant now{1'000};
    live.apply(SetState{RoomState::paused}, now, facts);
    for (std::uint64_t id = 1; id <= 300; ++id)
        live.apply(Join{.visitor = {.high = id, .low = id}}, now, facts);
    for (Number number = 2; number <= 300; ++number) live.apply(Leave{number}, now, facts);
    now = now + live.settings().leave_grace + seconds(1);
    live.apply(Tick{}, now, facts);
    ASSERT_EQ(live.waiting(), 1u);
    // Number 1 waits; so many have had numbers since. The last chunk of records is always there.
    const auto with_issued = [&](Number issued) {
        constexpr std::uint64_t left = 299, expired = 0, first_kept = 0;
        std::vector<std::string> pieces =
            with_words(snapshot_of(live), {left, expired, 300, first_kept},
                       {left, expired, issued, first_kept});
        std::string& last = pieces[pieces.size() - 2];
        std::string moved = last.substr(0, 1);
        ByteWriter(moved).word(issued >> 8);
        last.replace(0, moved.size(), moved);
        return pieces;
    };
    Room too_far;
    EXPECT_FALSE(restore_all(too_far, with_issued(2 * reach)));
    EXPECT_FALSE(Room().restore(with_issued(Line::number_max)[0]));

    Room restored;
    ASSERT_TRUE(restore_all(restored, with_issued(reach - 1)));
    const auto join = [&](std::uint64_t id) {
        return restored.apply(Join{.visitor = {.high = id, .low = id}}, now, facts);
    };
    const Outcome full = join(1'000);
    ASSERT_TRUE(std::holds_alternative<Refused>(full));
    EXPECT_EQ(std::get<Refused>(full).reason, Reason::room_full);
    restored.apply(Leave{1}, now, facts);
    now = now + restored.settings().leave_grace + seconds(1);
    restored.apply(Tick{}, now, facts);
    EXPECT_FALSE(std::holds_alternative<Refused>(join(1'001)));
    EXPECT_EQ(restored.issued(), reach);
}

TEST(Snapshot, WhatIsNoSnapshotIsRefused) {
    RandomRoom live(11);
    for (int i = 0; i < 4'000; ++i) live.step();
    const std::vector<std::string> pieces = snapshot_of(live.room);
    const std::uint64_t digest = live.room.digest();

    Room not_fresh;
    ASSERT_TRUE(restore_all(not_fresh, pieces));
    EXPECT_FALSE(not_fresh.restore(pieces[0]));

    std::mt19937_64 random(5);
    std::size_t refused = 0;
    constexpr int attempts = 2'000;
    for (int i = 0; i < attempts; ++i) {
        std::vector<std::string> damaged = pieces;
        std::string& piece = damaged[random() % damaged.size()];
        switch (random() % 3) {
            case 0: piece.resize(random() % piece.size()); break;
            case 1: piece.push_back('x'); break;
            default:
                piece[random() % piece.size()] ^= static_cast<char>(1 << (random() % 8));
                break;
        }
        Room room;
        // Whoever it lets in, nobody else may notice a difference: sums are checked elsewhere.
        if (!restore_all(room, damaged) || room.digest() != digest) ++refused;
    }
    EXPECT_GT(refused, attempts * 8 / 10); // What is not in the digest (ended numbers) may differ.
    EXPECT_FALSE(Room().restore(""));
    EXPECT_FALSE(Room().restore("?"));
    EXPECT_FALSE(Room().restore(std::string(1, 'R') + std::string(8, '\0')));
    EXPECT_FALSE(Room().restore("E")); // Without a head.

    std::vector<std::string> without_last = pieces;
    std::erase_if(without_last, [last = live.room.issued() >> 8](const std::string& piece) {
        std::uint64_t chunk = 0;
        if (piece.size() > 9) std::memcpy(&chunk, piece.data() + 1, sizeof chunk);
        return piece[0] == 'R' && chunk == last;
    });
    ASSERT_EQ(without_last.size() + 1, pieces.size());
    Room incomplete;
    EXPECT_FALSE(restore_all(incomplete, without_last));

    // One head, one end, also of a room to which nothing has happened.
    Room empty, twice, again;
    const std::vector<std::string> nothing = snapshot_of(empty);
    EXPECT_TRUE(twice.restore(nothing[0]));
    EXPECT_FALSE(twice.restore(nothing[0]));
    EXPECT_TRUE(restore_all(again, nothing));
    EXPECT_FALSE(again.restore(nothing[0]));
    EXPECT_FALSE(again.restore(nothing.back()));
}

} // namespace
} // namespace anteroom
