// compose: puts texts and whole numbers one after the other, for the answers that are given most
// often. Room is made once and no format is read: several times faster than format_to.
//
//   compose(out, R"({"room":")", room.id(), R"(","ahead":)", ahead, "}");
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstring>
#include <limits>
#include <string_view>

namespace anteroom::api {

namespace detail {

template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

inline std::size_t length_max(std::string_view text) {
    return text.size();
}

template <WholeNumber T>
constexpr std::size_t length_max(T) {
    return std::numeric_limits<T>::digits10 + 2; // One more digit, and the sign.
}

inline char* put(char* at, std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
}

template <WholeNumber T>
char* put(char* at, T number) {
    return std::to_chars(at, at + length_max(number), number).ptr;
}

} // namespace detail

template <class... Parts>
void compose(fmt::memory_buffer& out, const Parts&... parts) {
    out.try_reserve(out.size() + (detail::length_max(parts) + ...));
    char* at = out.data() + out.size();
    ((at = detail::put(at, parts)), ...);
    out.try_resize(static_cast<std::size_t>(at - out.data()));
}

} // namespace anteroom::api
