// RequestId: the name of one request in its answer and in what is said about it. Lies where it is
// used, so that a poll does not allocate.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/check.h"

namespace anteroom::api {

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
        constexpr std::string_view digits = "0123456789abcdef";
        std::uint64_t rest = std::uint64_t{process} << 32 | count;
        for (std::size_t i = length_; i-- > 0; rest >>= 4) text_[i] = digits[rest & 15];
    }

    std::string_view view() const { return {text_.data(), length_}; }

  private:
    std::array<char, length_max> text_{};
    std::uint8_t length_;
};

} // namespace anteroom::api
