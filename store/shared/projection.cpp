#include "store/shared/projection.h"

#include <fmt/format.h>

#include "base/overload.h"

namespace anteroom::shared {

std::int64_t score_of(std::uint8_t line, std::uint64_t order) {
    constexpr std::int64_t apart = 1'000'000'000'000; // Exact in a double, sixteen times.
    return (std::int64_t{line} - 1) * apart + static_cast<std::int64_t>(order);
}

void project(const Room& room, std::span<const Fact> facts, std::string_view who,
             std::vector<std::string>& changes) {
    const auto add = [&](auto... words) { (changes.push_back(std::move(words)), ...); };
    const auto text = [](auto number) { return std::to_string(number); };
    const auto ends = [&](Number number) { add(std::string("E"), text(number)); };
    for (const Fact& fact : facts) {
        std::visit(Overload{
                       [&](const Joined& joined) {
                           const Standing standing = room.standing(joined.number);
                           std::string member(who);
                           if (member.empty())
                               member = fmt::format("#{:016x}{:016x}", joined.visitor.high,
                                                    joined.visitor.low);
                           add(std::string("J"), text(joined.number), std::move(member),
                               text(score_of(standing.line, standing.order)));
                       },
                       [&](const Called& called) {
                           const Instant until = room.standing(called.number).until;
                           add(std::string("C"), text(called.number), text(until.ms));
                       },
                       [&](const Claimed& claimed) {
                           const Instant until = room.standing(claimed.number).until;
                           add(std::string("C"), text(claimed.number), text(until.ms));
                       },
                       [&](const Missed& missed) {
                           const Standing standing = room.standing(missed.number);
                           add(std::string("M"), text(missed.number),
                               text(score_of(standing.line, standing.order)));
                       },
                       [&](const Finished& finished) { ends(finished.number); },
                       [&](const Left& left) { ends(left.number); },
                       [&](const Expired& expired) { ends(expired.number); },
                       [&](const Cleared&) { add(std::string("K")); },
                       [&](const Configured& configured) {
                           add(std::string("T"), text(configured.settings.capacity));
                       },
                       [](const auto&) {},
                   },
                   fact.what);
    }
}

} // namespace anteroom::shared
