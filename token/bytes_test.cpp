#include "token/bytes.h"

#include <gtest/gtest.h>

namespace anteroom::token {
namespace {

template <std::size_t Width>
void expect_big_endian() {
    constexpr std::uint64_t number = 0x0123'4567'89ab'cdef;
    std::array<std::uint8_t, 9> bytes;
    bytes.fill(0xee);
    store_number<Width>(bytes.data(), number);
    for (std::size_t i = 0; i < Width; ++i)
        EXPECT_EQ(bytes[i], static_cast<std::uint8_t>(number >> (8 * (Width - 1 - i)))) << Width;
    for (std::size_t i = Width; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], 0xee) << Width;
    EXPECT_EQ(load_number<Width>(bytes.data()), number & (~std::uint64_t{0} >> (64 - 8 * Width)));
}

TEST(Bytes, NumbersOfEveryWidthStandWithTheHighestByteFirst) {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (expect_big_endian<Index + 1>(), ...);
    }
    (std::make_index_sequence<8>());
}

} // namespace
} // namespace anteroom::token
