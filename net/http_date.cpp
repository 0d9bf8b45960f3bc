#include "net/http_date.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "net/text.h"

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

std::optional<unsigned> digits(std::string_view text) {
    unsigned value = 0;
    for (const char c : text) {
        if (!is_digit(c)) return std::nullopt;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value;
}

std::optional<unsigned> index_of(std::string_view name, std::string_view names) {
    for (std::size_t i = 0; i < names.size(); i += 3) {
        if (names.substr(i, 3) == name) return static_cast<unsigned>(i / 3);
    }
    return std::nullopt;
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

std::optional<std::int64_t> parse_http_date(std::string_view text) {
    if (text.size() != http_date_bytes) return std::nullopt;
    const auto day = digits(text.substr(5, 2));
    const auto month = index_of(text.substr(8, 3), months);
    const auto year = digits(text.substr(12, 4));
    const auto hour = digits(text.substr(17, 2));
    const auto minute = digits(text.substr(20, 2));
    const auto second = digits(text.substr(23, 2));
    if (!day || !month || !year || !hour || !minute || !second || *year < 1970) return std::nullopt;
    if (*hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(*year)},
                                           std::chrono::month{*month + 1}, std::chrono::day{*day}};
    if (!date.ok()) return std::nullopt;
    const std::chrono::sys_seconds time = std::chrono::sys_days{date} + std::chrono::hours{*hour} +
                                          std::chrono::minutes{*minute} +
                                          std::chrono::seconds{std::min(*second, 59u)};
    const std::int64_t seconds = time.time_since_epoch().count();
    // Formatting it again checks the weekday and every separator; a leap second is the one
    // exception.
    std::array<char, http_date_bytes> canonical = format_http_date(seconds);
    if (*second == 60) canonical[23] = '6', canonical[24] = '0';
    if (text != std::string_view(canonical.data(), canonical.size())) return std::nullopt;
    return seconds;
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
