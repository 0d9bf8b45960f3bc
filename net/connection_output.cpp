// The way out of a Connection: answers, frames of streams, the backlog of slow readers, the end.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string>

#include "base/check.h"
#include "net/connection.h"
#include "net/header_check.h"
#include "net/server_core.h"

namespace anteroom::net {

namespace {

// Bytes that the kernel would not take yet, with what keeps them alive.
struct PendingWrite {
    uv_write_t request{};
    ConnectionRef connection;
    Frame frame;       // Shared by all its readers, or empty:
    std::string bytes; // a copy of our own.
};

} // namespace

void Connection::cork() {
    CHECK(core_->corked == nullptr);
    core_->corked = this;
}

void Connection::uncork() {
    CHECK(is_corked());
    core_->corked = nullptr;
    Output& corked = loop_.buffers().corked;
    if (corked.size() > 0) transmit({corked.data(), corked.size()}, nullptr);
    recycle(corked);
    settle();
}

bool Connection::is_corked() const {
    return core_ && core_->corked == this;
}

Output& Connection::begin_output() {
    LoopBuffers& buffers = loop_.buffers();
    if (is_corked()) return buffers.corked;
    CHECK(!buffers.deferred_in_use); // Two answers at a time would mix.
    buffers.deferred_in_use = true;
    return buffers.deferred;
}

void Connection::end_output() {
    if (is_corked()) return;
    LoopBuffers& buffers = loop_.buffers();
    transmit({buffers.deferred.data(), buffers.deferred.size()}, nullptr);
    recycle(buffers.deferred);
    buffers.deferred_in_use = false;
    if (reader_.has_kept()) resume_soon();
    settle();
}

Answer Connection::begin_answer(Status status) {
    return Answer(*this, begin_output(), status, true);
}

void Connection::finish_answer() {
    answering_ = false;
    if (!keep_alive_) closing_ = true;
    if (phase_ == Phase::deferred) {
        phase_ = Phase::reading;
        since_ = loop_.now();
    }
    end_output();
}

void Connection::transmit(std::string_view bytes, const Frame& frame) {
    if (phase_ == Phase::closed) return;
    if (!tls_) return put(bytes, frame);
    if (!tls_->send(bytes, loop_.buffers().cipher)) return close();
    send_cipher();
}

void Connection::send_cipher() {
    Output& cipher = loop_.buffers().cipher;
    if (cipher.size() > 0 && phase_ != Phase::closed) put({cipher.data(), cipher.size()}, nullptr);
    recycle(cipher);
}

// Straight to the kernel if nothing waits; only what it does not take is kept.
void Connection::put(std::string_view bytes, const Frame& frame) {
    std::size_t taken = 0;
    if (backlog() == 0) {
        const uv_buf_t buffer =
            uv_buf_init(const_cast<char*>(bytes.data()), static_cast<unsigned>(bytes.size()));
        const int result = uv_try_write(stream(), &buffer, 1);
        if (result < 0 && result != UV_EAGAIN) return close();
        if (result > 0) taken = static_cast<std::size_t>(result);
        if (taken == bytes.size()) return;
    }
    bytes.remove_prefix(taken);
    auto* pending = new PendingWrite{
        .request = {}, .connection = ConnectionRef(this), .frame = frame, .bytes = {}};
    if (!frame) {
        pending->bytes.assign(bytes);
        bytes = pending->bytes;
    }
    pending->request.data = pending;
    const uv_buf_t buffer =
        uv_buf_init(const_cast<char*>(bytes.data()), static_cast<unsigned>(bytes.size()));
    const auto done = [](uv_write_t* request, int status) {
        const std::unique_ptr<PendingWrite> written(static_cast<PendingWrite*>(request->data));
        written->connection->on_written(status);
    };
    if (uv_write(&pending->request, stream(), &buffer, 1, done) != 0) {
        delete pending;
        close();
    }
}

void Connection::on_written(int status) {
    if (phase_ == Phase::closed) return;
    if (status < 0) return close();
    if (backlog() == 0) on_drained();
}

void Connection::on_drained() {
    stalled_bytes_ = 0;
    if (phase_ == Phase::flushing) {
        phase_ = Phase::reading;
        since_ = loop_.now();
        if (reader_.has_kept()) resume_soon();
    }
    settle();
}

std::size_t Connection::backlog() const {
    return uv_stream_get_write_queue_size(stream());
}

// Decides what comes next, after bytes have left or could not.
void Connection::settle() {
    if (phase_ == Phase::closed) return;
    const bool flushed = backlog() == 0;
    if (closing_ && flushed && (phase_ == Phase::reading || phase_ == Phase::streaming)) {
        return linger();
    }
    if (phase_ == Phase::reading) {
        const bool all_said = half_closed_ && !resume_scheduled_ && flushed;
        if (all_said) return close();
        const bool enough_kept =
            resume_scheduled_ && reader_.kept_bytes() > limits::read_buffer_bytes;
        if (!flushed) {
            phase_ = Phase::flushing;
        } else if (enough_kept) {
            stop_reading();
        } else if (!half_closed_ && !start_reading()) {
            return close();
        }
    }
    watch();
}

// Our side is done. The client may still be sending: closing now would make the kernel answer with
// a reset that can destroy the last answer before it is read (RFC 9112, 9.6).
void Connection::linger() {
    phase_ = Phase::lingering;
    if (tls_) {
        tls_->close(loop_.buffers().cipher);
        send_cipher();
        if (phase_ == Phase::closed) return;
    }
    uv_os_fd_t descriptor = -1;
    const bool open = uv_fileno(reinterpret_cast<uv_handle_t*>(&tcp_), &descriptor) == 0;
    if (half_closed_ || !open) return close();
    if (backlog() == 0) ::shutdown(descriptor, SHUT_WR);
    if (!start_reading()) return close();
    watch();
}

std::optional<EventStream> Connection::begin_stream(std::span<const Header> headers) {
    ServerCore& core = *core_;
    const auto limit = static_cast<std::int64_t>(core.options.limits.event_streams_max);
    if (core.stats.streams.value() >= limit) {
        core.stats.refused_streams.add();
        refuse({Status::unavailable, "too many event streams"});
        return std::nullopt;
    }
    for (const Header& header : headers) {
        if (is_safe_header(header.name, header.value)) continue;
        refuse({Status::internal_error, "a header cannot be written"});
        return std::nullopt;
    }
    Output& output = begin_output();
    write_stream_head(output, headers);
    answering_ = false;
    if (is_head_) {
        closing_ = true;
        phase_ = Phase::reading;
        end_output();
        return std::nullopt;
    }
    phase_ = Phase::streaming;
    is_stream_ = true;
    core.stats.streams.add();
    // A peer that vanished without a word is noticed by the unanswered heartbeats.
    uv_os_fd_t descriptor = -1;
    if (uv_fileno(reinterpret_cast<uv_handle_t*>(&tcp_), &descriptor) == 0) {
        const auto patience = static_cast<unsigned>(core.options.limits.idle_deadline.count);
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
    }
    EventStream stream(this);
    end_output();
    return stream;
}

void Connection::write_stream_head(Output& output, std::span<const Header> headers) {
    append(output, status_line(Status::ok));
    append(output, loop_.buffers().date.at(loop_.now()));
    // Ended by the end of the connection: frames are the same bytes for everybody.
    append(output,
           "Content-Type: text/event-stream\r\nCache-Control: no-store\r\n"
           "X-Accel-Buffering: no\r\nConnection: close\r\n");
    for (const Header& header : headers) {
        append(output, header.name);
        append(output, ": ");
        append(output, header.value);
        append(output, "\r\n");
    }
    append(output, "\r\n");
}

bool Connection::send_frame(const Frame& frame) {
    if (phase_ != Phase::streaming || closing_) return false;
    if (is_corked()) {
        append(loop_.buffers().corked, *frame);
        return true;
    }
    const std::size_t bound = core_->options.limits.backlog_bytes_max;
    const bool lags = backlog() > 0 && backlog() + frame->size() > bound;
    if (!lags) transmit(*frame, frame);
    if (phase_ == Phase::closed) return false;
    if (backlog() == 0) return true;
    if (lags || backlog() > bound) {
        core_->stats.cut_streams.add();
        close();
        return false;
    }
    watch();
    return true;
}

void Connection::end_stream() {
    if (phase_ != Phase::streaming) return;
    closing_ = true;
    if (!is_corked()) settle();
}

} // namespace anteroom::net
