#include "store/redis/server_error.h"

#include <array>

#include "base/text.h"
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
    const auto slot = parse_whole_number<std::uint16_t>(text.substr(first + 1, second - first - 1));
    const auto port = parse_whole_number<std::uint16_t>(place.substr(colon + 1));
    if (!slot || *slot >= slots || port.value_or(0) == 0) return std::nullopt;
    const std::string_view host = colon == 0 ? said_by.host : place.substr(0, colon);
    return Redirection{.slot = *slot, .to = {.host = std::string(host), .port = *port}};
}

} // namespace anteroom::redis
