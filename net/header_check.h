// Whether a header can be written as it is, without breaking out of its line (RFC 9110, 5.5).
#pragma once

#include <string_view>

#include "net/scan.h"
#include "net/text.h"

namespace anteroom::net {

inline bool is_safe_header(std::string_view name, std::string_view value) {
    return !name.empty() && all(name, in_token) && is_value(value);
}

// The name of a header, checked when the program is compiled.
class HeaderName {
  public:
    template <std::size_t N>
    consteval HeaderName(const char (&name)[N]) : text_(name, N - 1) { // NOLINT(*-explicit-*)
        if (text_.empty() || !all(text_, in_token)) this_is_no_header_name();
    }
    std::string_view text() const { return text_; }

  private:
    static void this_is_no_header_name(); // Has no body: only the compiler can come by.
    std::string_view text_;
};

// Whole lines that are the same in every answer. Checked when the program is compiled, so that
// writing them is one copy.
class HeaderLines {
  public:
    template <std::size_t N>
    consteval HeaderLines(const char (&lines)[N]) : text_(lines, N - 1) { // NOLINT(*-explicit-*)
        for (std::string_view rest = text_; !rest.empty();) {
            const std::size_t colon = rest.find(": ");
            const std::size_t end = rest.find("\r\n");
            const bool is_line = end != rest.npos && colon < end;
            if (!is_line || colon == 0 || !all(rest.substr(0, colon), in_token) ||
                !all(rest.substr(colon + 2, end - colon - 2), in_value))
                this_is_no_header_line();
            rest.remove_prefix(end + 2);
        }
    }
    std::string_view text() const { return text_; }

  private:
    static void this_is_no_header_line();
    std::string_view text_;
};

} // namespace anteroom::net
