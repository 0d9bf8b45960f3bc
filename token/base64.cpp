#include "token/base64.h"

#include <array>
#include <utility>

namespace anteroom::token {
namespace {

constexpr std::string_view url_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view standard_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::int8_t no_digit = -1; // Sets the top bit of whatever it is put together with.

using DigitTable = std::array<std::int8_t, 256>;

constexpr DigitTable digit_table(std::string_view alphabet) {
    DigitTable table{};
    table.fill(no_digit);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        table[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::int8_t>(i);
    return table;
}

constexpr DigitTable url_digits = digit_table(url_alphabet);
constexpr DigitTable standard_digits = digit_table(standard_alphabet);

// So many digits as one number; the top bit is set when one of them is none.
template <std::size_t Count>
std::uint64_t digits_at(const char* text, const DigitTable& digits) {
    std::uint64_t number = 0;
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        ((number = number << 6 |
                   static_cast<std::uint64_t>(digits[static_cast<std::uint8_t>(text[Index])])),
         ...);
    }
    (std::make_index_sequence<Count>());
    return number;
}

std::optional<std::size_t> decode(std::string_view text, const DigitTable& digits,
                                  std::span<std::uint8_t> out) {
    const std::size_t tail = text.size() % 4;
    if (tail == 1) return std::nullopt;
    const std::size_t whole = text.size() - tail;
    const std::size_t size = whole / 4 * 3 + (tail == 0 ? 0 : tail - 1);
    if (size > out.size()) return std::nullopt;

    std::uint64_t seen = 0; // All digits are folded in, so that there is one check at the end.
    const char* from = text.data();
    const char* const whole_end = from + whole;
    std::uint8_t* to = out.data();
    for (; whole_end - from >= 8; from += 8, to += 6) {
        const std::uint64_t six = digits_at<8>(from, digits);
        seen |= six;
        store_number<6>(to, six);
    }
    if (from != whole_end) {
        const std::uint64_t three = digits_at<4>(from, digits);
        seen |= three;
        store_number<3>(to, three);
        from += 4;
        to += 3;
    }
    std::uint64_t unused = 0;
    if (tail == 2) {
        const std::uint64_t one = digits_at<2>(from, digits);
        seen |= one;
        store_number<1>(to, one >> 4);
        unused = one & 0x0f;
    } else if (tail == 3) {
        const std::uint64_t two = digits_at<3>(from, digits);
        seen |= two;
        store_number<2>(to, two >> 2);
        unused = two & 0x03;
    }
    if (seen >> 63 != 0 || unused != 0) return std::nullopt;
    return size;
}

} // namespace

void write_base64url(ByteView bytes, char* out) {
    const auto put = [&](std::uint32_t digit) { *out++ = url_alphabet[digit & 0x3f]; };
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3) {
        const std::uint32_t three = static_cast<std::uint32_t>(load_number<3>(&bytes[i]));
        put(three >> 18);
        put(three >> 12);
        put(three >> 6);
        put(three);
    }
    const std::size_t rest = bytes.size() - i;
    if (rest == 0) return;
    const std::uint32_t first = bytes[i];
    const std::uint32_t second = rest == 2 ? bytes[i + 1] : 0;
    put(first >> 2);
    put(first << 4 | second >> 4);
    if (rest == 2) put(second << 2);
}

void append_base64url(std::string& out, ByteView bytes) {
    const std::size_t before = out.size();
    out.resize(before + base64url_length(bytes.size()));
    write_base64url(bytes, out.data() + before);
}

std::string base64url(ByteView bytes) {
    std::string out;
    append_base64url(out, bytes);
    return out;
}

std::optional<std::size_t> read_base64url(std::string_view text, std::span<std::uint8_t> out) {
    return decode(text, url_digits, out);
}

std::optional<std::string> decode_base64(std::string_view text) {
    if (text.size() % 4 == 0 && text.ends_with('='))
        text.remove_suffix(text.ends_with("==") ? 2 : 1);
    std::string out(base64_bytes_max(text.size()), '\0');
    const std::span<std::uint8_t> space{reinterpret_cast<std::uint8_t*>(out.data()), out.size()};
    const std::optional<std::size_t> size = decode(text, standard_digits, space);
    if (!size) return std::nullopt;
    out.resize(*size);
    return out;
}

} // namespace anteroom::token
