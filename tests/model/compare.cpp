#include "tests/model/compare.h"

#include <fmt/format.h>

#include "base/overload.h"

namespace anteroom::model {
namespace {

std::string describe(const Standing& s) {
    return fmt::format(
        "standing number={} state={} lane={} order={} ahead={} behind={} until={} new={}", s.number,
        name(s.state), s.lane, s.order, s.ahead, s.behind, s.until.ms, s.is_new);
}

} // namespace

std::string describe(const Outcome& outcome) {
    return std::visit(
        Overload{
            [](const Done& d) {
                return fmt::format("done called={} expired={} left={} advanced={}", d.called,
                                   d.expired, d.left, d.advanced);
            },
            [](const Standing& s) { return describe(s); },
            [](const OuterStanding& o) {
                return fmt::format("outer {}/{} serving={} issued={} released={} new={}",
                                   o.generation, o.number, o.serving, o.issued, o.released,
                                   o.is_new);
            },
            [](const Refused& r) { return fmt::format("refused {}", name(r.reason)); },
        },
        outcome);
}

std::string difference(const Room& room, const NaiveRoom& model) {
    std::uint64_t counts[8] = {};
    for (const Visitor& visitor : model.visitors()) {
        const Standing ours = room.standing(visitor.number);
        const Standing theirs = model.standing(visitor.number);
        if (ours != theirs)
            return fmt::format("room: {}, model: {}", describe(ours), describe(theirs));
        if (is_live(visitor.state) && room.outside_before(ours) != model.outside_before(visitor))
            return fmt::format("visitor {} has {} outside before", visitor.number,
                               room.outside_before(ours));
        const Number found = room.find(visitor.key);
        if (is_live(visitor.state) && found != visitor.number)
            return fmt::format("visitor {} is found as {}", visitor.number, found);
        ++counts[static_cast<std::size_t>(visitor.state)];
    }
    const auto count = [&](VisitorState state) { return counts[static_cast<std::size_t>(state)]; };
    if (room.waiting() != count(VisitorState::waiting) + count(VisitorState::leaving))
        return fmt::format("room has {} waiting", room.waiting());
    if (room.called() != count(VisitorState::called) ||
        room.active() != count(VisitorState::active))
        return fmt::format("room has {} called, {} active", room.called(), room.active());
    if (room.issued() != model.visitors().size())
        return fmt::format("room has issued {}", room.issued());
    const Room::Totals& totals = room.totals();
    if (totals.finished != count(VisitorState::finished) ||
        totals.left != count(VisitorState::left) || totals.expired != count(VisitorState::expired))
        return fmt::format("room counts {} finished, {} left, {} expired", totals.finished,
                           totals.left, totals.expired);
    if (room.outer().issued() != model.outer_issued() ||
        room.outer().serving() != model.outer_serving())
        return fmt::format("outer line of the room: issued {}, serving {}", room.outer().issued(),
                           room.outer().serving());
    return {};
}

std::string replay_difference(const Room& room, const Facts& facts) {
    Room again;
    for (const Fact& fact : facts)
        if (!again.replay(fact)) return fmt::format("fact {} does not fit", fact.sequence);
    if (again.digest() != room.digest()) return "the replayed room has another digest";
    return {};
}

} // namespace anteroom::model
