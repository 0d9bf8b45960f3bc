// What the connections of one HttpServer share. Internal to net/.
#pragma once

#include <memory>

#include "net/acceptor.h"
#include "net/alarm.h"
#include "net/connection_budget.h"
#include "net/http_server.h"
#include "net/tls.h"

namespace anteroom::net {

class ServerCore {
  public:
    ServerCore(Loop& on, Handler& with, ServerOptions given);
    ~ServerCore();
    ServerCore(const ServerCore&) = delete;
    ServerCore& operator=(const ServerCore&) = delete;

    Result<void> listen();
    void shut_down(Millis deadline, const Frame& farewell, Job done);

    // A connection has closed: accepting goes on, or shut_down() is complete.
    void on_connection_closed();

    Loop& loop;
    Handler& handler;
    ServerOptions options;
    ServerStats stats;
    Acceptor acceptor;
    Connection* first = nullptr;  // List of the open connections.
    Connection* corked = nullptr; // The one whose input is being handled.
    std::uint32_t refusals = 0;   // Connections that only get a 503.
    bool draining = false;

  private:
    Acceptor::Verdict on_accept(int descriptor, const IpAddress& peer);

    Job done_;
    Alarm force_;
};

} // namespace anteroom::net
