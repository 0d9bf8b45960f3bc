#include "net/header_values.h"

#include <algorithm>

#include "base/check.h"
#include "net/scan.h"
#include "net/text.h"

namespace anteroom::net {

namespace {

// cookie-octet: visible ASCII without quote, comma, semicolon and backslash.
bool is_cookie_value(std::string_view value) {
    return std::all_of(value.begin(), value.end(), [](char c) {
        return c > 0x20 && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
    });
}

// "0", "0.5", "1.000" as thousandths; anything else is refused (RFC 9110, 12.4.2).
std::optional<int> parse_weight(std::string_view text) {
    if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
    int weight = (text[0] - '0') * 1'000;
    if (text.size() == 1) return weight;
    if (text[1] != '.') return std::nullopt;
    int unit = 100;
    for (const char c : text.substr(2)) {
        if (!is_digit(c)) return std::nullopt;
        weight += (c - '0') * unit;
        unit /= 10;
    }
    return weight <= 1'000 ? std::optional(weight) : std::nullopt;
}

struct Preference {
    std::string_view tag;
    int weight = 1'000;
};

std::optional<Preference> parse_preference(std::string_view element) {
    const std::size_t semicolon = element.find(';');
    Preference preference{.tag = trim(element.substr(0, semicolon))};
    if (semicolon != std::string_view::npos) {
        const std::string_view parameter = trim(element.substr(semicolon + 1));
        if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return std::nullopt;
        const auto weight = parse_weight(parameter.substr(2));
        if (!weight) return std::nullopt;
        preference.weight = *weight;
    }
    return preference;
}

// "de-ch" is tried as itself and then as "de".
std::optional<std::string_view> look_up(std::string_view tag,
                                        std::span<const std::string_view> supported) {
    while (!tag.empty()) {
        const auto found =
            std::find_if(supported.begin(), supported.end(),
                         [&](std::string_view one) { return equals_lower(tag, one); });
        if (found != supported.end()) return *found;
        const std::size_t dash = tag.rfind('-');
        tag = tag.substr(0, dash == std::string_view::npos ? 0 : dash);
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string_view> find_cookie(std::string_view header, std::string_view name) {
    while (!header.empty()) {
        const std::size_t end = header.find(';');
        const std::string_view pair = trim(header.substr(0, end));
        header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
        std::string_view value = pair.substr(equals + 1);
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
            value = value.substr(1, value.size() - 2);
        }
        if (is_cookie_value(value)) return value;
    }
    return std::nullopt;
}

bool etag_matches(std::string_view if_none_match, std::string_view etag) {
    if (trim(if_none_match) == "*") return true;
    if (etag.starts_with("W/")) etag.remove_prefix(2);
    bool found = false;
    // A comma inside a tag would split it, and then match nothing: our tags have none.
    for_each_element(if_none_match, [&](std::string_view one) {
        if (one.starts_with("W/")) one.remove_prefix(2);
        found = found || one == etag;
    });
    return found;
}

std::string_view negotiate_language(std::string_view accept_language,
                                    std::span<const std::string_view> supported) {
    CHECK(!supported.empty());
    std::string_view best = supported.front();
    int best_weight = 0;
    for_each_element(accept_language, [&](std::string_view element) {
        const auto preference = parse_preference(element);
        if (!preference || preference->weight <= best_weight) return;
        if (preference->tag == "*") {
            best = supported.front();
            best_weight = preference->weight;
        } else if (const auto found = look_up(preference->tag, supported)) {
            best = *found;
            best_weight = preference->weight;
        }
    });
    return best;
}

} // namespace anteroom::net
