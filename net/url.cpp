#include "net/url.h"

#include <algorithm>

#include "base/text.h"
#include "net/http_parser.h"
#include "net/text.h"

namespace anteroom::net {

namespace {

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

} // namespace

std::optional<std::string> percent_decode(std::string_view text, Plus plus) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        char c = text[at];
        if (c == '+' && plus == Plus::space) {
            c = ' ';
        } else if (c == '%') {
            if (text.size() - at < 3) return std::nullopt;
            const std::uint8_t high = hex_value(text[at + 1]);
            const std::uint8_t low = hex_value(text[at + 2]);
            if (high > 15 || low > 15) return std::nullopt;
            c = static_cast<char>(high * 16 + low);
            at += 2;
        }
        if (is_control(c)) return std::nullopt;
        decoded.push_back(c);
    }
    if (!is_utf8(decoded)) return std::nullopt;
    return decoded;
}

std::optional<Query> Query::parse(std::string_view text) {
    Query query;
    while (!text.empty()) {
        const std::size_t end = text.find('&');
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (pair.empty()) continue;
        const std::size_t equals = pair.find('=');
        auto name = percent_decode(pair.substr(0, equals), Plus::space);
        auto value = percent_decode(
            equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1),
            Plus::space);
        if (!name || !value || query.find(*name)) return std::nullopt;
        if (query.parameters_.size() == query_parameters_max) return std::nullopt;
        query.parameters_.push_back({std::move(*name), std::move(*value)});
    }
    return query;
}

const std::string* Query::find(std::string_view name) const {
    const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                    [&](const Parameter& one) { return one.name == name; });
    return found == parameters_.end() ? nullptr : &found->value;
}

std::optional<Url> parse_url(std::string_view text) {
    Url url;
    if (text.starts_with("https://")) {
        url.secure = true;
        url.port = 443;
        text.remove_prefix(8);
    } else if (text.starts_with("http://")) {
        text.remove_prefix(7);
    } else {
        return std::nullopt;
    }
    const std::size_t end = text.find_first_of("/?");
    const std::string_view authority = text.substr(0, end);
    const std::string_view rest = end == std::string_view::npos ? "" : text.substr(end);
    if (!is_host(authority) || !all(rest, in_target)) return std::nullopt;
    url.authority = authority;
    if (!rest.starts_with('/')) url.target.push_back('/');
    url.target += rest;

    const std::size_t bracket = authority.find(']');
    const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon != std::string_view::npos) {
        url.port = parse_whole_number<std::uint16_t>(authority.substr(colon + 1)).value_or(0);
        if (url.port == 0) return std::nullopt;
    }
    url.host = bracket == std::string_view::npos ? authority.substr(0, colon)
                                                 : authority.substr(1, bracket - 1);
    return url;
}

} // namespace anteroom::net
