#include "base/check.h"
#include "store/redis/redis_server_testing.h"
#include "store/redis/slot.h"

namespace anteroom::redis::testing {
namespace {

int first_slot(int index, int primaries) {
    return slots * index / primaries;
}

std::string cluster_info(const RedisServer& node) {
    return node.ask({"CLUSTER", "INFO"}).text;
}

bool says(const RedisServer& node, const std::string& line) {
    return cluster_info(node).find(line + "\r\n") != std::string::npos;
}

} // namespace

RedisCluster::RedisCluster(int primaries, int replicas, Millis node_timeout)
    : primaries_(primaries), node_timeout_(node_timeout) {
    for (int i = 0; i < primaries + replicas; ++i) {
        nodes_.push_back(
            std::make_unique<RedisServer>(ServerOptions{.cluster_node_timeout = node_timeout}));
    }
    for (int i = 0; i < primaries; ++i) {
        // Epochs of their own, or the nodes begin with a quarrel about them.
        CHECK(primary(i).ask({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)}).text == "OK");
        const std::string first = std::to_string(first_slot(i, primaries));
        const std::string last = std::to_string(first_slot(i + 1, primaries) - 1);
        CHECK(primary(i).ask({"CLUSTER", "ADDSLOTSRANGE", first, last}).text == "OK");
    }
    for (std::size_t i = 1; i < nodes_.size(); ++i) introduce(*nodes_[i]);
    const std::string count = "cluster_known_nodes:" + std::to_string(nodes_.size());
    for (const auto& node : nodes_) CHECK(eventually([&] { return says(*node, count); }));
    for (int i = 0; i < replicas; ++i) {
        const std::string id = id_of(primary(i));
        // It must have heard that this is a primary.
        CHECK(eventually([&] {
            return replica(i).ask({"CLUSTER", "REPLICATE", id}).text == "OK";
        }));
    }
    for (int i = 0; i < replicas; ++i) {
        CHECK(eventually(
            [&] { return replica(i).info("replication", "master_link_status") == "up"; }));
        CHECK(eventually([&] {
            return primary(i).info("replication", "slave0").find("state=online") !=
                   std::string::npos;
        }));
    }
    // Each must have heard that the replicas are some, or it would not vote for them.
    const auto knows_replicas = [&](const RedisServer& node) {
        const std::string nodes = node.ask({"CLUSTER", "NODES"}).text;
        int found = 0;
        for (std::size_t at = nodes.find("slave "); at != nodes.npos;
             at = nodes.find("slave ", at + 1))
            ++found;
        return found == replicas;
    };
    for (const auto& node : nodes_) CHECK(eventually([&] { return knows_replicas(*node); }));
    CHECK(eventually([&] { return is_whole(); }));
}

void RedisCluster::introduce(RedisServer& node) {
    const std::string port = std::to_string(node.port());
    CHECK(primary(0).ask({"CLUSTER", "MEET", "127.0.0.1", port}).text == "OK");
}

bool RedisCluster::is_whole() {
    for (const auto& node : nodes_) {
        if (node->process() != 0 && !says(*node, "cluster_state:ok")) return false;
    }
    return true;
}

std::vector<Address> RedisCluster::seeds() const {
    std::vector<Address> seeds;
    seeds.reserve(nodes_.size());
    for (const auto& node : nodes_) seeds.push_back(node->address());
    return seeds;
}

int RedisCluster::owner_of(std::uint16_t slot) const {
    int owner = 0;
    while (first_slot(owner + 1, primaries_) <= slot) ++owner;
    return owner;
}

std::string RedisCluster::id_of(const RedisServer& node) {
    return node.ask({"CLUSTER", "MYID"}).text;
}

RedisServer& RedisCluster::add_empty() {
    nodes_.push_back(
        std::make_unique<RedisServer>(ServerOptions{.cluster_node_timeout = node_timeout_}));
    introduce(*nodes_.back());
    const std::string id = id_of(*nodes_.back());
    for (const auto& node : nodes_) {
        CHECK(eventually([&] {
            return node->ask({"CLUSTER", "NODES"}).text.find(id) != std::string::npos &&
                   says(*node, "cluster_state:ok");
        }));
    }
    return *nodes_.back();
}

} // namespace anteroom::redis::testing
