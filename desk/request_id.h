// RequestId: the name of one request in its answer and in what is said about it. Lies where it is
// used, so that a poll does not allocate.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "token/bytes.h"

namespace anteroom {

class RequestId {
  public:
    static constexpr std::size_t length_max = 64;

    // REQUIRES: text.size() <= length_max.
    explicit RequestId(std::string_view text) : length_(static_cast<std::uint8_t>(text.size())) {
        CHECK(text.size() <= length_max);
        std::copy(text.begin(), text.end(), text_.begin());
    }

    // Sixteen hexadecimal digits.
    RequestId(std::uint32_t process, std::uint32_t count) : length_(16) {
        put_digits(&text_[0], process);
        put_digits(&text_[8], count);
    }

    std::string_view view() const { return {text_.data(), length_}; }

  private:
    // All eight at once: the digits are spread over the bytes of a word, and become letters there.
    static void put_digits(char* at, std::uint32_t number) {
        std::uint64_t word = number;
        word = (word << 16 | word) & 0x0000'ffff'0000'ffff;
        word = (word << 8 | word) & 0x00ff'00ff'00ff'00ff;
        word = (word << 4 | word) & 0x0f0f'0f0f'0f0f'0f0f;
        const std::uint64_t above_nine =
            (word + 0x0606'0606'0606'0606) >> 4 & 0x0101'0101'0101'0101;
        word += 0x3030'3030'3030'3030 + above_nine * ('a' - '0' - 10);
        token::store_number<8>(reinterpret_cast<std::uint8_t*>(at), word);
    }

    std::array<char, length_max> text_{};
    std::uint8_t length_;
};

} // namespace anteroom
