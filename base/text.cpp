#include "base/text.h"

namespace anteroom {
namespace {

constexpr std::size_t uuid_length = 36;

bool is_uuid_dash(std::size_t at) {
    return at == 8 || at == 13 || at == 18 || at == 23;
}

} // namespace

std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t at) -> unsigned {
        return at < text.size() ? static_cast<std::uint8_t>(text[at]) : 0u;
    };
    const auto between = [](unsigned value, unsigned low, unsigned high) {
        return value >= low && value <= high;
    };
    const auto follows = [&](std::size_t at) { return between(byte(at), 0x80, 0xbf); };
    const unsigned first = byte(0);
    if (text.empty()) return 0;
    if (first < 0x80) return 1;
    if (between(first, 0xc2, 0xdf)) return follows(1) ? 2 : 0;
    if (between(first, 0xe0, 0xef)) {
        const unsigned low = first == 0xe0 ? 0xa0 : 0x80;  // Not overlong.
        const unsigned high = first == 0xed ? 0x9f : 0xbf; // Not a surrogate.
        return between(byte(1), low, high) && follows(2) ? 3 : 0;
    }
    if (between(first, 0xf0, 0xf4)) {
        const unsigned low = first == 0xf0 ? 0x90 : 0x80;  // Not overlong.
        const unsigned high = first == 0xf4 ? 0x8f : 0xbf; // Not behind U+10FFFF.
        return between(byte(1), low, high) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::uint8_t byte : bytes) {
        text += hex_digits[byte >> 4];
        text += hex_digits[byte & 15];
    }
    return text;
}

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t at = 0; at < text.size(); at += 2) {
        const unsigned high = hex_value(text[at]), low = hex_value(text[at + 1]);
        if (high > 15 || low > 15) return std::nullopt;
        bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
    }
    return bytes;
}

bool is_uuid(std::string_view text) {
    if (text.size() != uuid_length) return false;
    for (std::size_t at = 0; at < text.size(); ++at)
        if (is_uuid_dash(at) ? text[at] != '-' : hex_value(text[at]) > 15) return false;
    return true;
}

std::optional<double> parse_decimal(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return value;
}

} // namespace anteroom
