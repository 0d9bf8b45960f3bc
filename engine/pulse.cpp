#include "engine/pulse.h"

#include <algorithm>
#include <optional>

namespace anteroom {
namespace {

void add_runs(PulseLine& out, const Line& line, std::uint64_t exact) {
    std::uint64_t order = out.first;
    std::uint64_t live = 1;
    for (std::uint64_t found = 1; found < exact; ++found) {
        const std::optional<std::uint64_t> next = line.next(order + 1);
        if (!next) break;
        if (*next == order + 1) {
            ++live;
        } else {
            out.runs.push_back(live);
            out.runs.push_back(*next - order - 1);
            live = 1;
        }
        order = *next;
    }
    out.runs.push_back(live);
}

void add_marks(PulseLine& out, const Line& line) {
    for (std::uint64_t rank = limits::pulse_exact; rank < out.count;
         rank = next_mark(rank, out.count)) {
        const std::optional<std::uint64_t> order = line.select(rank);
        if (!order) { // Beside a writer the line may have become shorter.
            out.count = rank;
            break;
        }
        // Beside a writer a later look may find an earlier order: the marks never go back.
        out.marks.push_back(out.marks.empty() ? *order : std::max(*order, out.marks.back()));
    }
    const std::optional<std::uint64_t> last = line.select(out.count - 1);
    if (!out.marks.empty()) out.marks.push_back(std::max(last.value_or(0), out.marks.back()) + 1);
}

std::uint64_t rank_in_runs(const PulseLine& line, std::uint64_t order) {
    std::uint64_t rank = 0;
    std::uint64_t at = line.first;
    for (std::size_t i = 0; i < line.runs.size() && at < order; ++i) {
        const std::uint64_t length = std::min(line.runs[i], order - at);
        if (i % 2 == 0) rank += length;
        at += line.runs[i];
    }
    return rank;
}

std::uint64_t rank_in_line(const PulseLine& line, std::uint64_t order) {
    if (order <= line.first) return 0;
    if (line.marks.empty() || order <= line.marks.front())
        return std::min(rank_in_runs(line, order), line.count);
    std::uint64_t rank = limits::pulse_exact;
    for (std::size_t i = 0; i + 1 < line.marks.size(); ++i) {
        const std::uint64_t end_rank = next_mark(rank, line.count);
        if (order >= line.marks[i + 1]) {
            rank = end_rank;
            continue;
        }
        const std::uint64_t live = end_rank - rank;
        const std::uint64_t before = order - line.marks[i];
        const std::uint64_t after = line.marks[i + 1] - order;
        const std::uint64_t least = live > after ? live - after : 0;
        const std::uint64_t most = std::min(live, before);
        return rank + (std::min(least, most) + most) / 2;
    }
    return line.count;
}

} // namespace

std::uint64_t next_mark(std::uint64_t rank, std::uint64_t count) {
    const std::uint64_t step = std::max<std::uint64_t>(1, rank / limits::pulse_steps_per_rank);
    return std::min(count, rank + step);
}

Pulse make_pulse(const Room& room) {
    const OuterLine::Counters outer = room.outer().counters();
    const Number serving = room.serving(); // Before `issued`: never above it.
    Pulse pulse{.state = room.state(),
                .issued = room.issued(),
                .serving = serving,
                .waiting = room.waiting(),
                .active = room.inside(),
                .capacity = static_cast<std::uint64_t>(room.settings().capacity),
                .rate_per_second = room.rate_per_second(),
                .outer_generation = outer.generation,
                .outer_active = outer.active,
                .outer_issued = outer.issued,
                .outer_serving = outer.serving};
    for (std::size_t i = 0; i < Room::lines_max; ++i) {
        const Line& line = room.everybody(i);
        PulseLine out{.line = static_cast<std::uint8_t>(i), .count = line.size()};
        const std::optional<std::uint64_t> first = line.select(0);
        if (out.count == 0 || !first) continue;
        out.first = *first;
        add_runs(out, line, std::min(out.count, limits::pulse_exact));
        add_marks(out, line);
        pulse.lines.push_back(std::move(out));
    }
    return pulse;
}

std::uint64_t ahead_from(const Pulse& pulse, std::uint8_t line, std::uint64_t order) {
    std::uint64_t ahead = 0;
    for (const PulseLine& other : pulse.lines) {
        if (other.line < line) ahead += other.count;
        if (other.line == line) ahead += rank_in_line(other, order);
    }
    return ahead;
}

} // namespace anteroom
