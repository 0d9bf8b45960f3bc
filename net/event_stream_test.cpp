#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <atomic>
#include <string>
#include <vector>

#include "net/http_server.h"
#include "net/testing.h"

namespace anteroom::net {

using testing::Dial;
using testing::eventually;
using testing::TestServer;

namespace {

const std::string subscribe = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n";

// Keeps every stream and sends what the test says to all of them.
class Hub {
  public:
    explicit Hub(ServerOptions options = {})
        : server_([this](const Request& request, Exchange& exchange) { take(request, exchange); },
                  std::move(options)) {}
    ~Hub() {
        server_.thread().call([&] { streams_.clear(); });
    }
    Hub(const Hub&) = delete;
    Hub& operator=(const Hub&) = delete;

    TestServer& server() { return server_; }
    bool has(std::size_t count) {
        return eventually([&] { return size() == count; });
    }
    std::size_t size() {
        return server_.thread().call([&] { return streams_.size(); });
    }
    // How many took the frame.
    std::size_t send(const std::string& text) {
        return server_.thread().call([&] {
            const Frame frame = make_frame(text);
            std::size_t taken = 0;
            for (EventStream& stream : streams_) taken += stream.send(frame) ? 1u : 0u;
            return taken;
        });
    }
    int closed() const { return closed_; }
    void drop_all() {
        server_.thread().call([&] { streams_.clear(); });
    }

  private:
    void take(const Request&, Exchange& exchange) {
        const std::vector<Header> headers = {{"X-Request-ID", "7"}};
        auto stream = exchange.stream(headers);
        if (!stream) return;
        stream->send(make_frame("retry: 1000\n\n"));
        stream->on_close([this] { ++closed_; });
        streams_.push_back(std::move(*stream));
    }

    std::vector<EventStream> streams_;
    std::atomic<int> closed_ = 0;
    TestServer server_;
};

// TCP_USER_TIMEOUT of this process's sockets that were accepted at the port, where it is set.
std::vector<unsigned> user_timeouts_to(std::uint16_t port) {
    std::vector<unsigned> found;
    for (int descriptor = 0; descriptor < 1'024; ++descriptor) {
        sockaddr_in own{}, peer{};
        socklen_t own_bytes = sizeof own, peer_bytes = sizeof peer;
        if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &own_bytes) != 0) continue;
        if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &peer_bytes) != 0)
            continue;
        unsigned timeout = 0;
        socklen_t bytes = sizeof timeout;
        ::getsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, &bytes);
        if (own.sin_family == AF_INET && ntohs(own.sin_port) == port && timeout != 0)
            found.push_back(timeout);
    }
    return found;
}

} // namespace

TEST(EventStream, BeginsWithItsHeadAndFirstFrame) {
    Hub hub;
    Dial dial(hub.server().port());
    ASSERT_TRUE(dial.write(subscribe));
    const std::string head = dial.read_until("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_NE(head.find("Content-Type: text/event-stream\r\n"), std::string::npos);
    EXPECT_NE(head.find("X-Request-ID: 7\r\n"), std::string::npos);
    EXPECT_EQ(head.find("Content-Length"), std::string::npos);
    EXPECT_EQ(dial.read_until("\n\n"), "retry: 1000\n\n");
}

TEST(EventStream, ThousandClientsGetTheSameFramesInOrder) {
    constexpr std::size_t count = 1'000;
    Hub hub;
    std::vector<Dial> clients;
    for (std::size_t i = 0; i < count; ++i) {
        clients.emplace_back(hub.server().port());
        ASSERT_TRUE(clients.back().write(subscribe));
    }
    ASSERT_TRUE(hub.has(count));
    std::string expected;
    for (int i = 0; i < 5; ++i) {
        const std::string frame = "id: " + std::to_string(i) + "\ndata: pulse\n\n";
        expected += frame;
        EXPECT_EQ(hub.send(frame), count);
    }
    for (Dial& client : clients) {
        client.read_until("retry: 1000\n\n");
        std::string got;
        while (got.size() < expected.size()) {
            const std::string more = client.read_some();
            ASSERT_FALSE(more.empty());
            got += more;
        }
        ASSERT_EQ(got, expected);
    }
}

TEST(EventStream, NoticesThatAClientHasGone) {
    Hub hub;
    Dial polite(hub.server().port());
    Dial rude(hub.server().port());
    ASSERT_TRUE(polite.write(subscribe));
    ASSERT_TRUE(rude.write(subscribe));
    ASSERT_TRUE(hub.has(2));
    polite.finish_writing();
    EXPECT_TRUE(eventually([&] { return hub.closed() == 1; }));
    rude.reset();
    EXPECT_TRUE(eventually([&] { return hub.closed() == 2; }));
    EXPECT_EQ(hub.send("data: x\n\n"), 0u);
    EXPECT_EQ(hub.server().stats().streams.value(), 0);
}

// A peer that does not acknowledge cannot be had on loopback: the kernel does it for everybody.
TEST(EventStream, TheKernelGivesUpAPeerThatAcknowledgesNothing) {
    ServerOptions options;
    options.limits.unheard_deadline = Millis{12'345};
    Hub hub(options);
    Dial dial(hub.server().port());
    ASSERT_TRUE(dial.write(subscribe));
    ASSERT_TRUE(hub.has(1));
    EXPECT_EQ(user_timeouts_to(hub.server().port()), std::vector<unsigned>{12'345});
    EXPECT_EQ(Limits().unheard_deadline, seconds(30));
}

TEST(EventStream, SlowReaderIsCutAtTheBoundAndOthersAreNot) {
    Hub hub;
    Dial slow(hub.server().port());
    slow.set_receive_buffer(4'096);
    ASSERT_TRUE(slow.write(subscribe));
    ASSERT_TRUE(hub.has(1));
    Dial quick(hub.server().port());
    ASSERT_TRUE(quick.write(subscribe));
    ASSERT_TRUE(hub.has(2));
    quick.read_until("retry: 1000\n\n");
    const std::string frame = "data: " + std::string(16'000, 'x') + "\n\n";
    bool cut = false;
    for (int i = 0; i < 10'000 && !cut; ++i) {
        cut = hub.send(frame) == 1;
        EXPECT_EQ(quick.read_until("\n\n"), frame);
    }
    EXPECT_TRUE(cut);
    EXPECT_EQ(hub.server().stats().cut_streams.value(), 1);
    EXPECT_TRUE(eventually([&] { return hub.closed() == 1; }));
}

TEST(EventStream, BacklogOfASlowReaderArrivesInOrder) {
    ServerOptions options;
    options.limits.backlog_bytes_max = 64 * 1024 * 1024;
    Hub hub(options);
    Dial slow(hub.server().port());
    ASSERT_TRUE(slow.write(subscribe));
    ASSERT_TRUE(hub.has(1));
    std::string expected = "retry: 1000\n\n";
    for (int i = 0; i < 200; ++i) {
        const std::string frame = std::to_string(i) + std::string(60'000, 'x') + "\n\n";
        expected += frame;
        ASSERT_EQ(hub.send(frame), 1u);
    }
    hub.drop_all(); // Ends the stream after what was sent.
    slow.read_until("\r\n\r\n");
    EXPECT_EQ(slow.read_all(), expected);
}

TEST(EventStream, TooManyAreToldToComeBack) {
    ServerOptions options;
    options.limits.event_streams_max = 1;
    Hub hub(options);
    Dial first(hub.server().port());
    ASSERT_TRUE(first.write(subscribe));
    ASSERT_TRUE(hub.has(1));
    Dial second(hub.server().port());
    const auto refusal = second.ask(subscribe);
    EXPECT_EQ(refusal.status, 503u);
    EXPECT_EQ(refusal.header("Retry-After"), "5");
    EXPECT_EQ(second.read_some(), "");
}

TEST(EventStream, HeadGetsOnlyTheHead) {
    Hub hub;
    Dial dial(hub.server().port());
    ASSERT_TRUE(dial.write("HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n"));
    EXPECT_TRUE(dial.read_all().ends_with("\r\n\r\n"));
    EXPECT_EQ(hub.size(), 0u);
}

TEST(EventStream, ShutDownSaysGoodbye) {
    Hub hub;
    Dial dial(hub.server().port());
    ASSERT_TRUE(dial.write(subscribe));
    ASSERT_TRUE(hub.has(1));
    std::atomic<bool> done = false;
    hub.server().thread().call([&] {
        hub.server().server().shut_down(seconds(60), make_frame("event: bye\n\n"),
                                        [&] { done = true; });
    });
    EXPECT_TRUE(dial.read_all().ends_with("event: bye\n\n"));
    dial.finish_writing();
    EXPECT_TRUE(eventually([&] { return done.load(); }));
}

TEST(EventStream, OutlivesItsServer) {
    Hub hub;
    Dial dial(hub.server().port());
    ASSERT_TRUE(dial.write(subscribe));
    ASSERT_TRUE(hub.has(1));
    hub.server().destroy_server();
    EXPECT_EQ(hub.send("data: x\n\n"), 0u);
}

} // namespace anteroom::net
