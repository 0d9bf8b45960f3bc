#include "engine/presence_marks.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "engine/room.h"

namespace anteroom {

PresenceMarks make_presence_marks(const Room& room) {
    PresenceMarks marks;
    if (room.absent() == 0) return marks;
    std::uint64_t callable = 0;
    const auto add = [&](std::uint8_t line, std::uint64_t order) {
        // Beside a writer a later look may count fewer: the marks never go back.
        callable = std::max(callable, room.callable_before(line, order));
        if (marks.empty() || marks.back().line != line || marks.back().order < order)
            marks.push_back({.line = line, .order = order, .callable = callable});
    };
    for (std::size_t i = 0; i < Room::lines_max; ++i) {
        const auto line = static_cast<std::uint8_t>(i);
        const Line& everybody = room.everybody(i);
        const std::uint64_t size = everybody.size();
        const std::uint64_t steps = std::min(size, limits::presence_marks_per_line);
        for (std::uint64_t step = 0; step < steps; ++step)
            if (const std::optional<std::uint64_t> order = everybody.select(step * size / steps))
                add(line, *order);
        if (const std::optional<std::uint64_t> last = everybody.select(size - 1); size > 0 && last)
            add(line, *last + 1);
    }
    return marks;
}

std::uint64_t callable_before(const PresenceMarks& marks, std::uint8_t line, std::uint64_t order) {
    const auto after = std::upper_bound(marks.begin(), marks.end(), std::pair(line, order),
                                        [](const auto& place, const PresenceMark& mark) {
                                            return place < std::pair(mark.line, mark.order);
                                        });
    const bool has_before = after != marks.begin() && std::prev(after)->line == line;
    const bool has_after = after != marks.end() && after->line == line;
    if (!has_before) return has_after ? after->callable : UINT64_MAX;
    const PresenceMark& before = *std::prev(after);
    const std::uint64_t beyond = order - before.order;
    if (!has_after) return before.callable + beyond;
    const double share =
        static_cast<double>(beyond) / static_cast<double>(after->order - before.order);
    const auto between = static_cast<double>(after->callable - before.callable);
    return before.callable + static_cast<std::uint64_t>(share * between);
}

} // namespace anteroom
