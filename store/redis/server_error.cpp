#include "store/redis/server_error.h"

#include <array>
#include <charconv>

#include "store/redis/slot.h"

namespace anteroom::redis {
namespace {

struct Known {
    std::string_view code;
    Meaning meaning;
};

// All of these are said before anything is done; in a script, by its first write.
constexpr std::array known{
    Known{"MOVED", Meaning::moved},        Known{"ASK", Meaning::ask},
    Known{"TRYAGAIN", Meaning::later},     Known{"CLUSTERDOWN", Meaning::later},
    Known{"LOADING", Meaning::later},      Known{"MASTERDOWN", Meaning::later},
    Known{"BUSY", Meaning::later},         Known{"READONLY", Meaning::read_only},
    Known{"NOSCRIPT", Meaning::no_script},
};

template <class Number>
bool read_number(std::string_view text, Number& number) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return !text.empty() && read.ec == std::errc() && read.ptr == end;
}

} // namespace

Meaning meaning_of(const Reply& error) {
    const std::string_view code = error.error_code();
    for (const Known& one : known) {
        if (one.code == code) return one.meaning;
    }
    return Meaning::final;
}

std::optional<Redirection> parse_redirection(std::string_view text, const Address& said_by) {
    const std::size_t first = text.find(' ');
    if (first == text.npos) return std::nullopt;
    const std::size_t second = text.find(' ', first + 1);
    if (second == text.npos) return std::nullopt;
    const std::string_view place = text.substr(second + 1);
    const std::size_t colon = place.rfind(':'); // An IPv6 address stands without brackets.
    if (colon == place.npos) return std::nullopt;
    Redirection redirection;
    if (!read_number(text.substr(first + 1, second - first - 1), redirection.slot) ||
        redirection.slot >= slots || !read_number(place.substr(colon + 1), redirection.to.port) ||
        redirection.to.port == 0)
        return std::nullopt;
    redirection.to.host = colon == 0 ? said_by.host : place.substr(0, colon);
    return redirection;
}

} // namespace anteroom::redis
