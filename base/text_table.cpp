#include "base/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/check.h"
#include "base/duration.h"
#include "base/text.h"

namespace anteroom {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

// In characters: every byte counts that does not continue a UTF-8 sequence.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

std::size_t sequence_length(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xf0) return 4;
    return first >= 0xe0 ? 3 : 2;
}

std::tm calendar(Instant at) {
    const std::int64_t past = at.ms % 1'000 < 0 ? 1 : 0; // Down, also before 1970.
    const std::time_t seconds = static_cast<std::time_t>(at.ms / 1'000 - past);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return parts;
}

} // namespace

void TextTable::add(std::vector<std::string> cells) {
    CHECK(cells.size() == columns_.size());
    rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
    std::vector<std::size_t> widths;
    std::vector<std::string> titles;
    for (const Column& column : columns_) {
        titles.push_back(column.title);
        widths.push_back(width(column.title));
    }
    for (const std::vector<std::string>& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    std::string out;
    const auto add_line = [&](const std::vector<std::string>& cells) {
        std::string line;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string padding(widths[i] - width(cells[i]), ' ');
            if (i > 0) line += "  ";
            line += columns_[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
        }
        line.resize(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    };
    add_line(titles);
    for (const std::vector<std::string>& row : rows_) add_line(row);
    return out;
}

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length =
            std::min(sequence_length(static_cast<unsigned char>(text.front())), text.size());
        const std::string_view character = text.substr(0, length);
        const auto first = static_cast<unsigned char>(character.front());
        // U+0080 to U+009F are control characters, too.
        const bool is_control =
            first < 0x20 || first == 0x7f ||
            (first == 0xc2 && length == 2 && static_cast<unsigned char>(character[1]) < 0xa0);
        const bool is_good = !is_control && is_utf8(character);
        out += is_good ? character : replacement;
        text.remove_prefix(is_good || is_control ? length : 1);
    }
    return out;
}

std::string utc_text(const std::optional<Instant>& at) {
    if (!at) return {};
    const std::tm parts = calendar(*at);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string utc_stamp(const std::optional<Instant>& at) {
    if (!at) return {};
    std::string text = utc_text(at);
    text[text.find(' ')] = 'T';
    return text + fmt::format(".{:03}Z", (at->ms % 1'000 + 1'000) % 1'000);
}

std::string span_text(Millis span) {
    const Millis forward{std::max<std::int64_t>(span.count, 0)};
    const bool is_long = forward >= seconds(1);
    return to_string(is_long ? Millis{forward.count - forward.count % 1'000} : forward);
}

} // namespace anteroom
