#include "net/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace anteroom::net {

namespace {

constexpr std::array<std::uint8_t, 12> v4_prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

IpAddress from_v4(const in_addr& address) {
    IpAddress ip;
    std::copy(v4_prefix.begin(), v4_prefix.end(), ip.bytes.begin());
    std::memcpy(ip.bytes.data() + v4_prefix.size(), &address, sizeof address);
    return ip;
}

} // namespace

bool IpAddress::is_v4() const {
    return std::equal(v4_prefix.begin(), v4_prefix.end(), bytes.begin());
}

std::optional<IpAddress> parse_ip(std::string_view text) {
    std::array<char, INET6_ADDRSTRLEN> copy{};
    if (text.empty() || text.size() >= copy.size()) return std::nullopt;
    if (text.find('\0') != std::string_view::npos) return std::nullopt;
    std::copy(text.begin(), text.end(), copy.begin());
    in_addr v4{};
    if (inet_pton(AF_INET, copy.data(), &v4) == 1) return from_v4(v4);
    IpAddress ip;
    if (inet_pton(AF_INET6, copy.data(), ip.bytes.data()) == 1) return ip;
    return std::nullopt;
}

IpAddress ip_of(const sockaddr& address) {
    IpAddress ip;
    if (address.sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &address, sizeof v4);
        return from_v4(v4.sin_addr);
    }
    if (address.sa_family == AF_INET6) {
        sockaddr_in6 v6{};
        std::memcpy(&v6, &address, sizeof v6);
        std::memcpy(ip.bytes.data(), &v6.sin6_addr, ip.bytes.size());
    }
    return ip;
}

std::string to_string(const IpAddress& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const bool v4 = address.is_v4();
    const void* bytes = v4 ? address.bytes.data() + v4_prefix.size() : address.bytes.data();
    inet_ntop(v4 ? AF_INET : AF_INET6, bytes, text.data(), text.size());
    return text.data();
}

bool IpNetwork::contains(const IpAddress& address) const {
    const std::size_t whole = prefix_bits / 8;
    if (!std::equal(base.bytes.begin(), base.bytes.begin() + static_cast<std::ptrdiff_t>(whole),
                    address.bytes.begin())) {
        return false;
    }
    const unsigned rest = prefix_bits % 8;
    if (rest == 0) return true;
    const unsigned mask = (0xffu << (8 - rest)) & 0xffu;
    return ((base.bytes[whole] ^ address.bytes[whole]) & mask) == 0;
}

std::optional<IpNetwork> parse_network(std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto base = parse_ip(text.substr(0, slash));
    if (!base) return std::nullopt;
    IpNetwork network{.base = *base, .prefix_bits = 128};
    if (slash == std::string_view::npos) return network;

    const std::string_view digits = text.substr(slash + 1);
    const unsigned width = base->is_v4() ? 32 : 128;
    const auto bits = parse_whole_number<unsigned>(digits);
    if (!bits || *bits > width || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
    network.prefix_bits = static_cast<std::uint8_t>(128 - width + *bits);
    return network;
}

} // namespace anteroom::net
