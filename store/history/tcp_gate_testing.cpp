#include "store/history/tcp_gate_testing.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/check.h"

namespace anteroom::history::testing {
namespace {

int connect_to(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    CHECK(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size());
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

} // namespace

TcpGate::TcpGate(std::string socket) : socket_(std::move(socket)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    CHECK(bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
    CHECK(listen(listener_, 16) == 0);
    CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    CHECK(pipe2(wake_, O_CLOEXEC) == 0);
    thread_ = std::thread([this] { run(); });
}

TcpGate::~TcpGate() {
    ended_ = true;
    wake();
    thread_.join();
    close(listener_);
    close(wake_[0]);
    close(wake_[1]);
}

void TcpGate::wake() {
    const char byte = 0;
    CHECK(write(wake_[1], &byte, 1) == 1);
}

void TcpGate::set(Mode mode) {
    mode_ = mode;
    if (mode == Mode::refuse) cut_ = true;
    wake();
}

void TcpGate::cut() {
    cut_ = true;
    wake();
}

void TcpGate::cut_every(std::uint64_t first, std::uint64_t step) {
    cut_step_ = step;
    cut_at_ = first;
}

void TcpGate::take() {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    ++taken_;
    if (mode_ == Mode::silent) return pairs_.push_back({client, -1});
    const int server = mode_ == Mode::pass ? connect_to(socket_) : -1;
    if (server < 0)
        close(client);
    else
        pairs_.push_back({client, server});
}

void TcpGate::close_all() {
    for (const Pair& pair : pairs_) {
        close(pair.client);
        if (pair.server >= 0) close(pair.server);
    }
    pairs_.clear();
}

bool TcpGate::pump(int from, int to, bool from_client) {
    char buffer[65'536];
    const ssize_t size = recv(from, buffer, sizeof buffer, 0);
    if (size <= 0) return false;
    if (from_client) carried_ += static_cast<std::uint64_t>(size);
    for (ssize_t sent = 0; sent < size;) {
        const ssize_t more =
            send(to, buffer + sent, static_cast<std::size_t>(size - sent), MSG_NOSIGNAL);
        if (more <= 0) return false;
        sent += more;
    }
    return true;
}

void TcpGate::run() {
    while (!ended_) {
        std::vector<pollfd> wanted{{listener_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
        for (const Pair& pair : pairs_) {
            const short events = mode_ == Mode::silent ? 0 : POLLIN;
            wanted.push_back({pair.client, events, 0});
            wanted.push_back({pair.server, events, 0}); // poll() ignores what is negative.
        }
        poll(wanted.data(), wanted.size(), -1);
        char ignored[64];
        if (wanted[1].revents && read(wake_[0], ignored, sizeof ignored) < 0) break;
        if (cut_.exchange(false)) {
            close_all();
            continue;
        }
        std::vector<Pair> kept;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const Pair& pair = pairs_[i];
            const short client = wanted[2 + 2 * i].revents;
            const short server = wanted[3 + 2 * i].revents;
            bool lives = !(mode_ == Mode::silent && client);
            if (lives && client) lives = pair.server >= 0 && pump(pair.client, pair.server, true);
            if (lives && server) lives = pump(pair.server, pair.client, false);
            if (lives) {
                kept.push_back(pair);
                continue;
            }
            close(pair.client);
            if (pair.server >= 0) close(pair.server);
        }
        pairs_ = std::move(kept);
        if (carried_ >= cut_at_) {
            close_all();
            cut_at_ = carried_ + cut_step_;
        }
        if (wanted[0].revents) take();
    }
    close_all();
}

} // namespace anteroom::history::testing
