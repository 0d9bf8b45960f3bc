// RedisServer: a real redis-server for a test, on free ports of loopback, with a folder of its own.
// RedisCluster: several of them, as a Cluster. Everything ends with its owner, by process id.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/time.h"
#include "net/test_certificate.h"
#include "net/testing.h"
#include "store/redis/reply.h"
#include "store/redis/url.h"

namespace anteroom::redis::testing {

struct ServerOptions {
    std::string password{};              // Of the default user; empty: none is needed.
    std::string tls_names{};             // "DNS:localhost,IP:127.0.0.1": also listens with TLS.
    std::uint16_t replica_of = 0;        // The port of its primary.
    Millis cluster_node_timeout{0};      // Not zero: a node of a Cluster.
    bool keeps_data = false;             // Append-only file: data outlive a kill.
    std::vector<std::string> settings{}; // More of them: "--maxmemory", "10mb".
};

class RedisServer {
  public:
    // Starts. CHECKs that it works.
    explicit RedisServer(ServerOptions options = {});
    ~RedisServer();
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    std::uint16_t port() const { return port_; }
    std::uint16_t tls_port() const { return tls_port_; }
    pid_t process() const { return process_; }
    Address address() const { return {.host = "127.0.0.1", .port = port_}; }
    // The certificate of the server, which is its own authority.
    std::string certificate() const { return folder_.file("certificate.pem"); }

    void start(); // Again, on the same ports.
    void stop();  // SIGTERM.
    void kill();  // SIGKILL.
    void freeze();
    void thaw();

    // Over a connection of its own, as the default user. CHECKs that there is an answer, within a
    // minute.
    Reply ask(const std::vector<std::string>& words) const;
    // Of INFO: info("replication", "role") is "master". Empty: not there.
    std::string info(const std::string& section, std::string_view name) const;
    // How often a command came: calls("wait").
    std::int64_t calls(const std::string& command) const;

  private:
    std::vector<std::string> command() const;
    bool try_to_start();
    void read_log(int descriptor);
    void reap();

    const ServerOptions options_;
    net::testing::TemporaryDirectory folder_;
    std::uint16_t port_ = 0;
    std::uint16_t tls_port_ = 0;
    pid_t process_ = 0;
    std::thread reader_; // Of the log.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string log_; // Guarded by mutex_, as is `log_ended_`.
    bool log_ended_ = false;
};

using net::testing::eventually;

class RedisCluster {
  public:
    // Slots are shared out evenly; the first `replicas` primaries have a replica each. Ready when
    // every node says so.
    explicit RedisCluster(int primaries = 3, int replicas = 3, Millis node_timeout = Millis{1'000});

    std::vector<Address> seeds() const;
    RedisServer& primary(int index) { return *nodes_[static_cast<std::size_t>(index)]; }
    RedisServer& replica(int index) { return primary(primaries_ + index); }
    int primaries() const { return primaries_; }
    // Which of the primaries had the slot at the start.
    int owner_of(std::uint16_t slot) const;
    static std::string id_of(const RedisServer& node);
    // An empty node that the others know.
    RedisServer& add_empty();
    // Every node that answers believes that the Cluster is whole.
    bool is_whole();

  private:
    void introduce(RedisServer& node);

    const int primaries_;
    const Millis node_timeout_;
    std::vector<std::unique_ptr<RedisServer>> nodes_;
};

} // namespace anteroom::redis::testing
