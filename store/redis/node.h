// Node: one server and our connections to it: one for calls, one for those that replicas must
// confirm, one for subscriptions. Internal to store/redis.
#pragma once

#include <string>

#include "store/redis/call_link.h"
#include "store/redis/subscription_link.h"

namespace anteroom::redis {

struct Node {
    Node(Core& core, Address at)
        : address(std::move(at)),
          name(to_string(address)),
          calls(core, *this, CallLink::Mode::pipelined),
          durable(core, *this, CallLink::Mode::batched),
          subscriptions(core, *this) {}
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    bool is_idle() const { return calls.is_idle() && durable.is_idle() && subscriptions.is_idle(); }

    const Address address;
    const std::string name;  // For people.
    bool is_primary = false; // As far as we know: kept connected.
    Load load;
    CallLink calls;
    CallLink durable;
    SubscriptionLink subscriptions;
};

} // namespace anteroom::redis
