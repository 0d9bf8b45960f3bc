#include "net/trusted_proxies.h"

#include <algorithm>
#include <optional>

#include "net/text.h"

namespace anteroom::net {

namespace {

// Proxies write addresses as "1.2.3.4", "1.2.3.4:5678", "2001:db8::1" or "[2001:db8::1]:5678".
std::optional<IpAddress> parse_entry(std::string_view entry) {
    entry = trim(entry);
    if (entry.starts_with('[')) {
        const std::size_t close = entry.find(']');
        if (close == std::string_view::npos) return std::nullopt;
        const std::string_view rest = entry.substr(close + 1);
        if (!rest.empty() && !(rest.front() == ':' && is_port(rest.substr(1)))) return std::nullopt;
        return parse_ip(entry.substr(1, close - 1));
    }
    const std::size_t colon = entry.find(':');
    const bool one_colon = colon != std::string_view::npos && entry.rfind(':') == colon;
    if (one_colon) {
        if (!is_port(entry.substr(colon + 1))) return std::nullopt;
        entry = entry.substr(0, colon);
    }
    return parse_ip(entry);
}

} // namespace

Result<TrustedProxies> TrustedProxies::parse(std::span<const std::string> networks) {
    TrustedProxies proxies;
    for (const std::string& text : networks) {
        const auto network = parse_network(text);
        if (!network) return Fault{"trusted proxy is no address or network: " + text};
        proxies.networks_.push_back(*network);
    }
    return proxies;
}

bool TrustedProxies::trusts(const IpAddress& address) const {
    return std::any_of(networks_.begin(), networks_.end(),
                       [&](const IpNetwork& network) { return network.contains(address); });
}

IpAddress TrustedProxies::client(const IpAddress& peer,
                                 std::span<const std::string_view> forwarded_for) const {
    IpAddress client = peer;
    if (!trusts(peer)) return client;
    for (std::size_t line = forwarded_for.size(); line-- > 0;) {
        std::string_view rest = forwarded_for[line];
        while (true) {
            const std::size_t comma = rest.rfind(',');
            const bool last = comma == std::string_view::npos;
            const auto entry = parse_entry(last ? rest : rest.substr(comma + 1));
            if (!entry) return client;
            client = *entry;
            if (!trusts(client)) return client;
            if (last) break;
            rest = rest.substr(0, comma);
        }
    }
    return client;
}

} // namespace anteroom::net
