#include "net/upstream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"
#include "net/loop.h"
#include "net/loop_buffers.h"

namespace anteroom::net {

namespace {

socklen_t length_of(const sockaddr_storage& address) {
    return address.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

} // namespace

Upstream::Upstream(Loop& loop)
    : loop_(loop),
      socket_(loop, *this),
      timer_(this, [](void* self) { static_cast<Upstream*>(self)->on_deadline(); }) {}

bool Upstream::connect(const UpstreamAddress& to, Millis deadline, Owner& owner) {
    CHECK(socket_.descriptor() < 0);
    owner_ = &owner;
    const int flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    const int descriptor = ::socket(to.address.ss_family, flags, 0);
    if (descriptor < 0) return false;
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto* const address = reinterpret_cast<const sockaddr*>(&to.address);
    const int connected = ::connect(descriptor, address, length_of(to.address));
    if (connected != 0 && errno != EINPROGRESS) {
        ::close(descriptor);
        return false;
    }
    if (!socket_.open_connecting(descriptor)) {
        socket_.close();
        return false;
    }
    if (to.tls) {
        tls_client_ = to.tls;
        tls_ = to.tls->connect(to.server_name);
    }
    set_deadline(deadline);
    return true;
}

void Upstream::set_deadline(Millis in) {
    loop_.arm(timer_, in);
}

void Upstream::close() {
    if (state_ == State::closed) return;
    if (tls_ && state_ == State::open && !ended_ && !send_failed_) {
        tls_->close(loop_.buffers().cipher);
        send_cipher();
    }
    state_ = State::closed;
    timer_.cancel();
    socket_.close();
}

bool Upstream::is_quiet() const {
    if (state_ != State::open || ended_ || send_failed_) return false;
    char byte = 0;
    const ssize_t count = ::recv(socket_.descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void Upstream::on_connected() {
    if (!tls_) return begin();
    state_ = State::greeting;
    tls_->start(loop_.buffers().cipher);
    send_cipher();
}

void Upstream::begin() {
    state_ = State::open;
    if (!early_.empty()) {
        send(early_);
        std::string().swap(early_);
    }
    owner_->on_upstream_open(*this);
}

void Upstream::send(std::string_view bytes) {
    if (state_ == State::closed || send_failed_) return;
    if (state_ != State::open) {
        early_.append(bytes);
    } else if (!tls_) {
        put(bytes);
    } else if (tls_->send(bytes, loop_.buffers().cipher)) {
        send_cipher();
    } else {
        send_failed_ = true;
    }
}

// A failed send is not reported at once: an answer may still be in the socket.
void Upstream::put(std::string_view bytes) {
    if (!socket_.send(bytes, nullptr)) send_failed_ = true;
}

void Upstream::send_cipher() {
    Output& cipher = loop_.buffers().cipher;
    if (cipher.size() > 0 && socket_.descriptor() >= 0) put({cipher.data(), cipher.size()});
    recycle(cipher);
}

void Upstream::finish_writing() {
    if (state_ != State::open || send_failed_) return;
    if (socket_.backlog_bytes() > 0) {
        finishes_ = true;
        return;
    }
    if (tls_) {
        tls_->close(loop_.buffers().cipher);
        send_cipher();
    }
    if (socket_.backlog_bytes() == 0) socket_.finish_writing();
}

void Upstream::on_bytes(std::string_view wire) {
    if (tls_) return on_cipher(wire);
    owner_->on_upstream_bytes(*this, wire);
}

void Upstream::on_cipher(std::string_view wire) {
    while (state_ != State::closed) {
        LoopBuffers& buffers = loop_.buffers();
        const std::string_view plain = tls_->receive(wire, buffers.plain, buffers.cipher);
        send_cipher();
        const bool shaken = state_ == State::greeting && tls_->state() == TlsSession::State::open;
        if (shaken && plain.empty()) begin();
        if (plain.empty()) break;
        if (shaken) {
            // The server spoke first: begin() may overwrite the shared buffer, so its bytes are
            // copied.
            const std::string words(plain);
            begin();
            if (state_ != State::closed) owner_->on_upstream_bytes(*this, words);
        } else {
            owner_->on_upstream_bytes(*this, plain);
        }
    }
    if (state_ == State::closed) return;
    if (tls_->state() == TlsSession::State::failed) {
        fail(state_ == State::open ? UpstreamFault::broken : UpstreamFault::untrusted);
    } else if (tls_->state() == TlsSession::State::closed && !ended_) {
        ended_ = true;
        owner_->on_upstream_end(*this, true);
    }
}

void Upstream::on_end() {
    if (state_ != State::open) return fail(UpstreamFault::untrusted);
    if (std::exchange(ended_, true)) return;
    owner_->on_upstream_end(*this, !tls_ && !send_failed_);
}

void Upstream::on_drained() {
    if (state_ != State::open) return;
    if (finishes_) {
        finishes_ = false;
        finish_writing();
    }
    owner_->on_upstream_drained(*this);
}

void Upstream::on_broken(int error) {
    error_ = error;
    fail(state_ == State::connecting ? UpstreamFault::unreachable
         : state_ == State::greeting ? UpstreamFault::untrusted
                                     : UpstreamFault::broken);
}

void Upstream::on_deadline() {
    fail(UpstreamFault::late);
}

void Upstream::fail(UpstreamFault fault) {
    if (state_ == State::closed) return;
    owner_->on_upstream_failed(*this, fault);
}

} // namespace anteroom::net
