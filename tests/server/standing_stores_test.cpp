// The rule of service/visits.h on the real stores, as far as a store can bring a situation about:
// a ledger that cannot be written, and two processes on a Redis that dies.
#include <gtest/gtest.h>

#include <future>

#include "store/embedded/test_house.h"
#include "store/redis/redis_server_testing.h"
#include "store/shared/redis_store.h"
#include "tests/server/full_disk.h"
#include "tests/server/standing_table.h"

namespace anteroom::standing {
namespace {

using net::testing::eventually;

constexpr Number unknown_number = 999;
constexpr std::uint32_t unknown_room = 60'000;

enum class Trouble : std::uint8_t {
    none,
    nobody_knows,       // All is well, and there is no such visitor.
    room_not_heard_of,  // The store is away, and so is what would say that there is no such room.
    away_who_waits,     // The store is away, the visitor is known,
    away_who_is_called, // and only the writer could take the claim.
    away_and_unknown,
    away_for_too_long,
};

const char* name(Trouble trouble) {
    switch (trouble) {
        case Trouble::none: return "all_well";
        case Trouble::nobody_knows: return "nobody_knows";
        case Trouble::room_not_heard_of: return "room_not_heard_of";
        case Trouble::away_who_waits: return "away_who_waits";
        case Trouble::away_who_is_called: return "away_who_is_called";
        case Trouble::away_and_unknown: return "away_and_unknown";
        case Trouble::away_for_too_long: return "away_for_too_long";
    }
    return "";
}

bool is_away(Trouble trouble) {
    return trouble >= Trouble::room_not_heard_of;
}
bool has_visitor(Trouble trouble) {
    return trouble != Trouble::nobody_knows && trouble != Trouble::away_and_unknown;
}

using Cell = std::tuple<AdapterRow, Trouble>;

std::string name_of_cell(const testing::TestParamInfo<Cell>& cell) {
    return std::string(std::get<0>(cell.param).name) + "_" + name(std::get<1>(cell.param));
}

// Rooms of this process alone: they are never a copy, and no room is anywhere else.
class LedgerStanding : public testing::TestWithParam<Cell> {
  protected:
    const AdapterRow& adapter() const { return std::get<0>(GetParam()); }
    Trouble trouble() const { return std::get<1>(GetParam()); }
    TestOptions options() {
        TestOptions all = all_adapters(site);
        all.make_store = [this](const Clock& clock, StoreListener& listener) {
            return std::make_unique<embedded::LedgerStore>(
                clock, listener,
                embedded::LedgerOptions{.folder = folder.path(),
                                        .fatal = [](const std::string& why) { FAIL() << why; }});
        };
        return all;
    }
    Words wanted() const {
        if (trouble() == Trouble::away_who_is_called) return adapter().called;
        if (has_visitor(trouble())) return adapter().waiting;
        // Of a number only a Touch could tell; that there is no such visitor this process knows.
        return is_away(trouble()) && adapter().asks_by_number ? later : adapter().no_visit;
    }

    FullDisk disk;
    embedded::TestFolder folder;
    urr::Site site;
    TestServer server{options()};
};

TEST_P(LedgerStanding, IsToldByTheRule) {
    Rig rig(adapter(), server);
    Place place{.room = rig.make_room().index(), .number = unknown_number};
    if (has_visitor(trouble())) place = rig.join();
    if (trouble() == Trouble::away_who_is_called && !adapter().is_gate) rig.call();
    if (is_away(trouble())) {
        disk.fill();
        server.service.submit(*rig.room(), Join{.visitor = urr::crowd_key(1)}, nullptr, {});
        ASSERT_TRUE(eventually([&] { return !server.service.is_writable(); }));
    }
    EXPECT_EQ(rig.room()->age(server.service.clock().now()), Millis{0});
    expect(wanted(), rig.ask(place));
    disk.clear();
}

INSTANTIATE_TEST_SUITE_P(
    Embedded, LedgerStanding,
    testing::Combine(testing::ValuesIn(adapters()),
                     testing::Values(Trouble::none, Trouble::nobody_knows, Trouble::away_who_waits,
                                     Trouble::away_who_is_called, Trouble::away_and_unknown)),
    name_of_cell);

// Visitors come to one process and ask the other. All adapters at once: it takes some seconds until
// a process gives a Redis up.
class RedisStanding : public testing::TestWithParam<Trouble> {
  protected:
    static Trouble trouble() { return GetParam(); }
    TestOptions options() {
        TestOptions all = all_adapters(site);
        all.keys = keys;
        all.make_store = [this](const Clock& clock, StoreListener& listener) {
            return std::make_unique<shared::RedisStore>(
                clock, listener,
                shared::RedisOptions{.url = {.hosts = {redis.address()}},
                                     .replicas = 0,
                                     .keys_mark = "mark",
                                     .say = [](const std::string&) {}});
        };
        return all;
    }
    // The place that the adapter asks for.
    Place arrange(const AdapterRow& adapter) {
        if (trouble() == Trouble::room_not_heard_of) return {.room = unknown_room, .number = 1};
        Rig writer(adapter, elsewhere), copy(adapter, here);
        Place place{.room = writer.make_room().index(), .number = unknown_number};
        EXPECT_TRUE(eventually([&] { return copy.room() != nullptr; }));
        if (!has_visitor(trouble())) return place;
        place = writer.join();
        const bool is_called = trouble() == Trouble::away_who_is_called && !adapter.is_gate;
        if (is_called) writer.call();
        // A number is known everywhere the moment it is told: the writer is asked. A visitor is
        // looked for in a copy that may be some moments old, and so is who is inside.
        if (!is_away(trouble()) && adapter.asks_by_number) return place;
        EXPECT_TRUE(eventually([&] {
            const VisitorState state = copy.state_of(place.number);
            return is_called || adapter.is_gate ? is_inside(state) : state == VisitorState::waiting;
        }));
        return place;
    }
    void end_redis() {
        redis.kill();
        EXPECT_TRUE(eventually([&] { return !here.service.is_writable(); }));
        for (const AdapterRow& adapter : adapters()) {
            Rig copy(adapter, here);
            if (trouble() == Trouble::room_not_heard_of) {
                EXPECT_TRUE(eventually([&] { return here.service.may_have(adapter.room); }));
            }
            if (trouble() == Trouble::away_for_too_long) copy.age(limits::age_max + seconds(1));
            if (trouble() == Trouble::away_and_unknown) copy.age(limits::age_untold + seconds(1));
        }
    }
    Response ask(const AdapterRow& adapter, const Place& place) {
        Rig copy(adapter, here);
        Response answer = copy.ask(place);
        // A process that the machine has forgotten for longer than a lease says "later" while all
        // is well.
        if (!is_away(trouble()) && answer.status == later.status) {
            EXPECT_TRUE(eventually([&] { return (answer = copy.ask(place)).status != 503; }));
        }
        return answer;
    }
    static Words wanted(const AdapterRow& adapter) {
        switch (trouble()) {
            case Trouble::none:
            case Trouble::away_who_waits: return adapter.waiting;
            case Trouble::away_who_is_called: return adapter.called;
            case Trouble::nobody_knows: return adapter.no_visit;
            default: return later;
        }
    }

    const token::KeyRing keys = *token::KeyRing::generate({1'700'000'000});
    redis::testing::RedisServer redis;
    urr::Site site;
    TestServer elsewhere{options()}, here{options()};
};

TEST_P(RedisStanding, IsToldByTheRule) {
    std::vector<Place> places;
    for (const AdapterRow& adapter : adapters()) places.push_back(arrange(adapter));
    if (is_away(trouble())) end_redis();
    std::vector<std::future<Response>> answers;
    for (std::size_t i = 0; i < places.size(); ++i)
        answers.push_back(
            std::async(std::launch::async, [&, i] { return ask(adapters()[i], places[i]); }));
    for (std::size_t i = 0; i < places.size(); ++i) {
        SCOPED_TRACE(adapters()[i].name);
        expect(wanted(adapters()[i]), answers[i].get());
    }
}

INSTANTIATE_TEST_SUITE_P(TwoProcesses, RedisStanding,
                         testing::Values(Trouble::none, Trouble::nobody_knows,
                                         Trouble::room_not_heard_of, Trouble::away_who_waits,
                                         Trouble::away_who_is_called, Trouble::away_and_unknown,
                                         Trouble::away_for_too_long),
                         [](const testing::TestParamInfo<Trouble>& cell) {
                             return std::string(name(cell.param));
                         });

} // namespace
} // namespace anteroom::standing
