#include "net/socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "net/limits.h"
#include "net/testing.h"

namespace anteroom::net {

using testing::Dial;

namespace {

// Accepts the clients of a test; their sockets are non-blocking, as the Acceptor's are.
class Door {
  public:
    Door() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(descriptor_, generic, length), 0);
        EXPECT_EQ(::listen(descriptor_, 16), 0);
        EXPECT_EQ(::getsockname(descriptor_, generic, &length), 0);
        port_ = ntohs(address.sin_port);
    }
    ~Door() { ::close(descriptor_); }
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;

    Dial dial() const { return Dial(port_); }
    int accept() const {
        const int client = ::accept4(descriptor_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        EXPECT_GE(client, 0);
        return client;
    }

  private:
    int descriptor_;
    std::uint16_t port_ = 0;
};

// A socket with a diary, and with what the test wants done at each entry.
class Guest final : private Socket::Owner {
  public:
    explicit Guest(Loop& loop) : socket(loop, *this) {}

    Socket socket;
    std::string received;
    int calls = 0; // Of on_bytes.
    int ends = 0;
    int drains = 0;
    int breaks = 0;
    std::function<void()> then = [] {};

  private:
    void on_bytes(std::string_view bytes) override {
        received += bytes;
        ++calls;
        then();
    }
    void on_end() override {
        ++ends;
        then();
    }
    void on_drained() override {
        ++drains;
        then();
    }
    void on_broken(int) override {
        ++breaks;
        then();
    }
};

struct Pair {
    explicit Pair(Loop& loop, const Door& door = {}) : guest(loop), client(door.dial()) {
        EXPECT_TRUE(guest.socket.open(door.accept()));
    }
    Guest guest;
    Dial client;
};

std::string long_text(std::size_t bytes) {
    std::string text;
    text.reserve(bytes + 8);
    for (std::size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i) + ' ';
    text.resize(bytes);
    return text;
}

constexpr std::size_t much = 8 * 1024 * 1024; // More than the kernel takes.

} // namespace

TEST(Socket, GivesTheBytesThatCameWithTheEndOfThePeer) {
    Loop loop;
    Pair pair(loop);
    pair.client.write("goodbye");
    pair.client.finish_writing();
    pair.guest.then = [&] {
        if (pair.guest.ends > 0) loop.stop();
    };
    loop.run();
    EXPECT_EQ(pair.guest.received, "goodbye");
    EXPECT_EQ(pair.guest.ends, 1);
}

TEST(Socket, HearsOfAnEndThatComesLater) {
    Loop loop;
    Pair pair(loop);
    pair.client.write("first");
    pair.guest.then = [&] {
        if (pair.guest.ends == 0) return pair.client.finish_writing();
        loop.stop();
    };
    loop.run();
    EXPECT_EQ(pair.guest.received, "first");
    EXPECT_EQ(pair.guest.ends, 1);
}

TEST(Socket, ReadsOnAfterItsShare) {
    Loop loop;
    Pair pair(loop);
    const std::string text = long_text(much);
    std::thread writer([&] {
        pair.client.write(text);
        pair.client.finish_writing();
    });
    pair.guest.then = [&] {
        if (pair.guest.ends > 0) loop.stop();
    };
    loop.run();
    writer.join();
    EXPECT_TRUE(pair.guest.received == text);
}

TEST(Socket, PeerThatSendsWithoutEndDoesNotKeepOthersWaiting) {
    Loop loop;
    Pair flood(loop);
    std::atomic<bool> enough = false;
    std::thread writer([&] {
        const std::string block(256 * 1024, 'x');
        while (!enough && flood.client.write(block)) {
        }
    });
    // Once the flood has begun, somebody else says a word; from then on its shares are counted.
    std::optional<Pair> other;
    int calls_before = 0;
    int calls_until_heard = 0;
    flood.guest.then = [&] {
        flood.guest.received.clear();
        if (other || flood.guest.calls < 20) return;
        other.emplace(loop);
        other->guest.then = [&] {
            calls_until_heard = flood.guest.calls - calls_before;
            loop.stop();
        };
        other->client.write("me, too");
        calls_before = flood.guest.calls;
    };
    loop.run();
    enough = true;
    flood.guest.socket.close();
    writer.join();
    EXPECT_EQ(other->guest.received, "me, too");
    EXPECT_LE(calls_until_heard, 12); // Shares of four: two in that turn, one in the next.
}

TEST(Socket, BacklogSharesFramesAndKeepsTheirOrder) {
    Loop loop;
    Pair pair(loop);
    const Frame large = make_frame(long_text(much));
    const Frame small = make_frame("frame\n");
    std::string expected = *large;
    ASSERT_TRUE(pair.guest.socket.send(*large, large));
    EXPECT_GT(pair.guest.socket.backlog_bytes(), 0u);
    EXPECT_LT(pair.guest.socket.backlog_bytes(), much);
    for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(pair.guest.socket.send(*small, small));
        ASSERT_TRUE(pair.guest.socket.send(std::to_string(i), nullptr));
        expected += *small + std::to_string(i);
    }
    EXPECT_EQ(large.use_count(), 2);
    EXPECT_EQ(small.use_count(), 201);

    std::string got;
    std::thread reader([&] { got = pair.client.read_all(); });
    pair.guest.then = [&] {
        EXPECT_EQ(pair.guest.socket.backlog_bytes(), 0u);
        pair.guest.socket.finish_writing();
        loop.stop();
    };
    loop.run();
    reader.join();
    EXPECT_TRUE(got == expected);
    EXPECT_EQ(pair.guest.drains, 1);
    EXPECT_EQ(large.use_count(), 1);
    EXPECT_EQ(small.use_count(), 1);
}

TEST(Socket, MayFillItsBacklogAgainWhenToldThatItIsEmpty) {
    Loop loop;
    Pair pair(loop);
    const Frame large = make_frame(long_text(much));
    ASSERT_TRUE(pair.guest.socket.send(*large, large));
    pair.guest.then = [&] {
        if (pair.guest.drains < 3) {
            ASSERT_TRUE(pair.guest.socket.send(*large, large));
            EXPECT_GT(pair.guest.socket.backlog_bytes(), 0u);
            return;
        }
        pair.guest.socket.finish_writing();
        loop.stop();
    };
    std::string got;
    std::thread reader([&] { got = pair.client.read_all(); });
    loop.run();
    reader.join();
    EXPECT_EQ(pair.guest.drains, 3);
    EXPECT_TRUE(got == *large + *large + *large);
}

TEST(Socket, BytesThatCameWhilePausedAreThereAfterResume) {
    Loop loop;
    Pair paused(loop);
    Pair witness(loop);
    paused.guest.socket.pause();
    paused.client.write("waits");
    paused.client.finish_writing();
    witness.client.write("looks");
    bool resumed = false;
    witness.guest.then = [&] {
        loop.soon([&] { // The news of both has been told by now, and will not be told again.
            resumed = true;
            paused.guest.socket.resume();
        });
    };
    paused.guest.then = [&] {
        EXPECT_TRUE(resumed);
        if (paused.guest.ends > 0) loop.stop();
    };
    loop.run();
    EXPECT_EQ(paused.guest.received, "waits");
    EXPECT_EQ(paused.guest.ends, 1);
}

TEST(Socket, PauseTakesEffectBetweenTwoBuffers) {
    Loop loop;
    Pair pair(loop);
    const std::string text = long_text(much);
    std::thread writer([&] {
        pair.client.write(text);
        pair.client.finish_writing();
    });
    bool is_paused = false;
    pair.guest.then = [&] {
        EXPECT_FALSE(is_paused);
        if (pair.guest.ends > 0) return loop.stop();
        is_paused = true;
        pair.guest.socket.pause();
        loop.soon([&] {
            is_paused = false;
            pair.guest.socket.resume();
        });
    };
    loop.run();
    writer.join();
    EXPECT_TRUE(pair.guest.received == text);
}

TEST(Socket, ClosedSocketIsNotCalledForNewsOfTheSameTurn) {
    Loop loop;
    auto first = std::make_unique<Pair>(loop);
    auto second = std::make_unique<Pair>(loop);
    int called = 0;
    // Both have news in one turn; who is called first destroys the other.
    const auto kill = [&](std::unique_ptr<Pair>& victim) {
        ++called;
        victim.reset();
        loop.soon([&] { loop.stop(); });
    };
    first->guest.then = [&] { kill(second); };
    second->guest.then = [&] { kill(first); };
    first->client.write("x");
    second->client.write("x");
    loop.run();
    EXPECT_EQ(called, 1);
}

namespace {

// In the turn after it has asked, its peer having sent more than one share, `destroy` is called.
void destroy_after_a_share(const std::function<void(Loop&, std::unique_ptr<Guest>&)>& destroy) {
    Loop loop;
    const Door door;
    Dial client = door.dial();
    auto flood = std::make_unique<Guest>(loop);
    ASSERT_TRUE(flood->socket.open(door.accept()));
    std::thread writer([&] {
        const std::string block(256 * 1024, 'x');
        while (client.write(block)) {
        }
    });
    flood->then = [&] {
        if (flood->calls == 4) destroy(loop, flood);
    };
    loop.run();
    writer.join();
}

} // namespace

TEST(Socket, DestroyedSocketIsNotCalledForTheShareItAskedFor) {
    destroy_after_a_share([](Loop& loop, std::unique_ptr<Guest>& flood) {
        loop.soon([&] {
            flood.reset();
            loop.soon([&] { loop.soon([&] { loop.stop(); }); });
        });
    });
}

TEST(Socket, SocketThatAskedMayBeDestroyedByOneThatHasNews) {
    std::optional<Pair> witness;
    destroy_after_a_share([&](Loop& loop, std::unique_ptr<Guest>& flood) {
        witness.emplace(loop);
        witness->client.write("x");
        witness->guest.then = [&] {
            flood.reset();
            witness->guest.socket.close(); // Before the loop is gone.
            loop.soon([&] { loop.stop(); });
        };
    });
}

TEST(Socket, MayCloseItselfInItsOwnCall) {
    Loop loop;
    Pair pair(loop);
    pair.client.write(long_text(2 * limits::read_buffer_bytes));
    pair.client.finish_writing();
    pair.guest.then = [&] {
        pair.guest.socket.close();
        loop.soon([&] { loop.stop(); });
    };
    loop.run();
    EXPECT_EQ(pair.guest.calls, 1);
    EXPECT_EQ(pair.guest.ends, 0);
    EXPECT_EQ(pair.guest.socket.descriptor(), -1);
}

TEST(Socket, ResetPeerIsBroken) {
    Loop loop;
    Pair pair(loop);
    pair.guest.then = [&] { loop.stop(); };
    pair.client.reset();
    loop.run();
    EXPECT_EQ(pair.guest.breaks, 1);
    EXPECT_FALSE(pair.guest.socket.send("x", nullptr)); // And no signal.
}

TEST(Socket, PeerThatGoesWhileABacklogWaitsIsBroken) {
    Loop loop;
    Pair pair(loop);
    pair.guest.socket.pause(); // Only the backlog can tell.
    const Frame large = make_frame(long_text(much));
    ASSERT_TRUE(pair.guest.socket.send(*large, large));
    pair.guest.then = [&] {
        pair.guest.socket.close();
        loop.stop();
    };
    pair.client.reset();
    loop.run();
    EXPECT_EQ(pair.guest.breaks, 1);
    EXPECT_EQ(large.use_count(), 1);
}

TEST(Socket, DiesQuietlyWhileItHasNews) {
    Loop loop;
    {
        Pair pair(loop);
        pair.client.write("never read");
    }
    loop.post([&] { loop.stop(); });
    loop.run();
}

// libuv learns of a new handle only when it is run: a turn must not forget that.
TEST(Socket, HandlesOfLibuvMayBeStartedInACall) {
    Loop loop;
    Pair pair(loop);
    uv_timer_t timer{};
    ASSERT_EQ(uv_timer_init(loop.uv(), &timer), 0);
    timer.data = &loop;
    uv_poll_t poll{};
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(uv_poll_init(loop.uv(), &poll, ends[0]), 0);
    struct Context {
        Loop* loop;
        uv_timer_t* timer;
        int end;
    } context{&loop, &timer, ends[1]};
    poll.data = &context;
    pair.guest.then = [&] {
        const auto readable = [](uv_poll_t* handle, int, int) {
            const auto fired = [](uv_timer_t* of) { static_cast<Loop*>(of->data)->stop(); };
            uv_poll_stop(handle);
            uv_timer_start(static_cast<Context*>(handle->data)->timer, fired, 1, 0);
        };
        ASSERT_EQ(uv_poll_start(&poll, UV_READABLE, readable), 0);
        ASSERT_EQ(::write(context.end, "x", 1), 1);
    };
    pair.client.write("go");
    loop.run(); // Ends by the timer.
    uv_close(reinterpret_cast<uv_handle_t*>(&timer), nullptr);
    uv_close(reinterpret_cast<uv_handle_t*>(&poll), nullptr);
    loop.post([&] { loop.stop(); });
    loop.run();
    ::close(ends[0]);
    ::close(ends[1]);
}

} // namespace anteroom::net
