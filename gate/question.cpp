#include "gate/question.h"

#include "net/header_values.h"
#include "net/text.h"

namespace anteroom::gate {
namespace {

constexpr std::string_view ambiguous = ",";

// Trimmed, and empty when it is blank or not there.
std::string_view only_header(const Question& question, std::string_view name) {
    std::optional<std::string_view> found;
    for (const net::Header& header : question.headers) {
        if (!net::equals_ignoring_case(header.name, name)) continue;
        if (found) return ambiguous;
        found = net::trim(header.value);
    }
    return found.value_or("");
}

std::string_view cookie_or_empty(const Question& question, std::string_view name) {
    return cookie_of(question, name).value_or("");
}

} // namespace

std::string_view host_name(const Question& question) {
    std::string_view host = question.host;
    const std::size_t bracket = host.find(']');
    const std::size_t colon = host.find(':', bracket == host.npos ? 0 : bracket);
    host = host.substr(0, colon);
    if (host.ends_with('.')) host.remove_suffix(1);
    return host;
}

bool has_header(const Question& question, std::string_view name) {
    for (const net::Header& header : question.headers)
        if (net::equals_ignoring_case(header.name, name)) return true;
    return false;
}

std::optional<std::string_view> cookie_of(const Question& question, std::string_view name) {
    for (const net::Header& header : question.headers) {
        if (!net::equals_ignoring_case(header.name, "cookie")) continue;
        if (const auto found = net::find_cookie(header.value, name)) return found;
    }
    return std::nullopt;
}

std::string_view outer_token(const Question& question) {
    const std::string_view shown = only_header(question, outer_header);
    return shown.empty() ? cookie_or_empty(question, outer_cookie) : shown;
}

std::string_view entry_token(const Question& question) {
    std::string_view shown = only_header(question, entry_header);
    if (shown.empty()) shown = cookie_or_empty(question, entry_cookie);
    return shown.empty() ? cookie_or_empty(question, older_entry_cookie) : shown;
}

std::string_view header_token(const Question& question, std::string_view name) {
    return only_header(question, name);
}

std::string_view cookie_token(const Question& question, std::string_view name) {
    return cookie_or_empty(question, name);
}

std::string_view access_token(const Question& question) {
    constexpr std::string_view scheme = "bearer ";
    const std::string_view shown = only_header(question, "authorization");
    if (shown == ambiguous) return ambiguous;
    if (shown.size() > scheme.size() &&
        net::equals_ignoring_case(shown.substr(0, scheme.size()), scheme))
        return net::trim(shown.substr(scheme.size()));
    return cookie_or_empty(question, "access_token");
}

} // namespace anteroom::gate
