// Dates as HTTP writes them (RFC 9110, 5.6.7), and the Date line of the answers of this second.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace anteroom::net {

inline constexpr std::size_t http_date_bytes = 29;

// "Sun, 06 Nov 1994 08:49:37 GMT" for seconds since 1970. REQUIRES: 0 ≤ seconds < the year 10000.
std::array<char, http_date_bytes> format_http_date(std::int64_t unix_seconds);

// "Date: …\r\n", formatted once per second of wall time.
class DateLine {
  public:
    // now: the loop's time; the wall clock is read when a new second may have begun.
    std::string_view at(Instant now) {
        if (now >= refresh_at_) refresh(now);
        return {text_.data(), text_.size()};
    }

  private:
    void refresh(Instant now);

    std::array<char, 6 + http_date_bytes + 2> text_{};
    Instant refresh_at_ = instant_min;
};

} // namespace anteroom::net
