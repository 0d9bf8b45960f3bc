#include "api/plain_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>

#include "base/check.h"
#include "desk/assets.h"
#include "engine/poll.h"
#include "net/header_values.h"

namespace anteroom::api {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> languages{"en", "ko", "ja", "es"};

// Parsed once; the file is part of the binary.
const json::object& texts_of(std::string_view language) {
    static const json::value all =
        json::parse(json::string_view(assets::texts.plain.data(), assets::texts.plain.size()));
    return all.as_object().at(json::string_view(language.data(), language.size())).as_object();
}

class Words {
  public:
    explicit Words(std::string_view language) : texts_(texts_of(language)) {}

    std::string operator()(std::string_view name) const {
        const json::value* text = texts_.if_contains(json::string_view(name.data(), name.size()));
        return text && text->is_string() ? std::string(text->get_string().c_str()) : std::string{};
    }

    // 1234567 as people of this language write it.
    std::string number(std::uint64_t value) const {
        std::string digits = std::to_string(value);
        const std::string group = (*this)("group");
        for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, group);
        return digits;
    }

  private:
    const json::object& texts_;
};

std::string with(std::string text, std::string_view name, const std::string& value) {
    const std::string placeholder = fmt::format("{{{}}}", name);
    const std::size_t at = text.find(placeholder);
    if (at != text.npos) text.replace(at, placeholder.size(), value);
    return text;
}

// Minutes up to twenty, then fives, then half hours; the same rules as the page with scripts has.
std::string estimate(const Words& words, const std::optional<Wait>& wait) {
    if (!wait) return words("eta_unknown");
    const double minutes = static_cast<double>(wait->p90_seconds) / 60;
    if (minutes < 1) return words("eta_soon");
    const double step = minutes <= 20 ? 1 : minutes <= 90 ? 5 : 30;
    const double size = step == 30 ? 60 : 1;
    const std::string unit = step == 30 ? "eta_hours" : "eta_minutes";
    const double high = std::ceil(minutes / step) * step / size;
    const double usual = std::round(static_cast<double>(wait->p50_seconds) / 60 / step) * step;
    const double low = std::min(high, std::max(step, usual) / size);
    const std::string text = words(low < high  ? unit + "_range"
                                   : high == 1 ? std::string("eta_minute")
                                               : unit);
    const auto number = [&](double value) {
        std::string digits = fmt::format("{}", value); // Halves at the most: 1.5
        const std::size_t point = digits.find('.');
        if (point != digits.npos) digits.replace(point, 1, words("decimal"));
        return digits;
    };
    return with(with(text, "low", number(low)), "high", number(high));
}

// A promise of so many seconds, never more than is true; the same rules as the page with scripts.
std::string span_in_words(const Words& words, std::int64_t seconds) {
    if (seconds == 1 || seconds == 60) return words(seconds == 1 ? "span_second" : "span_minute");
    const bool in_seconds = seconds < 120, in_hours = seconds >= 7200;
    const std::int64_t unit = in_seconds ? 1 : in_hours ? 3600 : 60;
    const std::string text = words(in_seconds ? "span_seconds"
                                   : in_hours ? "span_hours"
                                              : "span_minutes");
    return with(text, "n", words.number(static_cast<std::uint64_t>(seconds / unit)));
}

// The name of the texts for a state: "waiting" has waiting_head and waiting_lead.
std::string text_state(const PlainPage& page) {
    if (page.state == "room_not_found") return "not_found";
    if (page.state == "room_full") return "full";
    if (page.state == "room_draining") return "draining";
    if (page.state == "room_closed") return "closed";
    const bool waits = page.state == "waiting" || page.state == "leaving";
    if (waits && page.room_state == RoomState::paused) return "paused";
    if (waits && page.room_state == RoomState::closed) return "closed";
    return waits ? "waiting" : page.state;
}

} // namespace

std::string_view plain_language(std::string_view accept_language) {
    return net::negotiate_language(accept_language, languages);
}

std::string escape_html(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string render_plain_page(const PlainPage& page, std::string_view language) {
    const Words words(language);
    const std::string state = text_state(page);
    const bool waits = is_in_line(page.standing.state);
    const bool inside = is_inside(page.standing.state);
    const bool may_rejoin = state == "left" || state == "expired" || state == "finished";
    const bool asks_again = waits || state == "full" || state == "busy" || inside;
    const std::int64_t refresh = std::max<std::int64_t>(5, poll_after_seconds(page.standing.ahead));
    const auto value_of = [&](std::string_view name) -> std::string {
        if (name.starts_with("text:")) return words(name.substr(5));
        if (name == "lang") return std::string(language);
        if (name == "dir") return words("dir");
        if (name == "state") return page.state;
        if (name == "room") return page.room;
        if (name == "message") return page.message;
        if (name == "title" && waits)
            return with(words("title_ahead"), "n", words.number(page.standing.ahead));
        if (name == "title") return inside ? words("title_turn") : words("title");
        if (name == "head" && state == "busy") return words("connecting_head");
        if (name == "lead" && state == "busy") return words("busy");
        if (name == "lead" && page.state == "room_draining") return words("join_later_lead");
        if (name == "head")
            return words(state + "_head").empty() ? words("title") : words(state + "_head");
        if (name == "lead")
            return with(words(state + "_lead"), "time",
                        span_in_words(words, page.idle.count / 1'000));
        if (name == "ahead") return waits ? words.number(page.standing.ahead) : "";
        if (name == "ahead_label") return words(page.standing.ahead == 1 ? "ahead_one" : "ahead");
        if (name == "number") return words.number(page.standing.number);
        if (name == "behind") return words.number(page.standing.behind);
        if (name == "estimate") return estimate(words, page.wait);
        if (name == "enter") return inside ? page.target : "";
        if (name == "leave") return waits ? "yes" : "";
        if (name == "rejoin") return may_rejoin ? words("rejoin") : "";
        if (name == "refresh") return asks_again ? std::to_string(refresh) : "";
        if (name == "refresh_note")
            return asks_again ? with(words("refresh_note"), "n", std::to_string(refresh)) : "";
        return {};
    };
    return fill_in(assets::plain_page.plain, value_of);
}

} // namespace anteroom::api
