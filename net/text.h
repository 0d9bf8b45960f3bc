// The character classes and small comparisons that every HTTP grammar rule is made of (RFC
// 9110, 5.6).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace anteroom::net {

enum CharacterClass : std::uint8_t {
    in_token = 1,  // tchar
    in_value = 2,  // field-content: visible ASCII, SP, HTAB, obs-text
    in_target = 4, // What may stand in a request target on the wire
    in_host = 8,   // reg-name characters of RFC 3986, 3.2.2, without brackets
    in_path = 16,  // Of a target, what can only be part of the path
};

namespace detail {

consteval std::array<std::uint8_t, 256> character_classes() {
    std::array<std::uint8_t, 256> classes{};
    const auto add = [&](std::string_view characters, CharacterClass which) {
        for (const char c : characters) {
            auto& entry = classes[static_cast<unsigned char>(c)];
            entry = static_cast<std::uint8_t>(entry | which);
        }
    };
    constexpr std::string_view alphanumeric =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    add(alphanumeric, in_token);
    add("!#$%&'*+-.^_`|~", in_token);
    add(alphanumeric, in_host);
    add("-._~%!$&'()*+,;=", in_host);
    for (unsigned c = 0; c < 256; ++c) {
        const bool visible = c > 0x20 && c < 0x7f;
        if (visible || c == ' ' || c == '\t' || c >= 0x80) classes[c] |= in_value;
        // Browsers always encode these; a fragment never travels.
        if (visible && c != '"' && c != '<' && c != '>' && c != '#') classes[c] |= in_target;
        if ((classes[c] & in_target) && c != '?' && c != '\\') classes[c] |= in_path;
    }
    return classes;
}

inline constexpr std::array<std::uint8_t, 256> classes = character_classes();

} // namespace detail

constexpr bool is(char c, CharacterClass which) {
    return (detail::classes[static_cast<unsigned char>(c)] & which) != 0;
}

constexpr bool all(std::string_view text, CharacterClass which) {
    // Folded, with one branch for four characters: targets and names are read character by
    // character, and hardly ever is one forbidden.
    unsigned common = which;
    const auto fold = [&](char c) { common &= detail::classes[static_cast<unsigned char>(c)]; };
    std::size_t at = 0;
    for (; at + 4 <= text.size(); at += 4) {
        fold(text[at]);
        fold(text[at + 1]);
        fold(text[at + 2]);
        fold(text[at + 3]);
    }
    for (; at < text.size(); ++at) fold(text[at]);
    return common != 0;
}

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

constexpr char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (to_lower(a[i]) != to_lower(b[i])) return false;
    }
    return true;
}

// Without optional whitespace at both ends (SP and HTAB, nothing else).
constexpr std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

constexpr bool is_port(std::string_view text) {
    if (text.empty() || text.size() > 5) return false;
    unsigned value = 0;
    for (const char c : text) {
        if (!is_digit(c)) return false;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value <= 65'535;
}

// Calls visit with each trimmed, non-empty element of a comma-separated list.
template <class Visit>
constexpr void for_each_element(std::string_view list, Visit visit) {
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        const std::string_view element = trim(list.substr(0, comma));
        if (!element.empty()) visit(element);
        if (comma == std::string_view::npos) return;
        list.remove_prefix(comma + 1);
    }
}

} // namespace anteroom::net
