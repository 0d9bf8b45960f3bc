// The output of a Connection: answers, frames of streams, the backlog of slow readers, closing.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/check.h"
#include "net/connection.h"
#include "net/header_check.h"
#include "net/loop.h"
#include "net/relay_session.h"
#include "net/server_core.h"

namespace anteroom::net {

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

void Connection::put(std::string_view bytes, const Frame& frame) {
    if (!socket_.send(bytes, frame)) close();
}

void Connection::on_drained() {
    stalled_bytes_ = 0;
    if (phase_ == Phase::flushing) {
        phase_ = Phase::reading;
        since_ = loop_.now();
        if (reader_.has_kept()) resume_soon();
    }
    const ConnectionRef self(this);
    if (relay_) relay_->on_drained();
    settle();
}

// Chooses the next phase after bytes were sent or put into the backlog.
void Connection::settle() {
    if (phase_ == Phase::closed) return;
    const bool flushed = backlog_bytes() == 0;
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
            socket_.pause();
        } else if (!half_closed_) {
            socket_.resume();
        }
    }
    watch();
}

// The last answer is written, and the client may still be sending: closing now would make the
// kernel send a reset that can destroy the answer before the client has read it (RFC 9112, 9.6).
void Connection::linger() {
    phase_ = Phase::lingering;
    if (tls_) {
        tls_->close(loop_.buffers().cipher);
        send_cipher();
        if (phase_ == Phase::closed) return;
    }
    if (half_closed_) return close();
    if (backlog_bytes() == 0) socket_.finish_writing();
    socket_.resume();
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
    // A peer that vanished without a FIN is noticed because it does not acknowledge heartbeats.
    const auto patience = static_cast<unsigned>(core.options.limits.unheard_deadline.count);
    ::setsockopt(socket_.descriptor(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
    EventStream stream(this);
    end_output();
    return stream;
}

void Connection::write_stream_head(Output& output, std::span<const Header> headers) {
    // The end of the connection ends the stream: without chunks, frames are the same bytes for all
    // streams.
    compose(output, status_line(Status::ok), loop_.buffers().date.at(loop_.now()),
            "Content-Type: text/event-stream\r\nCache-Control: no-store\r\n"
            "X-Accel-Buffering: no\r\nConnection: close\r\n");
    for (const Header& header : headers) compose(output, header.name, ": ", header.value, "\r\n");
    append(output, "\r\n");
}

bool Connection::send_frame(const Frame& frame) {
    if (phase_ != Phase::streaming || closing_) return false;
    if (is_corked()) {
        append(loop_.buffers().corked, *frame);
        return true;
    }
    const std::size_t bound = core_->options.limits.backlog_bytes_max;
    const bool lags = backlog_bytes() > 0 && backlog_bytes() + frame->size() > bound;
    if (!lags) transmit(*frame, frame);
    if (phase_ == Phase::closed) return false;
    if (backlog_bytes() == 0) return true;
    if (lags || backlog_bytes() > bound) {
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
