// The rule of service/visits.h, told by every adapter: where a visitor stands when the room is a
// copy and its writer is elsewhere.
#include <gtest/gtest.h>

#include "tests/server/copy_store.h"
#include "tests/server/standing_table.h"

namespace anteroom::standing {
namespace {

// So old that the writer is asked, and long before age_max.
constexpr Millis aged = seconds(5);
constexpr Millis too_old = limits::age_max + seconds(1);
constexpr Number unknown_number = 999;
constexpr std::uint32_t unknown_room = 77;

enum class Situation : std::uint8_t {
    all_well,
    room_not_heard_of, // It may have been made elsewhere a moment ago.
    no_such_room,
    only_the_writer_knows, // The visitor came elsewhere, and the copy is old.
    nobody_knows_in_old,   // There is no such visitor; the copy is old,
    nobody_knows_in_fresh, // or up to date.
    away_who_waits,        // The store is away: the last standing,
    away_who_is_called,    // also where only the writer could take the claim,
    away_and_unknown,      // but none that was not heard of,
    away_for_too_long,     // and none from a copy older than age_max.
};

const char* name(Situation situation) {
    switch (situation) {
        case Situation::all_well: return "all_well";
        case Situation::room_not_heard_of: return "room_not_heard_of";
        case Situation::no_such_room: return "no_such_room";
        case Situation::only_the_writer_knows: return "only_the_writer_knows";
        case Situation::nobody_knows_in_old: return "nobody_knows_in_old";
        case Situation::nobody_knows_in_fresh: return "nobody_knows_in_fresh";
        case Situation::away_who_waits: return "away_who_waits";
        case Situation::away_who_is_called: return "away_who_is_called";
        case Situation::away_and_unknown: return "away_and_unknown";
        case Situation::away_for_too_long: return "away_for_too_long";
    }
    return "";
}

using Cell = std::tuple<AdapterRow, Situation>;

class StandingTable : public testing::TestWithParam<Cell> {
  protected:
    const AdapterRow& adapter() const { return std::get<0>(GetParam()); }
    Situation situation() const { return std::get<1>(GetParam()); }

    TestOptions options() {
        TestOptions all = all_adapters(site);
        all.make_store = [script = script](const Clock& clock, StoreListener& listener) {
            return std::make_unique<CopyStore>(clock, listener, script);
        };
        return all;
    }

    // Brings the situation about; the place that is asked for.
    Place arrange() {
        switch (situation()) {
            case Situation::room_not_heard_of: script->may_have = true; return {unknown_room, 1};
            case Situation::no_such_room:
                server.service.rooms().continue_at(unknown_room + 1);
                return {unknown_room, 1};
            default: return arrange_room();
        }
    }
    Place arrange_room() {
        const std::uint32_t room = rig.make_room().index();
        const Place nobody{.room = room, .number = unknown_number};
        Place place = nobody;
        switch (situation()) {
            case Situation::nobody_knows_in_fresh: return nobody;
            case Situation::nobody_knows_in_old: rig.age(aged); return nobody;
            case Situation::only_the_writer_knows:
                script->is_deaf = true;
                place = rig.join();
                rig.age(aged);
                return place;
            case Situation::away_and_unknown:
                script->is_away = true;
                rig.age(aged);
                return nobody;
            default: break;
        }
        place = rig.join();
        if (situation() == Situation::all_well) return place;
        if (situation() == Situation::away_who_is_called && !adapter().is_gate) rig.call();
        script->is_away = true;
        rig.age(situation() == Situation::away_for_too_long ? too_old : aged);
        return place;
    }

    Words wanted() const {
        // The gate cannot wait for the writer: what it would have to ask for is said later.
        switch (situation()) {
            case Situation::all_well:
            case Situation::away_who_waits: return adapter().waiting;
            case Situation::away_who_is_called: return adapter().called;
            case Situation::only_the_writer_knows:
                return adapter().is_gate ? later : adapter().waiting;
            case Situation::nobody_knows_in_old:
                return adapter().is_gate ? later : adapter().no_visit;
            case Situation::nobody_knows_in_fresh: return adapter().no_visit;
            case Situation::no_such_room: return adapter().no_room;
            case Situation::room_not_heard_of:
            case Situation::away_and_unknown:
            case Situation::away_for_too_long: return later;
        }
        return {};
    }
    // Whether the writer says it, and not the copy.
    bool asks_the_writer() const {
        switch (situation()) {
            case Situation::only_the_writer_knows:
            case Situation::nobody_knows_in_old: return !adapter().is_gate;
            case Situation::nobody_knows_in_fresh: return adapter().asks_by_number;
            default: return false;
        }
    }

    urr::Site site;
    std::shared_ptr<CopyScript> script = std::make_shared<CopyScript>();
    TestServer server{options()};
    Rig rig{adapter(), server};
};

TEST_P(StandingTable, IsToldByTheRule) {
    const Place place = arrange();
    const int asked = script->asked;
    const Response answer = rig.ask(place);
    expect(wanted(), answer);
    EXPECT_EQ(script->asked - asked, asks_the_writer() ? 1 : 0);
    const bool is_aged =
        situation() == Situation::away_who_waits || situation() == Situation::away_who_is_called;
    if (is_aged) {
        EXPECT_NE(answer.body.find(adapter().age), answer.body.npos) << answer.body;
    }
}

std::string name_of(const testing::TestParamInfo<Cell>& cell) {
    return std::string(std::get<0>(cell.param).name) + "_" + name(std::get<1>(cell.param));
}

INSTANTIATE_TEST_SUITE_P(
    Copy, StandingTable,
    testing::Combine(testing::ValuesIn(adapters()),
                     testing::Values(Situation::all_well, Situation::room_not_heard_of,
                                     Situation::no_such_room, Situation::only_the_writer_knows,
                                     Situation::nobody_knows_in_old,
                                     Situation::nobody_knows_in_fresh, Situation::away_who_waits,
                                     Situation::away_who_is_called, Situation::away_and_unknown,
                                     Situation::away_for_too_long)),
    name_of);

} // namespace
} // namespace anteroom::standing
