#include "net/socket.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>

#include "base/check.h"
#include "net/loop.h"
#include "net/loop_buffers.h"

namespace anteroom::net {

namespace {

// The share of one peer per turn, so that the others do not wait for long.
constexpr int receives_per_turn_max = 4; // Of limits::read_buffer_bytes.
constexpr int flushes_per_turn_max = 16; // Of frames_per_flush_max.
constexpr std::size_t frames_per_flush_max = 64;

constexpr std::uint32_t peer_is_done = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

} // namespace

struct Socket::Backlog {
    std::deque<Frame> frames;
    std::size_t begin = 0; // In the first frame: what lies before it has left.
    std::size_t bytes = 0;

    std::size_t gather(std::array<iovec, frames_per_flush_max>& parts) const;
    void drop(std::size_t count);
};

std::size_t Socket::Backlog::gather(std::array<iovec, frames_per_flush_max>& parts) const {
    const std::size_t count = std::min(frames.size(), parts.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t from = i == 0 ? begin : 0;
        parts[i] = {.iov_base = const_cast<char*>(frames[i]->data() + from),
                    .iov_len = frames[i]->size() - from};
    }
    return count;
}

void Socket::Backlog::drop(std::size_t count) {
    bytes -= count;
    count += begin;
    while (!frames.empty() && count >= frames.front()->size()) {
        count -= frames.front()->size();
        frames.pop_front();
    }
    begin = count;
}

void Socket::DestroyBacklog::operator()(Backlog* backlog) const {
    delete backlog;
}

bool Socket::open(int descriptor) {
    CHECK(descriptor_ < 0);
    descriptor_ = descriptor;
    return loop_.poller().watch(descriptor, *this);
}

bool Socket::open_connecting(int descriptor) {
    connecting_ = true;
    return open(descriptor);
}

void Socket::settle_connecting(std::uint32_t events) {
    int error = 0;
    socklen_t length = sizeof error;
    const int asked = ::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &length);
    connecting_ = false;
    if (asked != 0) error = errno;
    if (error != 0) return owner_.on_broken(error);
    owner_.on_connected();
    if (descriptor_ >= 0) on_events(events); // The same events may also bring bytes, or the end.
}

void Socket::close() {
    if (descriptor_ < 0) return;
    loop_.poller().forget(*this);
    ::close(descriptor_);
    descriptor_ = -1;
    backlog_.reset();
}

bool Socket::send(std::string_view bytes, const Frame& frame) {
    CHECK(descriptor_ >= 0);
    std::size_t taken = 0;
    if (!backlog_) {
        ssize_t count = 0;
        do {
            count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        } while (count < 0 && errno == EINTR);
        if (count < 0 && !would_block()) return false;
        if (count > 0) taken = static_cast<std::size_t>(count);
        if (taken == bytes.size()) return true;
        backlog_.reset(new Backlog);
        writable_ = false; // Until the next EPOLLOUT.
    }
    backlog_->bytes += bytes.size() - taken;
    if (frame) {
        if (taken > 0) backlog_->begin = taken;
        backlog_->frames.push_back(frame);
    } else {
        backlog_->frames.push_back(make_frame(std::string(bytes.substr(taken))));
    }
    return true;
}

std::size_t Socket::backlog_bytes() const {
    return backlog_ ? backlog_->bytes : 0;
}

void Socket::resume() {
    if (!paused_) return;
    paused_ = false;
    if (readable_) ask_again(); // epoll does not report these bytes again.
}

void Socket::finish_writing() {
    CHECK(!backlog_);
    ::shutdown(descriptor_, SHUT_WR);
}

void Socket::on_events(std::uint32_t events) {
    if (connecting_) [[unlikely]]
        return settle_connecting(events);
    if (events == 0) asked_again_ = false;
    if (events & peer_is_done) peer_is_done_ = true;
    if (events & (EPOLLIN | peer_is_done)) readable_ = true;
    if (events & (EPOLLOUT | peer_is_done)) writable_ = true;
    if (backlog_ && writable_) flush();
    receive();
}

void Socket::receive() {
    auto& wire = loop_.buffers().wire;
    for (int turn = 0; readable_ && !paused_ && !ended_ && descriptor_ >= 0; ++turn) {
        if (turn == receives_per_turn_max) return ask_again();
        const ssize_t count = ::recv(descriptor_, wire.data(), wire.size(), 0);
        if (count > 0) {
            const auto size = static_cast<std::size_t>(count);
            // A short read has emptied the socket, and later bytes are a new event (epoll(7)). The
            // end of the peer may have come in the same event, and is not reported again.
            if (size < wire.size() && !peer_is_done_) readable_ = false;
            owner_.on_bytes({wire.data(), size});
        } else if (count == 0) {
            ended_ = true;
            owner_.on_end();
        } else if (would_block()) {
            readable_ = false;
        } else if (errno != EINTR) {
            readable_ = false;
            owner_.on_broken(errno);
        }
    }
}

void Socket::flush() {
    for (int turn = 0; turn < flushes_per_turn_max; ++turn) {
        std::array<iovec, frames_per_flush_max> parts;
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = backlog_->gather(parts);
        const ssize_t count = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL);
        if (count < 0) {
            if (errno == EINTR) continue;
            writable_ = false;
            if (would_block()) return;
            const int error = errno;
            backlog_.reset();
            return owner_.on_send_failed(error);
        }
        backlog_->drop(static_cast<std::size_t>(count));
        if (backlog_->frames.empty()) {
            backlog_.reset();
            return owner_.on_drained();
        }
    }
    ask_again();
}

void Socket::ask_again() {
    if (asked_again_) return;
    asked_again_ = true;
    loop_.poller().again(*this);
}

} // namespace anteroom::net
