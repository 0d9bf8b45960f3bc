// IpAddress: an IPv4 or IPv6 address as a value. IPv4 inside IPv6 (::ffff:1.2.3.4) is IPv4 here, so
// that one client cannot be two.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sockaddr;

namespace anteroom::net {

struct IpAddress {
    std::array<std::uint8_t, 16> bytes{}; // IPv4 lives in the last four, behind ::ffff:.

    bool is_v4() const;
    friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
};

// Strict: no port, no brackets, no zone, no leading zeros.
std::optional<IpAddress> parse_ip(std::string_view text);
IpAddress ip_of(const sockaddr& address);
std::string to_string(const IpAddress& address);

// A network in CIDR notation, or a single address.
struct IpNetwork {
    IpAddress base;
    std::uint8_t prefix_bits = 128; // Counted in the 128-bit form.

    bool contains(const IpAddress& address) const;
};

std::optional<IpNetwork> parse_network(std::string_view text);

} // namespace anteroom::net
