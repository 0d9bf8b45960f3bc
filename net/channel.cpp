#include "net/channel.h"

#include <algorithm>

#include "base/check.h"
#include "net/completion.h"
#include "net/loop.h"
#include "net/loop_buffers.h"
#include "net/resolve.h"

namespace anteroom::net {

struct Channel::Socket {
    uv_tcp_t tcp{};
    uv_connect_t connecting{};
    Channel* channel = nullptr; // Null once the Channel is gone.

    uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&tcp); }
};

namespace {

struct ChannelWrite {
    uv_write_t request{};
    std::string bytes;
};

} // namespace

Channel::Channel(Loop& loop) : loop_(loop), socket_(new Socket) {
    CHECK(uv_tcp_init(loop.uv(), &socket_->tcp) == 0);
    socket_->tcp.data = socket_;
    socket_->channel = this;
}

Channel::~Channel() {
    CHECK(loop_.is_current());
    if (tls_ && !ended_) {
        tls_->close(loop_.buffers().cipher);
        send_cipher();
    }
    socket_->channel = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(&socket_->tcp),
             [](uv_handle_t* handle) { delete static_cast<Socket*>(handle->data); });
}

Task<Result<std::unique_ptr<Channel>>> Channel::connect(Loop& loop, std::string host,
                                                        std::uint16_t port,
                                                        std::shared_ptr<TlsClient> tls,
                                                        Millis deadline) {
    const Instant due = loop.now() + deadline;
    auto addresses = co_await resolve(loop, host, port, deadline);
    if (!addresses) co_return addresses.fault();
    Fault last{"no address for " + host};
    for (const sockaddr_storage& address : *addresses) {
        std::unique_ptr<Channel> channel(new Channel(loop));
        auto connected = co_await channel->establish(address, due - loop.now());
        if (!connected) {
            last = Fault{"cannot connect to " + host + ": " + connected.fault().reason};
            continue;
        }
        if (!tls) co_return channel;
        channel->tls_client_ = tls;
        channel->tls_ = tls->connect(host);
        auto shaken = co_await channel->shake_hands(due);
        if (!shaken) co_return Fault{"no TLS with " + host + ": " + shaken.fault().reason};
        co_return channel;
    }
    co_return last;
}

Task<Result<void>> Channel::establish(sockaddr_storage address, Millis deadline) {
    Completion<int> completion(loop_);
    waiter_ = &completion;
    socket_->connecting.data = socket_;
    const auto connected = [](uv_connect_t* request, int status) {
        Channel* channel = static_cast<Socket*>(request->data)->channel;
        if (channel && channel->waiter_) std::exchange(channel->waiter_, nullptr)->complete(status);
    };
    const int started = uv_tcp_connect(&socket_->connecting, &socket_->tcp,
                                       reinterpret_cast<const sockaddr*>(&address), connected);
    if (started != 0) {
        waiter_ = nullptr;
        co_return Fault{uv_strerror(started)};
    }
    const Millis patience = std::max(deadline, Millis{1});
    const std::optional<int> status = co_await completion.within(patience);
    waiter_ = nullptr;
    if (!status) co_return Fault{"took too long"};
    if (*status != 0) co_return Fault{uv_strerror(*status)};
    uv_tcp_nodelay(&socket_->tcp, 1);
    if (!start_reading()) co_return Fault{"socket cannot be read"};
    co_return Result<void>();
}

Task<Result<void>> Channel::shake_hands(Instant due) {
    tls_->start(loop_.buffers().cipher);
    send_cipher();
    while (tls_->state() == TlsSession::State::handshaking) {
        const Event event = co_await wait(due - loop_.now());
        if (event == Event::deadline) co_return Fault{"took too long"};
        if (event == Event::end) break;
    }
    if (tls_->state() != TlsSession::State::open) co_return Fault{fault()};
    co_return Result<void>();
}

bool Channel::start_reading() {
    const auto allocate = [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        Channel* channel = static_cast<Socket*>(handle->data)->channel;
        auto& wire = channel->loop_.buffers().wire;
        *buffer = uv_buf_init(wire.data(), static_cast<unsigned>(wire.size()));
    };
    const auto arrived = [](uv_stream_t* handle, ssize_t count, const uv_buf_t* buffer) {
        Channel* channel = static_cast<Socket*>(handle->data)->channel;
        if (channel && count != 0) channel->on_read(count, buffer->base);
    };
    return uv_read_start(socket_->stream(), allocate, arrived) == 0;
}

void Channel::on_read(ssize_t count, const char* data) {
    // Nobody asked for that much: whoever waits checks its limit after each piece.
    constexpr std::size_t unread_bytes_max = 1024 * 1024;
    if (count < 0 || received_.size() > unread_bytes_max) {
        status_ = count < 0 ? static_cast<int>(count) : UV_ENOBUFS;
        ended_ = true;
        uv_read_stop(socket_->stream());
        return wake();
    }
    std::string_view wire(data, static_cast<std::size_t>(count));
    if (!tls_) {
        received_.append(wire);
        return wake();
    }
    while (true) {
        LoopBuffers& buffers = loop_.buffers();
        const std::string_view plain = tls_->receive(wire, buffers.plain, buffers.cipher);
        send_cipher();
        if (plain.empty()) break;
        received_.append(plain);
    }
    const auto state = tls_->state();
    if (state == TlsSession::State::closed || state == TlsSession::State::failed) ended_ = true;
    wake();
}

void Channel::wake() {
    if (waiter_) std::exchange(waiter_, nullptr)->complete(0);
}

Task<Channel::Event> Channel::wait(Millis deadline) {
    if (!received_.empty()) co_return Event::bytes;
    if (ended_) co_return Event::end;
    if (deadline <= Millis{0}) co_return Event::deadline;
    Completion<int> completion(loop_);
    CHECK(!waiter_);
    waiter_ = &completion;
    const std::optional<int> woken = co_await completion.within(deadline);
    waiter_ = nullptr;
    if (!received_.empty()) co_return Event::bytes;
    if (ended_) co_return Event::end;
    // Woken without bytes: the handshake made a step.
    co_return woken ? Event::bytes : Event::deadline;
}

void Channel::send(std::string_view bytes) {
    if (!tls_) return put(bytes);
    tls_->send(bytes, loop_.buffers().cipher);
    send_cipher();
}

void Channel::send_cipher() {
    Output& cipher = loop_.buffers().cipher;
    if (cipher.size() > 0) put({cipher.data(), cipher.size()});
    recycle(cipher);
}

void Channel::put(std::string_view bytes) {
    uv_buf_t buffer =
        uv_buf_init(const_cast<char*>(bytes.data()), static_cast<unsigned>(bytes.size()));
    const int taken = uv_try_write(socket_->stream(), &buffer, 1);
    if (taken > 0) bytes.remove_prefix(static_cast<std::size_t>(taken));
    if (bytes.empty() || (taken < 0 && taken != UV_EAGAIN)) return;
    auto* write = new ChannelWrite;
    write->bytes.assign(bytes);
    write->request.data = write;
    buffer = uv_buf_init(write->bytes.data(), static_cast<unsigned>(write->bytes.size()));
    const auto done = [](uv_write_t* request, int) {
        delete static_cast<ChannelWrite*>(request->data);
    };
    if (uv_write(&write->request, socket_->stream(), &buffer, 1, done) != 0) delete write;
}

bool Channel::ended_cleanly() const {
    return tls_ ? tls_->state() == TlsSession::State::closed : status_ == UV_EOF;
}

std::string Channel::fault() const {
    if (tls_ && tls_->state() == TlsSession::State::failed) return tls_->fault();
    return status_ < 0 ? uv_strerror(status_) : "connection closed";
}

} // namespace anteroom::net
