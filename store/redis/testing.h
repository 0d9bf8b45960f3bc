// For tests of the client and of what stands on it: a client on a loop of its own, called from the
// test's thread, and the lines that it said.
#pragma once

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/testing.h"
#include "store/redis/client.h"
#include "store/redis/redis_server_testing.h"

namespace anteroom::redis::testing {

// Lines from another thread, and a way to wait for one.
class Lines {
  public:
    void add(std::string line);
    bool wait_for(std::string_view part); // False after a minute.
    std::vector<std::string> all();
    int count(std::string_view part);
    bool contains(std::string_view part) { return count(part) > 0; }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> lines_;
};

// Patient, so that a slow machine changes nothing; for a server without anything special.
ClientOptions options_for(const Address& address);
ClientOptions options_for(const RedisServer& server);
ClientOptions options_for(const RedisCluster& cluster);

class ClientThread {
  public:
    explicit ClientThread(ClientOptions options); // Starts it.
    ~ClientThread();
    ClientThread(const ClientThread&) = delete;
    ClientThread& operator=(const ClientThread&) = delete;

    using Later = std::future<CallResult>;
    // The key is the second word.
    Later begin(std::vector<std::string> words, Millis deadline = Client::default_deadline);
    Later begin_durably(const Script& script, std::vector<std::string> keys,
                        std::vector<std::string> args, int replicas,
                        Millis deadline = Client::default_deadline);

    CallResult call(std::vector<std::string> words, Millis deadline = Client::default_deadline) {
        return begin(std::move(words), deadline).get();
    }
    CallResult run(const Script& script, std::vector<std::string> keys,
                   std::vector<std::string> args = {}, Millis deadline = Client::default_deadline);
    CallResult run_durably(const Script& script, std::vector<std::string> keys,
                           std::vector<std::string> args, int replicas,
                           Millis deadline = Client::default_deadline) {
        return begin_durably(script, std::move(keys), std::move(args), replicas, deadline).get();
    }
    // Each message as a line; "(subscribed)" when the subscription stands.
    void subscribe(const std::string& channel, Lines& lines);
    void unsubscribe(const std::string& channel);

    bool is_reachable();
    bool becomes_reachable(); // False: not within a minute.
    const Counters& counters() const { return client_->counters(); }
    Client& client() { return *client_; } // On the loop's thread.
    net::testing::LoopThread& thread() { return thread_; }
    void destroy_client();
    Lines& said() { return *said_; }

  private:
    std::shared_ptr<Lines> said_ = std::make_shared<Lines>();
    net::testing::LoopThread thread_;
    std::unique_ptr<Client> client_;
};

} // namespace anteroom::redis::testing
