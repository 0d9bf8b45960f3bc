#include "base/duration.h"

#include <array>
#include <cstdint>

#include "base/check.h"

namespace anteroom {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t ms;
};
// Longest name first among those with a common start.
constexpr std::array units{Unit{"ms", 1}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000},
                           Unit{"d", 86'400'000}};

} // namespace

std::optional<Millis> parse_duration(std::string_view text) {
    constexpr std::int64_t count_max = 1'000'000'000'000;
    if (text.empty()) return std::nullopt;
    std::int64_t sum = 0;
    while (!text.empty()) {
        std::int64_t count = 0;
        std::size_t digits = 0;
        for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
            count = count * 10 + (text[digits] - '0');
            if (count > count_max) return std::nullopt;
        }
        if (digits == 0) return std::nullopt;
        text.remove_prefix(digits);
        const Unit* found = nullptr;
        for (const Unit& unit : units)
            if (!found && text.starts_with(unit.name)) found = &unit;
        if (!found || count > count_max / found->ms) return std::nullopt;
        text.remove_prefix(found->name.size());
        sum += count * found->ms;
        if (sum > count_max) return std::nullopt;
    }
    return Millis{sum};
}

std::string to_string(Millis span) {
    CHECK(span >= Millis{0});
    if (span == Millis{0}) return "0s";
    std::string text;
    std::int64_t rest = span.count;
    for (const Unit& unit : {units[1], units[2], units[3], units[0]}) {
        if (rest >= unit.ms) text += std::to_string(rest / unit.ms) + std::string(unit.name);
        rest %= unit.ms;
    }
    return text;
}

} // namespace anteroom
