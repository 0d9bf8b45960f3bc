// For the tests of net/ and of what stands on it: a loop on its own thread, and a blocking socket
// that plays the client. Every wait has a generous bound, so that a bug is a failure and not a
// hang.
#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "net/http_client.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "net/upstream_pool.h"

namespace anteroom::net::testing {

class LoopThread {
  public:
    LoopThread() : thread_([this] { loop.run(); }) {}
    ~LoopThread() {
        loop.stop();
        thread_.join();
    }
    LoopThread(const LoopThread&) = delete;
    LoopThread& operator=(const LoopThread&) = delete;

    // Runs work on the loop's thread and waits for it.
    void run(const std::function<void()>& work);

    template <class Work>
    auto call(Work work) -> decltype(work()) {
        if constexpr (std::is_void_v<decltype(work())>) {
            run(work);
        } else {
            std::optional<decltype(work())> result;
            run([&] { result.emplace(work()); });
            return std::move(*result);
        }
    }

    Loop loop;

  private:
    std::thread thread_;
};

using HandleFunction = std::function<void(const Request&, Exchange&)>;

class FunctionHandler final : public Handler {
  public:
    explicit FunctionHandler(HandleFunction function) : function_(std::move(function)) {}
    void handle(const Request& request, Exchange& exchange) override {
        function_(request, exchange);
    }

  private:
    HandleFunction function_;
};

// What a test that is about no deadline starts with: deadlines that no machine is too slow for,
// however long it stands still. Those that the test has set are its own and stay; one that has its
// everyday value counts as not set.
ServerOptions patient(ServerOptions options);
ClientOptions patient(ClientOptions options);
ClientRequest patient(ClientRequest request);
UpstreamLimits patient(UpstreamLimits limits);
inline constexpr Millis patience = minutes(5);
inline void prolong(Millis& deadline, Millis everyday) {
    if (deadline == everyday) deadline = patience;
}

// A call of the kernel, until it was not interrupted: a process that was stopped and goes on finds
// those of its calls interrupted that have a timeout.
template <class Call>
auto uninterrupted(const Call& call) {
    while (true) {
        const auto result = call();
        if (result >= 0 || errno != EINTR) return result;
    }
}

// A server on a thread of its own, on a free port; patient().
class TestServer {
  public:
    explicit TestServer(HandleFunction handler, ServerOptions options = {});
    ~TestServer();
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;

    std::uint16_t port() const { return port_; }
    HttpServer& server() { return *server_; }
    const ServerStats& stats() const { return server_->stats(); }
    LoopThread& thread() { return thread_; }
    Loop& loop() { return thread_.loop; }
    void destroy_server();

  private:
    FunctionHandler handler_;
    LoopThread thread_;
    std::unique_ptr<HttpServer> server_;
    std::uint16_t port_ = 0;
};

// Waits until claim holds; false after a minute.
bool eventually(const std::function<bool()>& claim);

// Awaits one fetch from a thread that is not the client's loop; patient().
Result<ClientResponse> fetch(LoopThread& thread, HttpClient& client, ClientRequest request);

struct WireResponse {
    unsigned status = 0; // 0: the connection ended first.
    std::string head;    // Without the status line.
    std::string body;

    std::string header(std::string_view name) const; // Empty: not there.
};

// A client that writes exactly what the test says.
class Dial {
  public:
    Dial(); // A socket that is not connected yet.
    explicit Dial(std::uint16_t port) : Dial() { connect(port); }
    ~Dial();
    Dial(const Dial&) = delete;
    Dial& operator=(const Dial&) = delete;
    Dial(Dial&& other) noexcept;

    bool connect(std::uint16_t port);
    bool connected() const { return connected_; }
    bool write(std::string_view bytes);
    void finish_writing(); // Half-close.
    void reset();          // RST.
    void set_receive_buffer(int bytes);

    WireResponse read_response(bool to_head = false);
    std::string read_some(); // Empty: the end.
    std::string read_until(std::string_view mark);
    std::string read_all(); // Until the end.
    void put_back(std::string bytes) { pending_ = std::move(bytes) + pending_; }
    WireResponse ask(std::string_view request);

  private:
    int descriptor_ = -1;
    bool connected_ = false;
    std::string pending_;
};

// Binds the socket to a free port; which one.
std::uint16_t bind_loopback(int descriptor);

// A port where nobody listens, and which nobody else gets as long as this lives.
class ClosedPort {
  public:
    ClosedPort();
    ~ClosedPort();
    ClosedPort(const ClosedPort&) = delete;
    ClosedPort& operator=(const ClosedPort&) = delete;

    std::uint16_t port() const { return port_; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  private:
    int descriptor_ = -1; // Bound, without listen().
    std::uint16_t port_ = 0;
};

// A connection that has spoken before the server can have taken it: the server's deadlines do not
// run while the test is slow.
Dial dial_saying(TestServer& server, std::string_view words);

} // namespace anteroom::net::testing
