// An address and a port to listen on, as the kernel takes them. Internal to net/.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace anteroom::net {

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = sizeof(sockaddr_storage);
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

// text: an IPv4 or IPv6 address.
Result<SocketAddress> listen_address(const std::string& text, std::uint16_t port);

} // namespace anteroom::net
