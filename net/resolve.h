// Names to addresses, off the loop's thread (getaddrinfo blocks). Internal to net/.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/task.h"

namespace anteroom::net {

class Loop;

// At least one address, in the order of preference.
Task<Result<std::vector<sockaddr_storage>>> resolve(Loop& loop, std::string host,
                                                    std::uint16_t port, Millis deadline);

} // namespace anteroom::net
