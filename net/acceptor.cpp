#include "net/acceptor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "net/limits.h"
#include "net/listen_address.h"
#include "net/loop.h"

namespace anteroom::net {

namespace {

std::uint16_t port_of(const sockaddr_storage& storage) {
    if (storage.ss_family == AF_INET) {
        return ntohs(reinterpret_cast<const sockaddr_in&>(storage).sin_port);
    }
    return ntohs(reinterpret_cast<const sockaddr_in6&>(storage).sin6_port);
}

bool turn_on(int descriptor, int level, int option) {
    const int on = 1;
    return setsockopt(descriptor, level, option, &on, sizeof on) == 0;
}

// Accepted sockets inherit TCP_NODELAY on Linux, which saves a call per connection.
bool prepare(int descriptor) {
    return turn_on(descriptor, SOL_SOCKET, SO_REUSEADDR) &&
           turn_on(descriptor, IPPROTO_TCP, TCP_NODELAY);
}

// The first socket listens before it has SO_REUSEPORT, so the kernel refuses it while any other
// socket listens there, also one of another server of the same user. The others of its process
// join it with SO_REUSEPORT.
bool bind_and_listen(int descriptor, SocketAddress& address, PortUse use) {
    const bool joins = use == PortUse::join;
    return (!joins || turn_on(descriptor, SOL_SOCKET, SO_REUSEPORT)) &&
           ::bind(descriptor, address.get(), address.length) == 0 &&
           ::listen(descriptor, limits::listen_backlog) == 0 &&
           (joins || turn_on(descriptor, SOL_SOCKET, SO_REUSEPORT));
}

} // namespace

Result<SocketAddress> listen_address(const std::string& text, std::uint16_t port) {
    SocketAddress address;
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

Result<void> Acceptor::open(const std::string& text, std::uint16_t port, PortUse use,
                            OnAccept on_accept) {
    CHECK(descriptor_ < 0);
    auto address = listen_address(text, port);
    if (!address) return address.fault();
    const int flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    descriptor_ = ::socket(address->storage.ss_family, flags, 0);
    const bool open = descriptor_ >= 0 && prepare(descriptor_) &&
                      bind_and_listen(descriptor_, *address, use) &&
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

void Acceptor::close() {
    if (descriptor_ < 0) return;
    retry_.cancel();
    uv_close(reinterpret_cast<uv_handle_t*>(poll_),
             [](uv_handle_t* handle) { delete reinterpret_cast<uv_poll_t*>(handle); });
    ::close(descriptor_);
    descriptor_ = -1;
    watching_ = false;
    poll_ = nullptr;
}

void Acceptor::resume() {
    if (descriptor_ < 0 || watching_) return;
    watching_ = true;
    retry_.cancel();
    const auto readable = [](uv_poll_t* handle, int, int) {
        static_cast<Acceptor*>(handle->data)->accept_some();
    };
    CHECK(uv_poll_start(poll_, UV_READABLE, readable) == 0);
}

void Acceptor::pause() {
    if (descriptor_ < 0 || !watching_) return;
    watching_ = false;
    pauses_.add();
    uv_poll_stop(poll_);
    loop_.arm(retry_, limits::accept_pause);
}

void Acceptor::accept_some() {
    // A bounded number per turn, so that open connections get their answers in between.
    constexpr int accepts_per_turn_max = 64;
    for (int i = 0; i < accepts_per_turn_max && descriptor_ >= 0; ++i) {
        SocketAddress peer;
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
