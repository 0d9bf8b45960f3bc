// ConnectionBudget: how many connections the process and one client address may hold.
//
// Shared by the servers of all loops, so it has a lock; it is taken when a connection comes or
// goes, never per request. IPv6 clients are counted by their /64, which is what one household gets.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "net/ip_address.h"
#include "net/limits.h"

namespace anteroom::net {

// What the descriptor limit of this process leaves for clients.
std::uint32_t connections_max_of_process(std::uint32_t reserved = limits::descriptors_reserved);

class ConnectionBudget {
  public:
    enum class Verdict : std::uint8_t { welcome, process_full, address_full };

    explicit ConnectionBudget(std::uint32_t connections_max = connections_max_of_process(),
                              std::uint32_t per_address_max = limits::connections_per_address_max);

    // shared: the address is a trusted proxy with many clients behind it, so only the total counts.
    Verdict enter(const IpAddress& address, bool shared);
    void leave(const IpAddress& address, bool shared); // Once for each Verdict::welcome.

    std::uint32_t connections() const;
    std::uint32_t connections_max() const { return connections_max_; }

  private:
    struct Hash {
        std::uint64_t seed; // Random, so that clients cannot choose addresses that collide.
        std::size_t operator()(const IpAddress& address) const;
    };

    const std::uint32_t connections_max_;
    const std::uint32_t per_address_max_;
    mutable std::mutex mutex_;
    std::uint32_t connections_ = 0;                                 // Guarded by mutex_.
    std::unordered_map<IpAddress, std::uint32_t, Hash> by_address_; // Guarded by mutex_.
};

} // namespace anteroom::net
