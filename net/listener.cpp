#include "net/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "net/limits.h"

namespace anteroom::net {

namespace {

struct Address {
    sockaddr_storage storage{};
    socklen_t length = sizeof(sockaddr_storage);
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Result<Address> socket_address(const std::string& text, std::uint16_t port) {
    Address address;
    sockaddr_in v4{};
    sockaddr_in6 v6{};
    if (uv_ip4_addr(text.c_str(), port, &v4) == 0) {
        std::memcpy(&address.storage, &v4, sizeof v4);
        address.length = sizeof v4;
        return address;
    }
    if (uv_ip6_addr(text.c_str(), port, &v6) == 0) {
        std::memcpy(&address.storage, &v6, sizeof v6);
        address.length = sizeof v6;
        return address;
    }
    return Fault{"not an IP address to listen on: " + text};
}

std::uint16_t port_of(const sockaddr_storage& storage) {
    if (storage.ss_family == AF_INET) {
        return ntohs(reinterpret_cast<const sockaddr_in&>(storage).sin_port);
    }
    return ntohs(reinterpret_cast<const sockaddr_in6&>(storage).sin6_port);
}

// Accepted sockets inherit TCP_NODELAY on Linux, which saves a call per connection.
bool prepare(int descriptor) {
    const int on = 1;
    return setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
           setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0 &&
           setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0;
}

} // namespace

Result<void> Listener::open(const std::string& text, std::uint16_t port, OnAccept on_accept) {
    CHECK(descriptor_ < 0);
    auto address = socket_address(text, port);
    if (!address) return address.fault();
    const int flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    descriptor_ = ::socket(address->storage.ss_family, flags, 0);
    const bool open = descriptor_ >= 0 && prepare(descriptor_) &&
                      ::bind(descriptor_, address->get(), address->length) == 0 &&
                      ::listen(descriptor_, limits::listen_backlog) == 0 &&
                      ::getsockname(descriptor_, address->get(), &address->length) == 0;
    if (!open) {
        const std::string why = std::strerror(errno);
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = -1;
        return Fault{"cannot listen on " + text + " port " + std::to_string(port) + ": " + why};
    }
    port_ = port_of(address->storage);
    on_accept_ = std::move(on_accept);
    poll_ = new uv_poll_t;
    CHECK(uv_poll_init(loop_.uv(), poll_, descriptor_) == 0);
    poll_->data = this;
    resume();
    return {};
}

void Listener::close() {
    if (descriptor_ < 0) return;
    retry_.cancel();
    uv_close(reinterpret_cast<uv_handle_t*>(poll_),
             [](uv_handle_t* handle) { delete reinterpret_cast<uv_poll_t*>(handle); });
    ::close(descriptor_);
    descriptor_ = -1;
    watching_ = false;
    poll_ = nullptr;
}

void Listener::resume() {
    if (descriptor_ < 0 || watching_) return;
    watching_ = true;
    retry_.cancel();
    const auto readable = [](uv_poll_t* handle, int, int) {
        static_cast<Listener*>(handle->data)->accept_some();
    };
    CHECK(uv_poll_start(poll_, UV_READABLE, readable) == 0);
}

void Listener::pause() {
    if (descriptor_ < 0 || !watching_) return;
    watching_ = false;
    pauses_.add();
    uv_poll_stop(poll_);
    loop_.arm(retry_, limits::accept_pause);
}

void Listener::accept_some() {
    // A bounded number per turn: those who are inside get their answers in between.
    constexpr int accepts_per_turn_max = 64;
    for (int i = 0; i < accepts_per_turn_max && descriptor_ >= 0; ++i) {
        Address peer;
        const int client =
            ::accept4(descriptor_, peer.get(), &peer.length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client < 0) {
            if (errno == EAGAIN || errno == EWOULDBLOCK) return;
            if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) continue;
            return pause(); // EMFILE, ENFILE, ENOBUFS, ENOMEM: trying again at once would spin.
        }
        if (on_accept_(client, ip_of(*peer.get())) == Verdict::pause) return pause();
    }
}

} // namespace anteroom::net
