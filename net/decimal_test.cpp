#include "net/decimal.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace anteroom::net {
namespace {

std::string decimal(std::uint64_t number) {
    std::string text(decimal_length_max + 1, '~');
    const char* const end = write_decimal(text.data(), number);
    const auto length = static_cast<std::size_t>(end - text.data());
    EXPECT_EQ(text.substr(length), std::string(text.size() - length, '~')) << number;
    EXPECT_EQ(length, decimal_length(number)) << number;
    return text.substr(0, length);
}

TEST(Decimal, WritesTheNumbersAroundEveryPowerOfTenAndOfTwo) {
    EXPECT_EQ(decimal(0), "0");
    for (std::uint64_t step = 1;; step *= 10) {
        for (const std::uint64_t number : {step - 1, step, step + 1})
            ASSERT_EQ(decimal(number), std::to_string(number));
        if (step > std::numeric_limits<std::uint64_t>::max() / 10) break;
    }
    for (unsigned bit = 0; bit < 64; ++bit) {
        const std::uint64_t step = std::uint64_t{1} << bit;
        for (const std::uint64_t number : {step - 1, step, step + 1})
            ASSERT_EQ(decimal(number), std::to_string(number));
    }
    EXPECT_EQ(decimal(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(Decimal, WritesNumbersOfEveryLength) {
    std::mt19937_64 random(9);
    for (int round = 0; round < 100'000; ++round) {
        const std::uint64_t number = random() >> (random() % 64);
        ASSERT_EQ(decimal(number), std::to_string(number));
    }
}

} // namespace
} // namespace anteroom::net
