// HttpServer: HTTP/1.1 (and TLS) on one loop. For several threads start one per loop on the same
// port: the kernel spreads the clients (SO_REUSEPORT). A second process that asks for the port gets
// a fault.
//
// Created, used and destroyed on its loop's thread. The handler outlives the server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/connection_budget.h"
#include "net/counter.h"
#include "net/exchange.h"
#include "net/job.h"
#include "net/limits.h"
#include "net/trusted_proxies.h"

namespace anteroom::net {

class Loop;
class ServerCore;
class TlsServer;

struct ServerStats {
    Counter connections; // Now.
    Counter streams;     // Now.
    Counter accepted;    // Ever, and so on.
    Counter requests;
    Counter refused_requests;    // By a rule or a limit: 4xx, 5xx from here.
    Counter refused_connections; // 503 before the first request.
    Counter refused_streams;
    Counter cut_streams;   // Their reader was too slow.
    Counter cut_writes;    // The peer read nothing for too long.
    Counter accept_pauses; // Out of descriptors, or refusals_max reached.
    Counter handshake_faults;
};

struct ServerOptions {
    std::string address = "127.0.0.1"; // An IPv4 or IPv6 address.
    std::uint16_t port = 0;            // 0: any free one, see HttpServer::port().
    bool joins_port = false;           // Other loops of this process listen on the port already.
    Limits limits;
    TrustedProxies proxies;
    std::shared_ptr<ConnectionBudget> budget; // Empty: a budget of its own.
    std::shared_ptr<TlsServer> tls;           // Empty: plain HTTP.
};

class HttpServer {
  public:
    static Result<std::unique_ptr<HttpServer>> listen(Loop& loop, Handler& handler,
                                                      ServerOptions options);
    ~HttpServer(); // Cuts every connection.
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::uint16_t port() const;
    const ServerStats& stats() const;

    // Stops accepting, closes idle connections, lets requests in flight finish, sends farewell (may
    // be empty) to every stream and ends it. At the deadline the rest is cut. Then calls done.
    void shut_down(Millis deadline, const Frame& farewell, Job done);

  private:
    explicit HttpServer(std::unique_ptr<ServerCore> core);
    std::unique_ptr<ServerCore> core_;
};

} // namespace anteroom::net
