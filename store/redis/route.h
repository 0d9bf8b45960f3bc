// Route: which node a key belongs to: the one primary, or the slots of a Cluster. Internal to
// store/redis.
#pragma once

#include <cstdint>
#include <memory>

#include "store/redis/connection.h"
#include "store/redis/link.h"
#include "store/redis/server_error.h"

namespace anteroom::redis {

class Route {
  public:
    Route() = default;
    Route(const Route&) = delete;
    Route& operator=(const Route&) = delete;
    virtual ~Route() = default;

    virtual void start() = 0;
    // Null: not known yet. Asking for a missing one begins a search for it.
    virtual Node* node_for(std::uint16_t slot) = 0;
    virtual bool keeps(const Node& node) const = 0; // Even when nothing is under way there.
    virtual bool is_reachable() const = 0;

    virtual void on_ready(Link& link) = 0;
    virtual void on_failed(Link& link) = 0;
    virtual void on_replica(Node& node, const Address& primary) = 0;
    virtual void on_read_only(Node& node) = 0;
    virtual void on_down() = 0; // The Cluster says that it is.
    // Null: that cannot be.
    virtual Node* on_moved(const Redirection& moved) = 0;
    virtual void check(Node& node) = 0; // It was silent for some time.
};

std::unique_ptr<Route> make_primary_route(Core& core);
std::unique_ptr<Route> make_cluster_route(Core& core);

} // namespace anteroom::redis
