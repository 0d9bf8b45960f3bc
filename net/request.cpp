#include "net/request.h"

#include "net/scan.h"
#include "net/text.h"
#include "net/trusted_proxies.h"

namespace anteroom::net {

std::optional<std::string_view> Request::header(std::string_view lower_name) const {
    for (const Header& header : headers()) {
        if (equals_lower(header.name, lower_name)) return header.value;
    }
    return std::nullopt;
}

std::optional<std::string_view> Request::single_header(std::string_view lower_name) const {
    std::optional<std::string_view> found;
    for (const Header& header : headers()) {
        if (!equals_lower(header.name, lower_name)) continue;
        if (found) return std::nullopt;
        found = header.value;
    }
    return found;
}

IpAddress Request::client_address() const {
    if (!peer_is_trusted || !proxies) return peer;
    std::array<std::string_view, limits::headers_max> lines;
    std::size_t found = 0;
    for (const Header& header : headers()) {
        if (equals_lower(header.name, "x-forwarded-for")) lines[found++] = header.value;
    }
    return proxies->client(peer, {lines.data(), found});
}

} // namespace anteroom::net
