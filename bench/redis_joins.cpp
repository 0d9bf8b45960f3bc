// anteroom-bench-redis-joins: the same load as a join, on Redis: every place is a ZADD and a SET,
// as a queue on sorted sets does it, sent together, and counts when both are answered.
//
//   anteroom-bench-redis-joins PORT CONNECTIONS SECONDS
//
// Prints one line: result requests=N us=N p50_us=N p99_us=N
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/check.h"

namespace anteroom::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Client {
    int descriptor = -1;
    Clock::time_point asked;
    int lines_left = 0; // Both answers are one line each.
};

void append(std::string& out, std::initializer_list<std::string> words) {
    out += "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words)
        out += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
}

// A record of the size that such queues keep per visitor.
void ask(Client& client, std::uint64_t number) {
    const std::string visitor = "visitor-" + std::to_string(number);
    const std::string record = R"({"user_id":")" + visitor +
                               R"(","event_id":"bench","status":"waiting","position":)" +
                               std::to_string(number) + R"(,"joined_at":1700000000000})";
    std::string text;
    append(text, {"ZADD", "queue:event:bench", "NX", std::to_string(number), visitor});
    append(text, {"SET", "queue:waiting:" + visitor, record});
    client.asked = Clock::now();
    client.lines_left = 2;
    CHECK(::send(client.descriptor, text.data(), text.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(text.size()));
}

Client connect_to(std::uint16_t port) {
    Client client{.descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::connect(client.descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    const int on = 1;
    ::setsockopt(client.descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return client;
}

int run(std::uint16_t port, std::size_t connections, int seconds) {
    const int poller = ::epoll_create1(EPOLL_CLOEXEC);
    std::vector<Client> clients(connections);
    std::uint64_t next = static_cast<std::uint64_t>(::getpid()) << 32;
    const Clock::time_point begin = Clock::now();
    for (std::size_t i = 0; i < connections; ++i) {
        clients[i] = connect_to(port);
        epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
        CHECK(::epoll_ctl(poller, EPOLL_CTL_ADD, clients[i].descriptor, &event) == 0);
        ask(clients[i], ++next);
    }
    std::vector<std::int64_t> latencies;
    std::array<epoll_event, 256> events;
    std::array<char, 65'536> buffer;
    const Clock::time_point end = begin + std::chrono::seconds(seconds);
    while (Clock::now() < end) {
        const int count = ::epoll_wait(poller, events.data(), events.size(), 1'000);
        for (int i = 0; i < count; ++i) {
            Client& client = clients[events[static_cast<std::size_t>(i)].data.u64];
            const ssize_t got = ::recv(client.descriptor, buffer.data(), buffer.size(), 0);
            CHECK(got > 0 && buffer[0] != '-');
            client.lines_left -=
                static_cast<int>(std::count(buffer.begin(), buffer.begin() + got, '\n'));
            if (client.lines_left > 0) continue;
            latencies.push_back(
                std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - client.asked)
                    .count());
            ask(client, ++next);
        }
    }
    const auto us =
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
    std::sort(latencies.begin(), latencies.end());
    CHECK(!latencies.empty());
    std::printf("result requests=%zu us=%lld p50_us=%lld p99_us=%lld\n", latencies.size(),
                static_cast<long long>(us), static_cast<long long>(latencies[latencies.size() / 2]),
                static_cast<long long>(latencies[latencies.size() * 99 / 100]));
    return 0;
}

} // namespace
} // namespace anteroom::bench

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: anteroom-bench-redis-joins PORT CONNECTIONS SECONDS\n");
        return 2;
    }
    return anteroom::bench::run(static_cast<std::uint16_t>(std::strtol(argv[1], nullptr, 10)),
                                static_cast<std::size_t>(std::strtol(argv[2], nullptr, 10)),
                                static_cast<int>(std::strtol(argv[3], nullptr, 10)));
}
