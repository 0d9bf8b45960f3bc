// Text that several folders read and write: UTF-8, hexadecimal digits, UUIDs, whole numbers. No
// locale, no exceptions; a text of another form gives an empty optional.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anteroom {

// The bytes of the first character (RFC 3629). 0: the text is empty, or does not start with one.
std::size_t utf8_length(std::string_view text);
bool is_utf8(std::string_view text);

inline constexpr std::string_view hex_digits = "0123456789abcdef";

// 0–15, or 255 when c is no hexadecimal digit.
constexpr std::uint8_t hex_value(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
    return 255;
}

// Two small digits per byte.
std::string to_hex(std::span<const std::uint8_t> bytes);
// Two digits per byte, small or capital; empty: another character, or an odd number of digits.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);

// 8-4-4-4-12 hexadecimal digits, small or capital, of any version.
bool is_uuid(std::string_view text);

// The number with which the text starts; what follows it is ignored. Empty: the text starts with no
// number (also with a plus sign or a space), or the number does not fit into T.
template <std::integral T>
std::optional<T> parse_leading_number(std::string_view text, int base = 10) {
    T value{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (read.ec != std::errc()) return std::nullopt;
    return value;
}

// The same when the number is the whole text. A minus sign is read only for a signed T.
template <std::integral T>
std::optional<T> parse_whole_number(std::string_view text, int base = 10) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value, base);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return value;
}

// A decimal number, also with an exponent, that is the whole text.
std::optional<double> parse_decimal(std::string_view text);

} // namespace anteroom
