#include "net/connection.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "net/loop.h"
#include "net/relay_session.h"
#include "net/server_core.h"

namespace anteroom::net {

Connection::Connection(ServerCore& core, const IpAddress& peer)
    : loop_(core.loop),
      socket_(core.loop, *this),
      core_(&core),
      timer_(this, [](void* self) { static_cast<Connection*>(self)->on_deadline(); }),
      peer_(peer),
      since_(core.loop.now()),
      peer_is_trusted_(core.options.proxies.trusts(peer)) {}

Connection::~Connection() = default;

void Connection::open(ServerCore& core, int descriptor, const IpAddress& peer, bool turned_away) {
    auto* connection = new Connection(core, peer);
    connection->turned_away_ = turned_away;
    connection->link();
    if (!connection->socket_.open(descriptor)) return connection->close();
    if (turned_away) return connection->turn_away();
    if (core.options.tls) {
        connection->phase_ = Phase::handshaking;
        connection->tls_ = core.options.tls->accept();
    }
    connection->watch();
}

void Connection::release() {
    CHECK(loop_.is_current());
    if (--references_ == 0) delete this;
}

void Connection::link() {
    next_ = core_->first;
    if (next_) next_->prev_ = this;
    core_->first = this;
    core_->stats.connections.add();
}

void Connection::unlink() {
    (prev_ ? prev_->next_ : core_->first) = next_;
    if (next_) next_->prev_ = prev_;
    prev_ = next_ = nullptr;
    core_->stats.connections.add(-1);
}

void Connection::close() {
    if (phase_ == Phase::closed) return;
    phase_ = Phase::closed;
    timer_.cancel();
    ServerCore& core = *core_;
    if (is_stream_) core.stats.streams.add(-1);
    if (turned_away_) {
        --core.refusals;
    } else {
        core.options.budget->leave(peer_, peer_is_trusted_);
    }
    unlink();
    core_ = nullptr;
    socket_.close();
    if (relay_) relay_->on_closed();
    // Later: close() may have been called from inside send_frame().
    loop_.soon([self = ConnectionRef(this)] {
        const Job told = std::move(self->on_stream_close_);
        if (told) told();
    });
    release(); // The open socket's own.
    core.on_connection_closed();
}

void Connection::on_bytes(std::string_view wire) {
    if (!tls_) return on_plain(wire);
    while (phase_ != Phase::closed) {
        auto& buffers = loop_.buffers();
        const std::string_view plain = tls_->receive(wire, buffers.plain, buffers.cipher);
        send_cipher();
        if (phase_ == Phase::handshaking && tls_->state() == TlsSession::State::open) {
            phase_ = Phase::reading;
            since_ = loop_.now();
        }
        if (plain.empty()) break;
        on_plain(plain);
    }
    if (phase_ == Phase::closed) return;
    switch (tls_->state()) {
        case TlsSession::State::handshaking:
        case TlsSession::State::open: break;
        case TlsSession::State::closed: on_end(); break;
        case TlsSession::State::failed:
            core_->stats.handshake_faults.add();
            close();
            break;
    }
    if (phase_ == Phase::reading) watch();
}

void Connection::on_plain(std::string_view plain) {
    switch (phase_) {
        case Phase::reading: return pump(plain);
        case Phase::relaying: return relay_->on_input(plain);
        case Phase::deferred:
        case Phase::flushing:
            if (closing_) return;
            reader_.keep(plain);
            // Bytes beyond read_buffer_bytes wait in the client's socket.
            if (reader_.kept_bytes() > limits::read_buffer_bytes) socket_.pause();
            return;
        case Phase::streaming:
        case Phase::lingering:
            discarded_bytes_ += plain.size();
            if (discarded_bytes_ > limits::linger_bytes_max) close();
            return;
        case Phase::handshaking:
        case Phase::closed: return;
    }
}

void Connection::on_end() {
    half_closed_ = true;
    if (phase_ == Phase::relaying) return relay_->on_input_end();
    const bool still_owes =
        phase_ == Phase::deferred || phase_ == Phase::flushing || resume_scheduled_;
    if (!still_owes) close();
}

// Answers the requests that have arrived, up to pipelined_max, and sends the answers in one write.
void Connection::pump(std::string_view fresh) {
    const ConnectionRef self(this);
    cork();
    std::uint32_t share = core_->options.limits.pipelined_max;
    const Output& corked = loop_.buffers().corked;
    // Large answers end the share early: a client that asks for many and reads none gets one.
    const auto has_share = [&] { return share > 0 && corked.size() < limits::corked_bytes_max; };
    while (phase_ == Phase::reading && !closing_ && has_share() && pump_one(fresh)) --share;
    if (phase_ == Phase::relaying) [[unlikely]] {
        relay_->on_input(fresh);
    } else if (!fresh.empty() && !closing_) {
        reader_.keep(fresh);
    }
    if (!has_share()) resume_soon();
    uncork();
}

bool Connection::pump_one(std::string_view& fresh) {
    Request& request = loop_.buffers().request;
    switch (reader_.next(fresh, core_->options.limits, request, this)) {
        case RequestReader::Step::more:
            if (reader_.take_wants_continue()) {
                append(loop_.buffers().corked, "HTTP/1.1 100 Continue\r\n\r\n");
            }
            return false;
        case RequestReader::Step::refused: refuse(reader_.refusal()); return false;
        case RequestReader::Step::ready: break;
    }
    dispatch(request);
    reader_.release();
    since_ = loop_.now();
    return true;
}

void Connection::introduce(Request& request) const {
    request.peer = peer_;
    request.peer_is_trusted = peer_is_trusted_;
    request.proxies = &core_->options.proxies;
    request.secure = tls_ != nullptr;
}

bool Connection::streams_body(Request& head) {
    introduce(head);
    return core_->handler.streams_body(head);
}

void Connection::dispatch(Request& request) {
    ++exchange_;
    served_ = true;
    answering_ = true;
    keep_alive_ = request.keep_alive && !core_->draining && !request.body_streams;
    http10_ = request.minor_version == 0;
    is_head_ = request.method == Method::head;
    introduce(request);
    core_->stats.requests.add();
    Exchange exchange(*this);
    core_->handler.handle(request, exchange);
    if (answering_ && phase_ == Phase::reading) begin_answer(Status::internal_error);
}

void Connection::refuse(const Refusal& refusal) {
    core_->stats.refused_requests.add();
    answering_ = true;
    keep_alive_ = false;
    is_head_ = http10_ = false;
    Answer answer = begin_answer(refusal.status);
    if (refusal.status == Status::unavailable) {
        answer.header("Retry-After", core_->options.limits.retry_after_seconds);
    }
    core_->handler.refused(refusal, answer);
}

void Connection::turn_away() {
    core_->stats.refused_connections.add();
    if (core_->options.tls) return close(); // A client in a TLS handshake cannot read a plain 503.
    cork();
    refuse({Status::unavailable, "too many connections"});
    uncork();
}

void Connection::resume_soon() {
    if (resume_scheduled_ || phase_ == Phase::closed) return;
    resume_scheduled_ = true;
    loop_.soon([self = ConnectionRef(this)] {
        self->resume_scheduled_ = false;
        if (self->phase_ == Phase::reading) {
            self->pump({});
        } else if (self->phase_ == Phase::relaying) {
            self->relay_->on_input({});
        }
    });
}

void Connection::begin_relay(RelayOwner& owner) {
    const Request& request = loop_.buffers().request;
    keep_alive_ = request.keep_alive && !core_->draining;
    phase_ = Phase::relaying;
    relay_ = std::make_unique<RelaySession>(*this, owner, request);
}

// Called by RelaySession::finish() when the answer is written and relay_ is null.
void Connection::finish_relay() {
    if (!keep_alive_ || reader_.streams()) closing_ = true;
    answering_ = false;
    phase_ = Phase::reading;
    since_ = loop_.now();
    stalled_bytes_ = 0;
    if (!reader_.has_kept()) {
        reader_.shed();
    } else if (!closing_) {
        resume_soon();
    }
    if (!is_corked()) settle();
}

// Sets the one timer to what the phase allows.
void Connection::watch() {
    const Limits& limits = core_->options.limits;
    const Instant now = loop_.now();
    switch (phase_) {
        case Phase::handshaking: loop_.arm_at(timer_, since_ + limits.handshake_deadline); break;
        case Phase::reading: loop_.arm_at(timer_, reading_due()); break;
        case Phase::deferred: loop_.arm_at(timer_, now + limits.answer_deadline); break;
        case Phase::streaming:
            if (backlog_bytes() == 0) return timer_.cancel();
            [[fallthrough]];
        case Phase::flushing:
            if (timer_.armed() && stalled_bytes_ != 0) return; // Already being watched.
            stalled_bytes_ = backlog_bytes();
            loop_.arm_at(timer_, now + limits.write_stall_deadline);
            break;
        case Phase::relaying: relay_->watch(); break;
        case Phase::lingering: loop_.arm_at(timer_, now + limits.linger_deadline); break;
        case Phase::closed: break;
    }
}

Instant Connection::reading_due() {
    const Limits& limits = core_->options.limits;
    const RequestReader::Phase phase = reader_.phase();
    if (phase != reader_phase_) {
        reader_phase_ = phase;
        // The first head is measured from accept: silence there is no better than a slow head.
        if (served_ || phase == RequestReader::Phase::body) since_ = loop_.now();
    }
    switch (phase) {
        case RequestReader::Phase::idle:
            return since_ + (served_ ? limits.idle_deadline : limits.head_deadline);
        case RequestReader::Phase::head: return since_ + limits.head_deadline;
        case RequestReader::Phase::body: break;
    }
    const auto bytes = static_cast<std::int64_t>(reader_.body_bytes());
    const Millis earned{bytes * 1'000 / limits.body_bytes_per_second_min};
    return since_ + limits.body_grace + earned;
}

void Connection::on_deadline() {
    const ConnectionRef self(this);
    switch (phase_) {
        case Phase::reading: {
            if (reader_.phase() == RequestReader::Phase::idle) return close();
            const bool in_head = reader_.phase() == RequestReader::Phase::head;
            return refuse({Status::request_timeout, in_head ? "the request head took too long"
                                                            : "the request body came too slowly"});
        }
        case Phase::deferred:
            ++exchange_; // The handler's Reply is not wanted() any more.
            phase_ = Phase::reading;
            return refuse({Status::unavailable, "no answer in time"});
        case Phase::flushing:
        case Phase::streaming:
            if (backlog_bytes() < stalled_bytes_) {
                stalled_bytes_ = 0;
                return watch();
            }
            core_->stats.cut_writes.add();
            return close();
        case Phase::relaying: return relay_->on_deadline();
        case Phase::handshaking:
        case Phase::lingering:
        case Phase::closed: return close();
    }
}

void Connection::drain(const Frame& farewell) {
    switch (phase_) {
        case Phase::reading:
            if (reader_.phase() == RequestReader::Phase::idle && !resume_scheduled_) close();
            return;
        case Phase::relaying:
        case Phase::deferred: keep_alive_ = false; return;
        case Phase::streaming: {
            const ConnectionRef self(this);
            if (farewell) send_frame(farewell);
            end_stream();
            return;
        }
        case Phase::handshaking: return close();
        case Phase::flushing: closing_ = true; return;
        case Phase::lingering:
        case Phase::closed: return;
    }
}

} // namespace anteroom::net
