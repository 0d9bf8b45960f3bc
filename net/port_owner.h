// Which process listens on a port already. A server asks before it touches its data folder.
//
// Threads: any; nothing is kept.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace anteroom::net {

// Whether another socket listens there. Never with port 0. A fault: the kernel refuses to listen
// there, for example because the address is not this machine's.
Result<bool> is_port_taken(const std::string& address, std::uint16_t port);

// The process that listens there. Nothing when /proc does not show it: it is another user's.
std::optional<pid_t> port_owner(const std::string& address, std::uint16_t port);

} // namespace anteroom::net
