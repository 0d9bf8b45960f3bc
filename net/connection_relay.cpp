// A Connection whose request and answer are passed on piece by piece (relay.h).
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "net/connection.h"
#include "net/loop.h"
#include "net/server_core.h"

namespace anteroom::net {

// While the owner itself is calling, it is not called: it sees in the result what became of it.
class OwnerAside {
  public:
    explicit OwnerAside(Connection& connection)
        : connection_(connection), owner_(std::exchange(connection.relay_owner_, nullptr)) {}
    OwnerAside(const OwnerAside&) = delete;
    OwnerAside& operator=(const OwnerAside&) = delete;
    ~OwnerAside() {
        if (connection_.phase_ == Connection::Phase::relaying) connection_.relay_owner_ = owner_;
    }

  private:
    Connection& connection_;
    RelayOwner* owner_;
};

Relay Connection::begin_relay(RelayOwner& owner) {
    const Request& request = loop_.buffers().request;
    keep_alive_ = request.keep_alive && !core_->draining;
    phase_ = Phase::relaying;
    relay_owner_ = &owner;
    relay_framing_ = RelayFraming::unsaid;
    relay_has_begun_ = false;
    relay_left_ = 0;
    relay_awaits_continue_ = request.body_streams && request.expects_continue;
    relay_paused_ = true;
    relay_paused_at_ = loop_.now();
    return Relay(this, exchange_);
}

// What the client sends while its answer is under way: the body, the tunnel's bytes, or already the
// next request, which waits.
void Connection::relay_input(std::string_view fresh) {
    const ConnectionRef self(this);
    if (relay_framing_ == RelayFraming::tunnel) {
        relay_tunnel(fresh);
    } else if (reader_.streams()) {
        relay_body(fresh);
    }
    if (phase_ == Phase::closed) return;
    if (phase_ != Phase::relaying && closing_) return;
    if (!fresh.empty()) reader_.keep(fresh);
    if (phase_ != Phase::relaying) { // Finished meanwhile: the next request may be here.
        if (reader_.has_kept()) resume_soon();
        return;
    }
    const bool next_is_long = !reader_.streams() && reader_.kept_bytes() > limits::relay_bytes_max;
    const bool waits = reader_.has_kept() && relay_paused_;
    if (next_is_long || waits) socket_.pause();
    watch_relay();
}

void Connection::relay_body(std::string_view& fresh) {
    while (relay_owner_ && !relay_paused_ && reader_.streams()) {
        const RequestReader::Piece piece = reader_.take_body(fresh, loop_.buffers().plain);
        using State = RequestReader::Piece::State;
        if (piece.state == State::malformed) {
            fresh = {};
            return refuse_relay({Status::bad_request, "malformed chunk"});
        }
        if (!piece.bytes.empty()) {
            relay_awaits_continue_ = false;
            relay_owner_->on_body(piece.bytes);
        }
        if (piece.state == State::last && relay_owner_) relay_owner_->on_body_end();
        const bool more_is_here = !fresh.empty() || reader_.has_kept();
        if (!more_is_here) return;
    }
}

void Connection::relay_tunnel(std::string_view& fresh) {
    if (relay_paused_ || !relay_owner_) return;
    if (reader_.has_kept()) {
        const std::string kept = reader_.take_kept();
        relay_owner_->on_body(kept);
    }
    if (fresh.empty() || relay_paused_ || !relay_owner_) return;
    relay_owner_->on_body(std::exchange(fresh, {}));
}

// The client sends no more. What it is owed it still gets, for a while; half a body is no request.
void Connection::end_relay_input() {
    if (relay_framing_ == RelayFraming::tunnel) {
        if (relay_owner_) relay_owner_->on_body_end();
        return;
    }
    if (reader_.streams()) return close();
    half_closed_at_ = loop_.now();
    watch_relay();
}

// The client broke a rule in the middle of its body.
void Connection::refuse_relay(const Refusal& refusal) {
    ++exchange_; // The Relay that is out fits no more.
    if (RelayOwner* const owner = std::exchange(relay_owner_, nullptr)) owner->on_gone();
    if (relay_framing_ != RelayFraming::unsaid) return close();
    phase_ = Phase::reading;
    refuse(refusal);
}

void Connection::watch_relay() {
    const Limits& limits = core_->options.limits;
    Instant due = instant_max;
    if (reader_.streams() && !relay_paused_ && !relay_awaits_continue_) due = reading_due();
    if (half_closed_ && relay_framing_ != RelayFraming::tunnel) {
        due = std::min(due, half_closed_at_ + limits.half_closed_deadline);
    }
    if (backlog() == 0) {
        stalled_bytes_ = 0;
    } else {
        if (stalled_bytes_ == 0) {
            stalled_bytes_ = backlog();
            stalled_since_ = loop_.now();
            // Of megabytes in the kernel nobody could see that the client does read, slowly.
            const int unsent = limits::relay_bytes_max;
            ::setsockopt(socket_.descriptor(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent,
                         sizeof unsent);
        }
        due = std::min(due, stalled_since_ + limits.write_stall_deadline);
    }
    // Otherwise the timer stays as it is: check_relay() finds nothing to do.
    if (due != instant_max) loop_.arm_at(timer_, due);
}

void Connection::check_relay() {
    const Limits& limits = core_->options.limits;
    const Instant now = loop_.now();
    const bool wants_body = reader_.streams() && !relay_paused_ && !relay_awaits_continue_;
    if (wants_body && reading_due() <= now) {
        return refuse_relay({Status::request_timeout, "the request body came too slowly"});
    }
    const bool is_half_closed = half_closed_ && relay_framing_ != RelayFraming::tunnel;
    if (is_half_closed && half_closed_at_ + limits.half_closed_deadline <= now) return close();
    if (stalled_bytes_ != 0 && stalled_since_ + limits.write_stall_deadline <= now) {
        if (backlog() >= stalled_bytes_) {
            core_->stats.cut_writes.add();
            return close();
        }
        stalled_bytes_ = 0;
    }
    watch_relay();
}

Output& Connection::relay_output() {
    if (!std::exchange(relay_output_open_, true)) return begin_output();
    LoopBuffers& buffers = loop_.buffers();
    return is_corked() ? buffers.corked : buffers.deferred;
}

void Connection::flush_relay() {
    if (!std::exchange(relay_output_open_, false) || is_corked()) return;
    LoopBuffers& buffers = loop_.buffers();
    transmit({buffers.deferred.data(), buffers.deferred.size()}, nullptr);
    recycle(buffers.deferred);
    buffers.deferred_in_use = false;
}

void Connection::finish_relay() {
    if (phase_ == Phase::closed) return;
    flush_relay();
    if (phase_ == Phase::closed) return;
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

Relay& Relay::operator=(Relay&& other) noexcept {
    if (this == &other) return *this;
    drop();
    connection_ = std::move(other.connection_);
    exchange_ = other.exchange_;
    return *this;
}

Relay::~Relay() {
    drop();
}

void Relay::drop() {
    if (!connection_ || !wanted()) return;
    if (connection_->relay_framing_ == Connection::RelayFraming::unsaid) {
        answer(Status::internal_error);
    } else {
        cut();
    }
}

bool Relay::wanted() const {
    return connection_ && connection_->phase_ == Connection::Phase::relaying &&
           connection_->exchange_ == exchange_;
}

void Relay::pause_body() {
    if (!wanted() || std::exchange(connection_->relay_paused_, true)) return;
    connection_->relay_paused_at_ = connection_->loop_.now();
}

void Relay::resume_body() {
    if (!wanted() || !std::exchange(connection_->relay_paused_, false)) return;
    Connection& connection = *connection_;
    // The time in which the client was not allowed to send does not count against it.
    const Instant now = connection.loop_.now();
    connection.since_ = connection.since_ + (now - connection.relay_paused_at_);
    if (connection.is_corked()) return; // The bytes are in hand right now.
    connection.socket_.resume();
    if (connection.reader_.has_kept()) connection.resume_soon();
    connection.watch_relay();
}

Output& Relay::begin_head(unsigned status, std::optional<std::uint64_t> length) {
    using Framing = Connection::RelayFraming;
    Connection& connection = *connection_;
    CHECK(wanted() && connection.relay_framing_ == Framing::unsaid);
    connection.relay_has_begun_ = true;
    if (connection.reader_.streams()) connection.keep_alive_ = false;
    Output& output = connection.relay_output();
    append(output, status_line(static_cast<Status>(status)));
    const bool bodiless = connection.is_head_ || status == 204 || status == 304;
    if (length && status != 204) compose(output, "Content-Length: ", *length, "\r\n");
    if (bodiless) {
        connection.relay_framing_ = Framing::bodiless;
    } else if (length) {
        connection.relay_framing_ = Framing::sized;
        connection.relay_left_ = *length;
    } else if (!connection.http10_) {
        connection.relay_framing_ = Framing::chunked;
        append(output, "Transfer-Encoding: chunked\r\n");
    } else {
        connection.relay_framing_ = Framing::until_close;
        connection.keep_alive_ = false;
    }
    if (!connection.keep_alive_) {
        append(output, "Connection: close\r\n");
    } else if (connection.http10_) {
        append(output, "Connection: keep-alive\r\n");
    }
    return output;
}

bool Relay::takes_interim() const {
    return wanted() && !connection_->http10_;
}

Output& Relay::begin_interim(unsigned status) {
    CHECK(takes_interim() && connection_->relay_framing_ == Connection::RelayFraming::unsaid);
    connection_->relay_has_begun_ = true;
    if (status == 100) connection_->relay_awaits_continue_ = false;
    Output& output = connection_->relay_output();
    append(output, status_line(static_cast<Status>(status)));
    return output;
}

Output& Relay::begin_upgrade() {
    Output& output = begin_interim(101);
    connection_->relay_framing_ = Connection::RelayFraming::tunnel;
    connection_->keep_alive_ = false;
    // What the client said too early is the tunnel's first word.
    connection_->socket_.resume();
    if (connection_->reader_.has_kept()) connection_->resume_soon();
    return output;
}

void Relay::end_head() {
    append(connection_->relay_output(), "\r\n");
}

bool Relay::has_begun() const {
    return connection_ && connection_->relay_has_begun_;
}

bool Relay::has_head() const {
    return connection_ && connection_->relay_framing_ != Connection::RelayFraming::unsaid;
}

void Relay::send(std::string_view piece) {
    using Framing = Connection::RelayFraming;
    constexpr std::size_t copied_bytes_max = 8 * 1024; // A larger piece is sent as it lies.
    if (piece.empty() || !wanted()) return;
    Connection& connection = *connection_;
    CHECK(connection.relay_framing_ != Framing::unsaid);
    if (connection.relay_framing_ == Framing::bodiless) return;
    if (connection.relay_framing_ == Framing::chunked) {
        Output& output = connection.relay_output();
        fmt::format_to(fmt::appender(output), "{:x}\r\n", piece.size());
        compose(output, piece, "\r\n");
        return;
    }
    if (connection.relay_framing_ == Framing::sized) {
        CHECK(piece.size() <= connection.relay_left_);
        connection.relay_left_ -= piece.size();
    }
    if (piece.size() <= copied_bytes_max || connection.is_corked()) {
        append(connection.relay_output(), piece);
        return;
    }
    const OwnerAside aside(connection);
    connection.flush_relay();
    connection.transmit(piece, nullptr);
}

bool Relay::flush() {
    if (!wanted()) return false;
    const OwnerAside aside(*connection_);
    connection_->flush_relay();
    if (wanted()) connection_->watch_relay();
    return wanted();
}

std::size_t Relay::backlog_bytes() const {
    return connection_->backlog();
}

void Relay::finish() {
    using Framing = Connection::RelayFraming;
    if (!wanted()) return;
    Connection& connection = *connection_;
    CHECK(connection.relay_framing_ != Framing::unsaid);
    if (connection.relay_framing_ == Framing::sized && connection.relay_left_ > 0) return cut();
    if (connection.relay_framing_ == Framing::chunked) {
        append(connection.relay_output(), "0\r\n\r\n");
    }
    connection.relay_owner_ = nullptr;
    connection.finish_relay();
}

void Relay::cut() {
    if (!wanted()) return;
    Connection& connection = *connection_;
    connection.relay_owner_ = nullptr;
    connection.flush_relay();
    if (connection.phase_ == Connection::Phase::closed) return;
    // Only a reset tells an answer that ends with its connection from a complete one.
    if (connection.relay_framing_ == Connection::RelayFraming::until_close) {
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(connection.socket_.descriptor(), SOL_SOCKET, SO_LINGER, &at_once,
                     sizeof at_once);
    }
    connection.close();
}

Answer Relay::answer(Status status) {
    Connection& connection = *connection_;
    const bool is_wanted = wanted();
    if (is_wanted) {
        CHECK(connection.relay_framing_ == Connection::RelayFraming::unsaid);
        connection.relay_owner_ = nullptr;
        if (connection.reader_.streams()) connection.keep_alive_ = false;
        connection.flush_relay();
    }
    Output& output = connection.begin_output();
    return Answer(connection, output, status, is_wanted && wanted());
}

} // namespace anteroom::net
