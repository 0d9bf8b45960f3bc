// anteroom-bench-sse-clients PORT PATH: an audience of event streams that reads and forgets.
//
// Takes one ticket per line from stdin until an empty line, and opens a stream of
// PATH?ticket=TICKET for each. Prints `connected COUNT` when all of them have heard something. From
// then on every further line of stdin is answered with `frames F bytes B alive A`: the events that
// the first client has got so far, the bytes of all, and how many are still connected. Ends with
// stdin.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace anteroom::bench {
namespace {

struct Client {
    int descriptor = -1;
    bool heard = false;
};

class Audience {
  public:
    Audience(std::uint16_t port, std::string path)
        : path_(std::move(path)), epoll_(::epoll_create1(0)) {
        CHECK(epoll_ >= 0);
        address_.sin_family = AF_INET;
        address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address_.sin_port = htons(port);
    }
    Audience(const Audience&) = delete;
    Audience& operator=(const Audience&) = delete;

    // False when a client cannot connect, or is turned away.
    bool open(const std::vector<std::string>& tickets) {
        constexpr std::size_t in_flight_max = 256; // Less than the server's queue takes.
        clients_.reserve(tickets.size());
        for (const std::string& ticket : tickets) {
            if (!connect(ticket)) return false;
            while (alive_ - heard_ >= in_flight_max)
                if (!turn()) return false;
        }
        while (heard_ < tickets.size())
            if (!turn()) return false;
        return true;
    }

    // Reads until stdin ends; answers its lines.
    void run() {
        epoll_event event{.events = EPOLLIN, .data = {.u64 = stdin_mark}};
        CHECK(::epoll_ctl(epoll_, EPOLL_CTL_ADD, STDIN_FILENO, &event) == 0);
        while (!ended_) turn();
    }

  private:
    static constexpr std::uint64_t stdin_mark = UINT64_MAX;

    bool connect(const std::string& ticket) {
        const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (descriptor < 0) return false;
        // Leaves with a reset: thousands of ports must not wait in the kernel for the next
        // audience.
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address_), sizeof address_))
            return false;
        const std::string request = "GET " + path_ + "?ticket=" + ticket +
                                    " HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n";
        const auto bytes = static_cast<ssize_t>(request.size());
        if (::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) != bytes) return false;
        ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
        epoll_event event{.events = EPOLLIN, .data = {.u64 = clients_.size()}};
        clients_.push_back({.descriptor = descriptor});
        ++alive_;
        return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
    }

    // False when nothing comes for ten seconds, or somebody was cut off.
    bool turn() {
        constexpr int patience_ms = 10'000;
        std::array<epoll_event, 512> events{};
        const int count =
            ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), patience_ms);
        const std::size_t alive_before = alive_;
        for (int i = 0; i < count; ++i) {
            const std::uint64_t mark = events[static_cast<std::size_t>(i)].data.u64;
            if (mark == stdin_mark)
                answer_stdin();
            else
                read(static_cast<std::size_t>(mark));
        }
        return count > 0 && alive_ == alive_before;
    }

    void read(std::size_t index) {
        Client& client = clients_[index];
        const ssize_t count = ::recv(client.descriptor, buffer_.data(), buffer_.size(), 0);
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) {
            ::close(client.descriptor);
            --alive_;
            return;
        }
        const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(count));
        bytes_ += bytes.size();
        if (!client.heard) {
            client.heard = true;
            ++heard_;
            if (bytes.find(" 200 ") == std::string_view::npos) {
                std::fprintf(stderr, "%.*s\n", static_cast<int>(bytes.size()), bytes.data());
                --alive_;
            }
        }
        if (index == 0) count_frames(bytes);
    }

    // An event ends with an empty line, which two reads may share.
    void count_frames(std::string_view bytes) {
        for (const char c : bytes) {
            if (c == '\n' && last_ == '\n') ++frames_;
            last_ = c;
        }
    }

    void answer_stdin() {
        std::array<char, 64> line{};
        const ssize_t count = ::read(STDIN_FILENO, line.data(), line.size());
        ended_ = count <= 0;
        if (ended_) return;
        std::printf("frames %llu bytes %llu alive %zu\n", frames_, bytes_, alive_);
        std::fflush(stdout);
    }

    const std::string path_;
    const int epoll_;
    sockaddr_in address_{};
    std::vector<Client> clients_;
    std::array<char, 256 * 1024> buffer_{};
    std::size_t heard_ = 0;
    std::size_t alive_ = 0;
    unsigned long long frames_ = 0;
    unsigned long long bytes_ = 0;
    char last_ = 0;
    bool ended_ = false;
};

int run(int count, char** arguments) {
    const unsigned long port = count == 3 ? std::strtoul(arguments[1], nullptr, 10) : 0;
    if (port == 0 || port > 0xffff) {
        std::fputs("usage: anteroom-bench-sse-clients PORT PATH <TICKETS\n", stderr);
        return 2;
    }
    std::ios::sync_with_stdio(false);
    std::vector<std::string> tickets;
    for (std::string line; std::getline(std::cin, line) && !line.empty();) tickets.push_back(line);
    Audience audience(static_cast<std::uint16_t>(port), arguments[2]);
    if (!audience.open(tickets)) {
        std::perror("anteroom-bench-sse-clients: not everybody could connect");
        return 1;
    }
    std::printf("connected %zu\n", tickets.size());
    std::fflush(stdout);
    audience.run();
    return 0;
}

} // namespace
} // namespace anteroom::bench

int main(int count, char** arguments) {
    return anteroom::bench::run(count, arguments);
}
