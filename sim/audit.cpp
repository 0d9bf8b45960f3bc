#include "sim/audit.h"

#include <algorithm>
#include <optional>

#include "engine/pulse.h"

namespace anteroom::sim {
namespace {

void check_pulse(const Pulse& pulse, const Standing& standing, Witness& witness) {
    const std::uint64_t told = ahead_from(pulse, standing.line, standing.order);
    const std::uint64_t off = std::max(told, standing.ahead) - std::min(told, standing.ahead);
    const std::uint64_t allowed =
        standing.ahead < limits::pulse_exact ? 0 : std::max<std::uint64_t>(1, standing.ahead / 100);
    witness.expect(off <= allowed, "the pulse tells another place", standing.number);
}

void check_wait(const Room& room, std::uint64_t ahead, Witness& witness) {
    const std::optional<Wait> wait = room.wait(ahead);
    if (!wait) return;
    witness.expect(wait->p50_seconds >= 0 && wait->p90_seconds >= wait->p50_seconds,
                   "a waiting time that cannot be");
    witness.expect(may_call(room.state()), "a waiting time in a room that calls nobody");
}

} // namespace

void audit(const Room& room, Instant now, Witness& witness, Random& random) {
    const GuestBook& book = witness.book();
    const Pulse pulse = make_pulse(room);
    witness.expect(pulse.waiting == book.waiting && pulse.active == book.inside.size(),
                   "the pulse counts otherwise");
    std::uint64_t ahead = 0;
    for (std::size_t line = 0; line < GuestBook::lines_max && witness.is_content(); ++line) {
        GuestBook::Places everybody = book.waits[line];
        everybody.insert(book.away[line].begin(), book.away[line].end());
        for (const auto& [order, number] : everybody) {
            const Standing standing = room.standing(number);
            const bool counts = book.guests.at(number).missed == 0;
            witness.saw_standing(standing, ahead);
            ahead += counts ? 1 : 0;
            witness.expect(room.everybody(line).contains(order) == counts,
                           "somebody stands in the wrong line", number);
            if (random.percent(10)) check_pulse(pulse, standing, witness);
        }
    }
    for (const Number number : book.inside) witness.saw_standing(room.standing(number));
    for (int tries = 0; tries < 5 && book.issued > 0; ++tries)
        witness.saw_standing(room.standing(
            static_cast<Number>(random.between(1, static_cast<std::int64_t>(book.issued) + 2))));
    check_wait(room, ahead, witness);
    witness.look_for_overdue(now);
}

} // namespace anteroom::sim
