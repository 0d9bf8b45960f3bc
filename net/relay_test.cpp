#include "net/relay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "net/testing.h"

namespace anteroom::net {

using testing::Dial;
using testing::eventually;
using testing::LoopThread;
using testing::WireResponse;

namespace {

// Sends the body back as it comes, or (/late) when it is whole.
class Echo final : private RelayOwner {
  public:
    explicit Echo(std::atomic<int>& living) : living_(living) { ++living_; }
    ~Echo() { --living_; }
    Echo(const Echo&) = delete;
    Echo& operator=(const Echo&) = delete;

    void start(const Request& request, Exchange& exchange) {
        relay_ = exchange.relay(*this);
        is_late_ = request.path == "/late";
        if (!is_late_) begin(std::nullopt);
        if (!request.body_streams) {
            on_body(request.body);
            return on_body_end();
        }
        relay_.flush();
        relay_.resume_body();
    }

  private:
    void begin(std::optional<std::uint64_t> length) {
        relay_.begin_head(200, length);
        relay_.end_head();
    }
    void on_body(std::string_view piece) override {
        if (is_late_) {
            body_ += piece;
            return;
        }
        relay_.send(piece);
        if (!relay_.flush()) return on_gone();
        if (relay_.backlog_bytes() > limits::relay_bytes_max) relay_.pause_body();
    }
    void on_body_end() override {
        if (is_late_) {
            begin(body_.size());
            relay_.send(body_);
        }
        relay_.finish();
        delete this;
    }
    void on_writable() override { relay_.resume_body(); }
    void on_gone() override { delete this; }

    std::atomic<int>& living_;
    Relay relay_;
    std::string body_;
    bool is_late_ = false;
};

class EchoServer final : private Handler {
  public:
    explicit EchoServer(ServerOptions options = {}) {
        thread_.call([&] {
            server_ =
                *HttpServer::listen(thread_.loop, *this, testing::patient(std::move(options)));
            port = server_->port();
        });
    }
    ~EchoServer() override {
        thread_.call([&] { server_.reset(); });
    }

    std::uint16_t port = 0;
    std::atomic<int> living{0};

  private:
    void handle(const Request& request, Exchange& exchange) override {
        const bool echoes = request.path == "/echo" || request.path == "/late";
        if (echoes) return (new Echo(living))->start(request, exchange);
        exchange.answer(Status::forbidden, "text/plain", "no");
    }
    bool streams_body(const Request& head) override { return !head.path.starts_with("/whole"); }

    LoopThread thread_;
    std::unique_ptr<HttpServer> server_;
};

std::string post(const std::string& path, std::size_t bytes) {
    return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(bytes) +
           "\r\n\r\n";
}

} // namespace

TEST(Relay, AStreamedBodyComesBackInChunks) {
    EchoServer server;
    Dial dial(server.port);
    dial.write(post("/echo", 10) + "hello");
    EXPECT_EQ(dial.read_response().header("Transfer-Encoding"), "chunked");
    EXPECT_EQ(dial.read_until("hello\r\n"), "5\r\nhello\r\n"); // Before the rest was sent.
    dial.write("world");
    EXPECT_EQ(dial.read_until("0\r\n\r\n"), "5\r\nworld\r\n0\r\n\r\n");
}

TEST(Relay, ABodyThatIsHereAlreadyIsHandedOverWhole) {
    EchoServer server;
    Dial dial(server.port);
    for (int i = 0; i < 3; ++i) {
        const WireResponse got = dial.ask(post("/echo", 5) + "hello");
        EXPECT_EQ(got.header("Connection"), ""); // Kept.
        EXPECT_EQ(dial.read_until("0\r\n\r\n"), "5\r\nhello\r\n0\r\n\r\n");
    }
}

TEST(Relay, TheRequestBehindAStreamedBodyIsTheNext) {
    EchoServer server;
    Dial dial(server.port);
    dial.write(post("/late", 10) + "hello");
    EXPECT_TRUE(eventually([&] { return server.living == 1; })); // It has begun to stream.
    dial.write("world" + post("/late", 2) + "hi" + post("/late", 3) + "you");
    EXPECT_EQ(dial.read_response().body, "helloworld");
    EXPECT_EQ(dial.read_response().body, "hi");
    EXPECT_EQ(dial.read_response().body, "you");
}

TEST(Relay, AnAnswerWithoutTheBodyEndsTheConnection) {
    EchoServer server;
    Dial dial(server.port);
    dial.write(post("/other", 100'000) + "the beginning");
    const WireResponse got = dial.read_response();
    EXPECT_EQ(got.status, 403u);
    EXPECT_EQ(got.header("Connection"), "close");
    dial.write("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"); // Is body, not a request.
    EXPECT_EQ(dial.read_all(), "");
}

TEST(Relay, WhoDoesNotStreamHasTheUsualLimit) {
    EchoServer server;
    Dial dial(server.port);
    EXPECT_EQ(dial.ask(post("/whole", 100'000)).status, 413u);
    EXPECT_EQ(dial.read_all(), "");
}

TEST(Relay, IsToldWhenItsClientLeaves) {
    EchoServer server;
    {
        Dial dial(server.port);
        dial.write(post("/echo", 10) + "hello");
        dial.read_until("hello");
        EXPECT_EQ(server.living, 1);
    }
    EXPECT_TRUE(eventually([&] { return server.living == 0; }));
}

TEST(Relay, ASlowBodyIsRefused) {
    ServerOptions options;
    options.limits.body_grace = Millis{50};
    EchoServer server(std::move(options));
    Dial dial(server.port);
    dial.write(post("/echo", 10) + "hello");
    dial.read_until("hello\r\n");
    EXPECT_EQ(dial.read_all(), ""); // An answer has begun: it can only be cut.
    EXPECT_TRUE(eventually([&] { return server.living == 0; }));
}

TEST(Relay, BackPressureDoesNotLoseABody) {
    EchoServer server;
    Dial dial(server.port);
    const std::size_t bytes = 8'000'000;
    dial.write(post("/echo", bytes));
    std::thread sender([&] {
        const std::string block(100'000, 'x');
        for (std::size_t sent = 0; sent < bytes; sent += block.size()) dial.write(block);
    });
    std::size_t seen = 0;
    std::string tail;
    while (!tail.ends_with("0\r\n\r\n")) {
        const std::string some = dial.read_some();
        if (some.empty()) break;
        seen += static_cast<std::size_t>(std::count(some.begin(), some.end(), 'x'));
        tail += some;
        if (tail.size() > 16) tail.erase(0, tail.size() - 16);
    }
    sender.join();
    EXPECT_EQ(seen, bytes);
}

} // namespace anteroom::net
