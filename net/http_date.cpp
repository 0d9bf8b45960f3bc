#include "net/http_date.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"

namespace anteroom::net {

namespace {

constexpr std::string_view weekdays = "SunMonTueWedThuFriSat";
constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";

void put_digits(char* at, unsigned value, int width) {
    for (int i = width - 1; i >= 0; --i) {
        at[i] = static_cast<char>('0' + value % 10);
        value /= 10;
    }
}

} // namespace

std::array<char, http_date_bytes> format_http_date(std::int64_t unix_seconds) {
    CHECK(unix_seconds >= 0);
    CHECK(unix_seconds < 253'402'300'800);
    const std::chrono::sys_seconds time{std::chrono::seconds{unix_seconds}};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    const unsigned weekday = std::chrono::weekday{day}.c_encoding();
    const unsigned month = static_cast<unsigned>(date.month()) - 1;

    std::array<char, http_date_bytes> text{};
    constexpr std::string_view pattern = "Sun, 06 Nov 1994 08:49:37 GMT";
    std::copy(pattern.begin(), pattern.end(), text.begin());
    std::copy_n(weekdays.begin() + weekday * 3, 3, text.begin());
    put_digits(&text[5], static_cast<unsigned>(date.day()), 2);
    std::copy_n(months.begin() + month * 3, 3, text.begin() + 8);
    put_digits(&text[12], static_cast<unsigned>(static_cast<int>(date.year())), 4);
    put_digits(&text[17], static_cast<unsigned>(clock.hours().count()), 2);
    put_digits(&text[20], static_cast<unsigned>(clock.minutes().count()), 2);
    put_digits(&text[23], static_cast<unsigned>(clock.seconds().count()), 2);
    return text;
}

void DateLine::refresh(Instant now) {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(wall).count();
    constexpr std::string_view name = "Date: ";
    const auto date = format_http_date(ms / 1'000);
    auto end = std::copy(name.begin(), name.end(), text_.begin());
    end = std::copy(date.begin(), date.end(), end);
    *end++ = '\r';
    *end = '\n';
    refresh_at_ = now + Millis{1'000 - ms % 1'000};
}

} // namespace anteroom::net
