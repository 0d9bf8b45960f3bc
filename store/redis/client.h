// Client: talks to Redis 7 on one loop: a single server, a replicated one, or a Cluster.
//
// Every call is answered exactly once, never inside the call, and says honestly what is known: not
// done, done, or perhaps done. Nothing blocks; everything is bounded: calls, bytes, time, the size
// of a reply. All calls of one turn of the loop leave in one send.
//
// Everything on the loop's thread; only the counters are for others. A callback may call into the
// Client, stop it or destroy it; `say` may not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/unique_function.h"
#include "net/counter.h"
#include "net/tls.h"
#include "store/redis/reply.h"
#include "store/redis/script.h"
#include "store/redis/slot.h"
#include "store/redis/url.h"

namespace anteroom::net {
class Loop;
}

namespace anteroom::redis {

enum class Trouble : std::uint8_t {
    none,
    unreachable, // Nothing was done. The reply has the last error of the server, if it gave one.
    unknown,     // Sent, but no answer in time or the connection broke: it may have happened.
    refused,     // The server answered with an error that will not go away; the reply has its text.
    not_replicated, // Done, with its reply; but fewer replicas than asked for confirmed it in time.
};

struct CallResult {
    Trouble trouble = Trouble::none;
    Reply reply;
};

using OnAnswer = UniqueFunction<void(const CallResult&)>;
// Empty: the subscription stands (again); what was said before may have been missed.
using OnMessage = UniqueFunction<void(std::optional<std::string>)>;

struct ClientOptions {
    Url url;
    std::shared_ptr<net::TlsClient> tls; // REQUIRES: there is one if the URL says TLS.
    std::string server_name;             // What certificates must be for; empty: the host.
    Millis connect_timeout{2'000};       // With TLS, and again for the first words.
    Millis call_timeout{3'000};          // Of calls without a deadline of their own.
    Millis replication_timeout{1'000};   // How long WAIT waits.
    Millis check_interval{5'000};        // Is a silent server still there, and still a primary?
    Millis node_refresh{30'000};         // The nodes of a Cluster are asked for again.
    std::size_t calls_max = 100'000;     // Per node, waiting and under way.
    std::size_t bytes_max = 64 << 20;    // The same.
    std::size_t reply_bytes_max = 16 << 20;
    UniqueFunction<void(const std::string&)> say; // One line for the log, without secrets.
};

// Written on the loop's thread, read on any.
struct Counters {
    net::Counter calls;
    net::Counter unreachable;
    net::Counter unknown;
    net::Counter refused;
    net::Counter not_replicated;
    net::Counter overloads;    // Of the unreachable: there were too many calls or bytes.
    net::Counter reconnects;   // Connections that ended, or never came to be.
    net::Counter redirections; // MOVED and ASK.
    net::Counter retries;      // TRYAGAIN, LOADING and the like.
    net::Counter batches;      // That ended with a WAIT.
    net::Counter messages;     // Of subscriptions.
    net::Counter bytes_sent;
    net::Counter bytes_received;
    net::Counter in_flight; // Now: calls that have no answer yet.
};

class Core;

class Client {
  public:
    static constexpr Millis default_deadline{0}; // The call_timeout.

    Client(net::Loop& loop, ClientOptions options);
    ~Client(); // Stops.
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void start(); // Begins to connect.
    void
    stop(); // Every call that waits is answered before this returns; no message comes any more.

    // To the primary that holds the key's slot.
    void call(std::string_view key, std::vector<std::string> words, OnAnswer done,
              Millis deadline = default_deadline);
    // EVALSHA; EVAL when the server does not know the script. REQUIRES: there is a key; the first
    // one decides the slot.
    void run(const Script& script, std::vector<std::string> keys, std::vector<std::string> args,
             OnAnswer done, Millis deadline = default_deadline);
    // The same, confirmed by so many replicas. Goes over a second connection, where calls are
    // collected: all that wait leave as one batch with one WAIT behind it, and the next batch
    // leaves when that was answered. Without replicas: the same as run().
    void run_durably(const Script& script, std::vector<std::string> keys,
                     std::vector<std::string> args, int replicas, OnAnswer done,
                     Millis deadline = default_deadline);

    // Sharded channels (SSUBSCRIBE, for SPUBLISH). Survives reconnects, failovers and slots that
    // move. A second subscription to a channel replaces the first.
    void subscribe(std::string channel, OnMessage on_message);
    void unsubscribe(std::string_view channel);

    // Some primary answers; of a Cluster also: all slots are known.
    bool is_reachable() const;
    const Counters& counters() const;

  private:
    std::unique_ptr<Core> core_;
};

} // namespace anteroom::redis
