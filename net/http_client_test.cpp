#include "net/http_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/testing.h"

namespace anteroom::net {

using testing::LoopThread;
using testing::TestServer;

namespace {

// A server that says to the n-th connection exactly what the test wrote, then hangs up (or not).
class Parrot {
  public:
    enum class Then { hang_up, stay, second_request };

    explicit Parrot(std::vector<std::string> lines, Then then = Then::hang_up)
        : lines_(std::move(lines)), then_(then) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* raw = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(listener_, raw, length), 0);
        EXPECT_EQ(::listen(listener_, 16), 0);
        EXPECT_EQ(::getsockname(listener_, raw, &length), 0);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { speak(); });
    }
    ~Parrot() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
        for (const int client : clients_) ::close(client);
    }
    Parrot(const Parrot&) = delete;
    Parrot& operator=(const Parrot&) = delete;

    int requests() const { return requests_; }
    std::string url() const { return fmt::format("http://127.0.0.1:{}/", port_); }

  private:
    void speak() {
        for (const std::string& line : lines_) {
            const int client = ::accept(listener_, nullptr, nullptr);
            if (client < 0) return;
            std::array<char, 4096> request{};
            if (::recv(client, request.data(), request.size(), 0) <= 0) continue;
            ++requests_;
            ::send(client, line.data(), line.size(), MSG_NOSIGNAL);
            if (then_ == Then::second_request && &line != &lines_.back()) {
                if (::recv(client, request.data(), request.size(), 0) > 0) ++requests_;
                ::close(client);
                continue;
            }
            if (then_ == Then::hang_up) {
                ::close(client);
            } else {
                clients_.push_back(client);
            }
        }
    }

    std::vector<std::string> lines_;
    Then then_;
    std::atomic<int> requests_{0};
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::vector<int> clients_;
    std::thread thread_;
};

struct World {
    LoopThread thread;
    std::unique_ptr<HttpClient> client;

    explicit World(ClientOptions options = {}) {
        thread.call([&] {
            client = *HttpClient::create(thread.loop, testing::patient(std::move(options)));
        });
    }
    ~World() {
        thread.call([&] { client.reset(); });
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    Result<ClientResponse> ask(ClientRequest request) {
        return testing::fetch(thread, *client, std::move(request));
    }
    std::size_t idle() {
        return thread.call([&] { return client->idle_connections(); });
    }
};

void echo(const Request& request, Exchange& exchange) {
    Answer answer = exchange.answer(Status::created);
    answer.header("X-Seen", request.header("x-asked").value_or("nothing"));
    fmt::format_to(fmt::appender(answer.body()), "{} {} {} {}", request.method_text, request.target,
                   request.host, request.body);
}

std::string url_of(const TestServer& server, const std::string& rest) {
    return fmt::format("http://127.0.0.1:{}{}", server.port(), rest);
}

std::string fault_of(const Result<ClientResponse>& response) {
    return response ? "none" : response.fault().reason;
}

} // namespace

TEST(HttpClient, SendsARequestAndReadsTheAnswer) {
    TestServer server(echo);
    World world;
    const auto response = world.ask({.method = "POST",
                                     .url = url_of(server, "/a?b=c"),
                                     .headers = {{"X-Asked", "something"}},
                                     .body = "hello"});
    ASSERT_TRUE(response) << fault_of(response);
    EXPECT_EQ(response->status, 201u);
    EXPECT_EQ(*response->header("x-seen"), "something");
    EXPECT_EQ(response->body, fmt::format("POST /a?b=c 127.0.0.1:{} hello", server.port()));
}

TEST(HttpClient, ReusesConnectionsUpToItsBound) {
    TestServer server(echo);
    World world({.idle_per_host_max = 1});
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(world.ask({.url = url_of(server, "/")}));
    EXPECT_EQ(server.stats().accepted.value(), 1);
    EXPECT_EQ(world.idle(), 1u);
}

TEST(HttpClient, ReplacesAConnectionThatTheServerHasClosed) {
    ServerOptions options;
    options.limits.idle_deadline = Millis{1};
    TestServer server(echo, options);
    World world;
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(world.ask({.url = url_of(server, "/")}));
        EXPECT_TRUE(testing::eventually([&] { return server.stats().connections.value() == 0; }));
    }
    EXPECT_EQ(server.stats().accepted.value(), 3);
}

TEST(HttpClient, RepeatsOnlyWhatMayBeRepeated) {
    const std::string ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    // The second request on the kept connection is never answered: the parrot reads once, and the
    // end of its life hangs up.
    World world;
    auto first = std::make_unique<Parrot>(std::vector<std::string>{ok}, Parrot::Then::stay);
    const std::string url = first->url();
    ASSERT_TRUE(world.ask({.url = url}));
    ASSERT_EQ(world.idle(), 1u);
    first.reset();
    const auto response = world.ask({.method = "POST", .url = url, .body = "x"});
    ASSERT_FALSE(response);
}

// Answers the first request of every connection and hangs up at the second, without a byte.
TEST(HttpClient, SendsOnceWhatMustNotBeRepeated) {
    const std::string ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    for (const bool once : {false, true}) {
        Parrot parrot({ok, ok}, Parrot::Then::second_request);
        World world;
        ASSERT_TRUE(world.ask({.url = parrot.url(), .once = once}));
        ASSERT_EQ(world.idle(), 1u);
        EXPECT_EQ(static_cast<bool>(world.ask({.url = parrot.url(), .once = once})), !once);
        // After the failure there is no connection left, and the next request opens one.
        if (once) {
            EXPECT_TRUE(world.ask({.url = parrot.url(), .once = once}));
        }
        EXPECT_EQ(parrot.requests(), 3) << once;
    }
}

TEST(HttpClient, ReadsAnswersOfEveryFraming) {
    const std::vector<std::pair<std::string, std::string>> answers = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a\r\nhello\r\n0\r\nX: y\r\n\r\n",
         "hello"},
        {"HTTP/1.1 200 OK\r\n\r\nhello", "hello"},
        {"HTTP/1.0 200 OK\r\n\r\nhello", "hello"},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", "hello"},
        {"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 None\r\n\r\n", ""},
        {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", ""},
    };
    for (const auto& [answer, body] : answers) {
        Parrot parrot({answer});
        World world;
        const auto response = world.ask({.url = parrot.url()});
        ASSERT_TRUE(response) << answer << ": " << fault_of(response);
        EXPECT_EQ(response->body, body) << answer;
    }
}

TEST(HttpClient, RefusesGarbage) {
    const std::vector<std::string> answers = {
        "",
        "hello\r\n\r\n",
        "HTTP/1.1 99 Low\r\n\r\n",
        "HTTP/1.1 600 High\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nContent-Length: 05\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: a\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + std::string(2'000, 'a'),
        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX : a\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'a') + "\r\n\r\n",
    };
    for (const std::string& answer : answers) {
        Parrot parrot({answer});
        World world;
        EXPECT_FALSE(world.ask({.url = parrot.url()})) << answer;
        EXPECT_EQ(world.idle(), 0u);
    }
}

TEST(HttpClient, RefusesAnAnswerThatIsTooLarge) {
    const std::string hundred(100, 'x');
    for (const std::string& answer :
         {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + hundred,
          "HTTP/1.1 200 OK\r\n\r\n" + hundred,
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n" + hundred +
              "\r\n0\r\n\r\n"}) {
        Parrot parrot({answer});
        World world;
        const auto response = world.ask({.url = parrot.url(), .response_bytes_max = 99});
        EXPECT_EQ(fault_of(response), "response too large");
    }
}

TEST(HttpClient, RefusesARequestBodyThatIsTooLarge) {
    TestServer server(echo);
    World world({.request_bytes_max = 10});
    const std::string url = url_of(server, "/");
    EXPECT_TRUE(world.ask({.method = "PUT", .url = url, .body = std::string(10, 'x')}));
    EXPECT_EQ(fault_of(world.ask({.method = "PUT", .url = url, .body = std::string(11, 'x')})),
              "request body too large");
    EXPECT_EQ(server.stats().requests.value(), 1);
}

TEST(HttpClient, SendsALargeBodyToASlowReader) {
    const std::string body(1024 * 1024, 'x');
    ServerOptions options;
    options.limits.body_bytes_max = body.size();
    TestServer server(
        [](const Request& request, Exchange& exchange) {
            exchange.answer(Status::ok, "text/plain", std::to_string(request.body.size()));
        },
        options);
    World world;
    for (int i = 0; i < 2; ++i) {
        const auto response =
            world.ask({.method = "POST", .url = url_of(server, "/"), .body = body});
        ASSERT_TRUE(response) << fault_of(response);
        EXPECT_EQ(response->body, std::to_string(body.size()));
    }
    EXPECT_EQ(server.stats().accepted.value(), 1);
}

TEST(HttpClient, KeepsTheConnectionAfterEveryFramingThatEnds) {
    const std::vector<std::string> answers = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 204 None\r\n\r\n",
    };
    for (const std::string& answer : answers) {
        Parrot parrot({answer}, Parrot::Then::stay);
        World world;
        ASSERT_TRUE(world.ask({.url = parrot.url()})) << answer;
        EXPECT_EQ(world.idle(), 1u) << answer;
    }
}

TEST(HttpClient, BoundsTheConnectionsToAHost) {
    std::optional<Reply> pending;
    TestServer server([&](const Request&, Exchange& exchange) { pending = exchange.defer(); });
    World world({.connections_per_host_max = 1});
    const std::string url = url_of(server, "/");
    auto first = std::async(std::launch::async, [&] { return world.ask({.url = url}); });
    EXPECT_TRUE(testing::eventually([&] { return server.stats().requests.value() == 1; }));
    EXPECT_EQ(fault_of(world.ask({.url = url})), "too many connections to 127.0.0.1");
    server.thread().call([&] {
        pending->answer(Status::ok);
        pending.reset();
    });
    EXPECT_TRUE(first.get());
    EXPECT_EQ(world.idle(), 1u);
}

TEST(HttpClient, KeepsSomeConnectionsOfAllHostsTogether) {
    TestServer one(echo);
    TestServer two(echo);
    World world({.idle_max = 1});
    ASSERT_TRUE(world.ask({.url = url_of(one, "/")}));
    ASSERT_TRUE(world.ask({.url = url_of(two, "/")}));
    EXPECT_EQ(world.idle(), 1u);
    ASSERT_TRUE(world.ask({.url = url_of(one, "/")}));
    EXPECT_EQ(one.stats().accepted.value(), 1);
}

TEST(HttpClient, AnIdleConnectionEndsAtItsDeadline) {
    TestServer server(echo);
    World world({.idle_deadline = Millis{1}});
    ASSERT_TRUE(world.ask({.url = url_of(server, "/")}));
    EXPECT_TRUE(testing::eventually([&] { return world.idle() == 0; }));
    EXPECT_TRUE(testing::eventually([&] { return server.stats().connections.value() == 0; }));
}

TEST(HttpClient, BytesAfterTheAnswerSpoilTheConnection) {
    Parrot parrot({"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n"},
                  Parrot::Then::stay);
    World world;
    ASSERT_TRUE(world.ask({.url = parrot.url()}));
    EXPECT_EQ(world.idle(), 0u);
}

TEST(HttpClient, GivesUpAtTheDeadline) {
    Parrot mute({""}, Parrot::Then::stay);
    World world;
    EXPECT_EQ(fault_of(world.ask({.url = mute.url(), .deadline = Millis{30}})),
              "no answer in time");
    Parrot halting({"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"}, Parrot::Then::stay);
    EXPECT_EQ(fault_of(world.ask({.url = halting.url(), .deadline = Millis{30}})),
              "no answer in time");
}

TEST(HttpClient, SaysThatNobodyListens) {
    const testing::ClosedPort nobody;
    World world;
    const std::string fault = fault_of(world.ask({.url = nobody.url()}));
    EXPECT_EQ(fault, "cannot connect to 127.0.0.1: Connection refused");
}

TEST(HttpClient, RefusesRequestsThatCouldBeMisread) {
    World world;
    EXPECT_FALSE(world.ask({.url = "ftp://a/"}));
    EXPECT_FALSE(world.ask({.url = "http://user@a/"}));
    EXPECT_FALSE(world.ask({.url = "http://a/ b"}));
    EXPECT_FALSE(world.ask({.method = "GET /", .url = "http://127.0.0.1:1/"}));
    EXPECT_FALSE(world.ask({.url = "http://127.0.0.1:1/", .headers = {{"X", "a\r\nY: b"}}}));
    EXPECT_FALSE(world.ask({.url = "http://127.0.0.1:1/", .headers = {{"Content-Length", "5"}}}));
}

TEST(HttpClient, ResolvesNames) {
    TestServer server(echo);
    World world;
    const auto response = world.ask({.url = fmt::format("http://localhost:{}/", server.port())});
    ASSERT_TRUE(response) << fault_of(response);
}

} // namespace anteroom::net
