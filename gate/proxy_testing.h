// For the tests of the proxy: an origin that does exactly what the test says, and a gate that lets
// everybody pass. Every wait has a bound, so that a bug is a failure and not a hang.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gate/proxy.h"
#include "net/testing.h"

namespace anteroom::gate::testing {

// One connection as the origin sees it; blocking.
class Line {
  public:
    Line(int descriptor, int number) : descriptor_(descriptor), number_(number) {}
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    std::string read_head(); // With the empty line; empty: the end.
    // The body that the head announces, decoded.
    std::string read_body(std::string_view head);
    std::string read_some(); // Empty: the end.
    std::string read_all();
    bool write(std::string_view bytes);
    void finish_writing();
    void reset();                          // RST.
    int number() const { return number_; } // Of this connection, from 0.
    int descriptor() const { return descriptor_; }

  private:
    std::string read_line();
    std::string read_exactly(std::size_t count);

    int descriptor_;
    int number_;
    std::string pending_;
};

// Outlives the gate that speaks to it: its scripts end when their connections do.
class ScriptedOrigin {
  public:
    using Script = std::function<void(Line&)>;

    explicit ScriptedOrigin(Script script); // Runs for each connection on a thread of its own.
    ~ScriptedOrigin();
    ScriptedOrigin(const ScriptedOrigin&) = delete;
    ScriptedOrigin& operator=(const ScriptedOrigin&) = delete;

    std::uint16_t port() const { return port_; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    int connections() const { return connections_.load(); }

  private:
    void accept_all();

    Script script_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<int> connections_{0};
    std::mutex mutex_;
    std::vector<std::thread> threads_; // Guarded by mutex_.
    std::thread acceptor_;
};

// Answers every request with its body, or with the text if it has none, and counts them.
ScriptedOrigin::Script answers(std::string text, std::atomic<int>* requests = nullptr);

struct GateOptions {
    ProxyOptions proxy;
    net::ServerOptions server;
    std::vector<net::Header> identity;
    std::string_view request_id;
};

// A server whose every request is forwarded; patient, as net::testing's helpers are.
class Gate final : private net::Handler, private Refuser {
  public:
    explicit Gate(std::vector<std::string> urls, GateOptions options = {});
    ~Gate() override;

    std::uint16_t port() const { return port_; }
    net::testing::Dial dial() const { return net::testing::Dial(port_); }
    net::testing::WireResponse ask(std::string_view request) const;
    const ProxyStats& stats() const { return proxy_->stats(); }
    Origins& origins() { return proxy_->origins_testing(); }
    net::testing::LoopThread& thread() { return thread_; }

  private:
    void handle(const net::Request& request, net::Exchange& exchange) override;
    bool streams_body(const net::Request&) override { return true; }
    void refuse(const Failure& failure, net::Answer& answer) override;

    GateOptions options_;
    net::testing::LoopThread thread_;
    std::unique_ptr<Proxy> proxy_;
    std::unique_ptr<net::HttpServer> server_;
    std::uint16_t port_ = 0;
};

inline std::string get(std::string_view path = "/", std::string_view headers = "") {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: shop.example\r\n" +
           std::string(headers) + "\r\n";
}

// A chunked body, decoded; stops at the last chunk or at the end of the connection (then `whole` is
// false).
std::string read_chunked(net::testing::Dial& dial, bool* whole = nullptr);

// So many bytes, different at every place.
std::string pattern(std::size_t bytes, unsigned seed = 1);

} // namespace anteroom::gate::testing
