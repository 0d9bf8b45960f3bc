#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace anteroom {
namespace {

Result<int> parse_digit(char c) {
    if (c < '0' || c > '9') return Fault{"not a digit"};
    return c - '0';
}

Result<void> expect_digit(char c) {
    if (Result<int> digit = parse_digit(c); !digit) return digit.fault();
    return {};
}

TEST(Result, HoldsAValue) {
    Result<int> seven = parse_digit('7');
    ASSERT_TRUE(seven);
    EXPECT_EQ(*seven, 7);
    *seven = 8;
    EXPECT_EQ(*std::as_const(seven), 8);
}

TEST(Result, HoldsAFaultWithItsReason) {
    const Result<int> none = parse_digit('x');
    ASSERT_FALSE(none);
    EXPECT_EQ(none.fault().reason, "not a digit");
}

TEST(Result, AnEmptyValueIsStillAValue) {
    EXPECT_TRUE(Result<int>(0));
    EXPECT_TRUE(Result<std::string>(std::string{}));
    EXPECT_TRUE(Result<std::unique_ptr<int>>(std::unique_ptr<int>{}));
}

TEST(Result, GivesAwayAValueThatCannotBeCopied) {
    Result<std::unique_ptr<int>> held = std::make_unique<int>(42);
    std::unique_ptr<int> taken = *std::move(held);
    EXPECT_EQ(*taken, 42);
}

TEST(Result, ReachesMembersThroughTheArrow) {
    Result<std::string> word = std::string("anteroom");
    EXPECT_EQ(word->size(), 8u);
    word->push_back('s');
    EXPECT_EQ(*word, "anterooms");
}

TEST(Result, OfVoidIsSuccessOrAFault) {
    EXPECT_TRUE(expect_digit('1'));
    const Result<void> refused = expect_digit('!');
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.fault().reason, "not a digit");
}

TEST(ResultDeathTest, ReadingWhatItDoesNotHoldAborts) {
    EXPECT_DEATH(static_cast<void>(*parse_digit('x')), "CHECK failed");
    EXPECT_DEATH(static_cast<void>(parse_digit('7').fault()), "CHECK failed");
    EXPECT_DEATH(static_cast<void>(expect_digit('7').fault()), "CHECK failed");
}

} // namespace
} // namespace anteroom
