// Bytes: views of octets, and the fixed-size texts that tokens are written in.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

namespace anteroom::token {

using ByteView = std::span<const std::uint8_t>;

inline ByteView bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view text_of(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A text whose length is known beforehand, so that minting a ticket allocates nothing. A view of
// one lives no longer than the text: name it first.
template <std::size_t Length>
struct FixedText {
    std::array<char, Length> characters{};
    std::string_view view() const { return {characters.data(), Length}; }
};

// Big-endian numbers of 1 to 8 bytes; all our binary layouts use them. One swap and one or two
// stores: g++ 12 does not put single stores of bytes together.
template <std::size_t Width>
void store_number(std::uint8_t* out, std::uint64_t number) {
    static_assert(Width >= 1 && Width <= 8);
    std::uint64_t word = number << (8 * (8 - Width));
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    std::memcpy(out, &word, Width);
}

// Without a loop, in a form that compilers know as one access and a swap.
template <std::size_t Width>
std::uint64_t load_number(const std::uint8_t* in) {
    static_assert(Width >= 1 && Width <= 8);
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        return ((std::uint64_t{in[Index]} << (8 * (Width - 1 - Index))) | ...);
    }
    (std::make_index_sequence<Width>());
}

} // namespace anteroom::token
