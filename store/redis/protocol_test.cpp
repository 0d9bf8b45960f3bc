// What a server may do that Redis never does: a scripted one, on a plain socket.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "store/redis/reply_reader.h"
#include "store/redis/testing.h"

namespace anteroom::redis {
namespace {

using testing::ClientThread;
using testing::options_for;

// The server's end of one connection.
class Peer {
  public:
    explicit Peer(int descriptor) : descriptor_(descriptor) {}

    // Its words; empty: the client has gone.
    std::vector<std::string> read_command() {
        char buffer[4'096];
        while (true) {
            if (const auto command = reader_.read(left_)) {
                std::vector<std::string> words;
                for (const Reply& word : command->list) words.push_back(word.text);
                return words;
            }
            const ssize_t size = ::recv(descriptor_, buffer, sizeof buffer, 0);
            if (size <= 0) return {};
            bytes_.assign(buffer, static_cast<std::size_t>(size));
            left_ = bytes_;
        }
    }
    bool write(std::string_view bytes) {
        return ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(bytes.size());
    }
    // What a primary answers to the first words.
    void greet() {
        read_command();
        read_command();
        write("+OK\r\n*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
    }
    // Everything is OK, until the client goes.
    void behave() {
        greet();
        serve();
    }
    void serve() {
        while (!read_command().empty()) write("+FINE\r\n");
    }

  private:
    int descriptor_;
    ReplyReader reader_;
    std::string bytes_;
    std::string_view left_;
};

// One connection after the other, each to the play; the first is number 0.
class FakeServer {
  public:
    using Play = std::function<void(Peer&, int)>;

    explicit FakeServer(Play play) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(listener_, generic, length), 0);
        EXPECT_EQ(::listen(listener_, 16), 0);
        EXPECT_EQ(::getsockname(listener_, generic, &length), 0);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this, play = std::move(play)] { run(play); });
    }
    // REQUIRES: no client is connected any more.
    ~FakeServer() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    Address address() const { return {.host = "127.0.0.1", .port = port_}; }

  private:
    void run(const Play& play) {
        for (int number = 0;; ++number) {
            const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (descriptor < 0) return;
            Peer peer(descriptor);
            play(peer, number);
            ::close(descriptor);
        }
    }

    int listener_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

// The first connection goes wrong as the play wants it, and the call on it is unknown; the client
// says why, and the second works.
void expect_recovery(const std::function<void(Peer&)>& wrong, std::string_view line,
                     const std::function<void(ClientOptions&)>& change = {}) {
    FakeServer server([&](Peer& peer, int number) {
        if (number > 0) return peer.behave();
        peer.greet();
        peer.read_command();
        wrong(peer);
    });
    ClientOptions options = options_for(server.address());
    if (change) change(options);
    ClientThread client(std::move(options));
    EXPECT_EQ(client.call({"FIRST", "a"}).trouble, Trouble::unknown);
    const CallResult second = client.call({"SECOND", "a"}, minutes(1));
    EXPECT_EQ(second.trouble, Trouble::none);
    EXPECT_EQ(second.reply, Reply::of("FINE"));
    EXPECT_TRUE(client.said().contains(line)) << client.said().all().front();
}

TEST(RedisProtocol, Garbage) {
    expect_recovery([](Peer& peer) { peer.write("HTTP/1.1 400 Bad Request\r\n\r\n"); },
                    "lost: it sent not the protocol of Redis");
}

TEST(RedisProtocol, ATruncatedReply) {
    expect_recovery([](Peer& peer) { peer.write("$10\r\nabc"); },
                    "lost: the server closed the connection");
}

TEST(RedisProtocol, TheEndInsteadOfAReply) {
    expect_recovery([](Peer&) {}, "lost: the server closed the connection");
}

TEST(RedisProtocol, AReplyWithoutEnd) {
    expect_recovery(
        [](Peer& peer) {
            const std::string some(10'000, 'x');
            peer.write("$1000000000\r\n");
            while (peer.write(some)) {
            }
        },
        "lost: it sent a reply of too many bytes",
        [](ClientOptions& options) { options.reply_bytes_max = 100'000; });
}

TEST(RedisProtocol, NoReplyAtAll) {
    FakeServer server([](Peer& peer, int number) {
        if (number > 0) return peer.behave();
        peer.greet();
        while (!peer.read_command().empty()) {
        }
    });
    ClientOptions options = options_for(server.address());
    options.call_timeout = Millis{50};
    options.check_interval = hours(1);
    ClientThread client(std::move(options));
    ASSERT_TRUE(client.becomes_reachable()); // So that the time of the call is that of its reply.
    EXPECT_EQ(client.call({"FIRST", "a"}).trouble, Trouble::unknown);
    EXPECT_TRUE(client.said().wait_for("lost: it says nothing"));
    EXPECT_EQ(client.call({"SECOND", "a"}, minutes(1)).reply, Reply::of("FINE"));
}

TEST(RedisProtocol, AReplyThatNobodyAskedFor) {
    FakeServer server([](Peer& peer, int number) {
        if (number > 0) return peer.behave();
        peer.greet();
        peer.write("+SURPRISE\r\n");
        peer.serve();
    });
    ClientThread client(options_for(server.address()));
    EXPECT_TRUE(client.said().wait_for("lost: it sent a reply that nobody asked for"));
    EXPECT_EQ(client.call({"ANY", "a"}, minutes(1)).reply, Reply::of("FINE"));
}

TEST(RedisProtocol, TwoRepliesForOne) {
    FakeServer server([](Peer& peer, int number) {
        if (number > 0) return peer.behave();
        peer.greet();
        peer.read_command();
        peer.write("+ONE\r\n+TWO\r\n");
        peer.serve();
    });
    ClientThread client(options_for(server.address()));
    EXPECT_EQ(client.call({"FIRST", "a"}).reply, Reply::of("ONE"));
    EXPECT_EQ(client.call({"SECOND", "a"}, minutes(1)).reply, Reply::of("FINE"));
}

TEST(RedisProtocol, GarbageAsAGreeting) {
    FakeServer server([](Peer& peer, int number) {
        if (number > 1) return peer.behave();
        if (number == 0) peer.write("SSH-2.0-OpenSSH_9.2\r\n");
        if (number == 1) peer.write("+OK\r\n+what\r\n"); // No role.
        while (!peer.read_command().empty()) {
        }
    });
    ClientThread client(options_for(server.address()));
    EXPECT_EQ(client.call({"ANY", "a"}, minutes(1)).reply, Reply::of("FINE"));
    EXPECT_TRUE(client.said().contains("not the protocol of Redis"));
    EXPECT_TRUE(client.said().contains("its role cannot be read"));
}

TEST(RedisProtocol, AServerThatTakesConnectionsAndIsSilent) {
    FakeServer server([](Peer& peer, int number) {
        if (number > 0) return peer.behave();
        while (!peer.read_command().empty()) {
        }
    });
    ClientOptions options = options_for(server.address());
    options.connect_timeout = Millis{50};
    ClientThread client(std::move(options));
    EXPECT_TRUE(client.said().wait_for("cannot be reached: no answer in time"));
    EXPECT_TRUE(testing::eventually([&] {
        return client.call({"ANY", "a"}, minutes(1)).reply == Reply::of("FINE");
    }));
}

TEST(RedisProtocol, AReplyInManyPieces) {
    FakeServer server([](Peer& peer, int) {
        peer.greet();
        while (!peer.read_command().empty()) {
            for (const char c : std::string_view("*2\r\n$3\r\nabc\r\n:7\r\n")) peer.write({&c, 1});
        }
    });
    ClientThread client(options_for(server.address()));
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(to_string(client.call({"ANY", "a"}).reply), "[\"abc\", 7]");
}

TEST(RedisProtocol, TooManyClientsIsNoRefusal) {
    FakeServer server([](Peer& peer, int number) {
        if (number > 0) return peer.behave();
        peer.write("-ERR max number of clients reached\r\n");
    });
    ClientThread client(options_for(server.address()));
    EXPECT_EQ(client.call({"ANY", "a"}, minutes(1)).reply, Reply::of("FINE"));
}

TEST(RedisProtocol, TwoReplicasThatNameEachOtherAreAskedWithPauses) {
    std::atomic<int> greetings = 0;
    std::atomic<std::uint16_t> ports[2] = {0, 0};
    const auto replica_of = [&](int other) {
        return [&, other](Peer& peer, int) {
            ++greetings;
            peer.read_command();
            peer.read_command();
            peer.write("+OK\r\n*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:" +
                       std::to_string(ports[other].load()) + "\r\n$9\r\nconnected\r\n:0\r\n");
            peer.read_command();
        };
    };
    FakeServer first(replica_of(1));
    FakeServer second(replica_of(0));
    ports[0] = first.address().port;
    ports[1] = second.address().port;
    ClientThread client(options_for(first.address()));
    EXPECT_EQ(client.call({"ANY", "a"}, Millis{500}).trouble, Trouble::unreachable);
    EXPECT_LT(greetings.load(), 40); // Not as fast as it can.
}

} // namespace
} // namespace anteroom::redis
