// Who is who, as servers tell it: ROLE of one server, CLUSTER SLOTS of a Cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/redis/reply.h"
#include "store/redis/url.h"

namespace anteroom::redis {

struct Role {
    bool is_replica = false;
    Address primary; // Of a replica.
};

// Empty: not an answer to ROLE.
std::optional<Role> parse_role(const Reply& reply);

struct SlotRange {
    std::uint16_t first = 0;
    std::uint16_t last = 0; // Included.
    Address primary;
    std::vector<Address> replicas;
};

// A host that is empty or nil is the one that was asked. Nodes without a known name are left out.
// Empty: not an answer to CLUSTER SLOTS.
std::optional<std::vector<SlotRange>> parse_slots(const Reply& reply, const Address& asked);

} // namespace anteroom::redis
