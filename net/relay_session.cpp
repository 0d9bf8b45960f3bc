#include "net/relay_session.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "net/connection.h"
#include "net/loop.h"
#include "net/relay.h"
#include "net/server_core.h"

namespace anteroom::net {

class RelaySession::OwnerCall {
  public:
    explicit OwnerCall(RelaySession& session) : session_(session) {
        session_.owner_is_calling_ = true;
    }
    OwnerCall(const OwnerCall&) = delete;
    OwnerCall& operator=(const OwnerCall&) = delete;
    ~OwnerCall() { session_.owner_is_calling_ = false; }

  private:
    RelaySession& session_;
};

RelaySession::RelaySession(Connection& connection, RelayOwner& owner, const Request& request)
    : connection_(connection),
      owner_(&owner),
      paused_at_(connection.loop_.now()),
      awaits_continue_(request.body_streams && request.expects_continue) {}

bool RelaySession::is_attached() const {
    return connection_.relay_.get() == this;
}

void RelaySession::detach() {
    owner_ = nullptr;
    connection_.loop_.soon([dead = std::move(connection_.relay_)] {});
}

// What the client sends while its answer is under way: the body, the tunnel's bytes, or already the
// next request, which waits.
void RelaySession::on_input(std::string_view fresh) {
    const ConnectionRef self(&connection_);
    RequestReader& reader = connection_.reader_;
    if (framing_ == Framing::tunnel) {
        pass_tunnel(fresh);
    } else if (reader.streams()) {
        pass_body(fresh);
    }
    if (connection_.phase_ == Connection::Phase::closed) return;
    if (!is_attached() && connection_.closing_) return;
    if (!fresh.empty()) reader.keep(fresh);
    if (!is_attached()) { // Finished meanwhile: the next request may be here.
        if (reader.has_kept()) connection_.resume_soon();
        return;
    }
    const bool next_is_long = !reader.streams() && reader.kept_bytes() > limits::relay_bytes_max;
    const bool waits = reader.has_kept() && is_paused_;
    if (next_is_long || waits) connection_.socket_.pause();
    watch();
}

void RelaySession::pass_body(std::string_view& fresh) {
    RequestReader& reader = connection_.reader_;
    while (owner_ && !is_paused_ && reader.streams()) {
        const RequestReader::Piece piece =
            reader.take_body(fresh, connection_.loop_.buffers().plain);
        using State = RequestReader::Piece::State;
        if (piece.state == State::malformed) {
            fresh = {};
            return refuse({Status::bad_request, "malformed chunk"});
        }
        if (!piece.bytes.empty()) {
            awaits_continue_ = false;
            owner_->on_body(piece.bytes);
        }
        if (piece.state == State::last && owner_) owner_->on_body_end();
        const bool more_is_here = !fresh.empty() || reader.has_kept();
        if (!more_is_here) return;
    }
}

void RelaySession::pass_tunnel(std::string_view& fresh) {
    if (is_paused_ || !owner_) return;
    if (connection_.reader_.has_kept()) {
        const std::string kept = connection_.reader_.take_kept();
        owner_->on_body(kept);
    }
    if (fresh.empty() || is_paused_ || !owner_) return;
    owner_->on_body(std::exchange(fresh, {}));
}

// The client sends no more. It still gets its answer, for a while; a body that ends early makes the
// request incomplete, so the connection closes.
void RelaySession::on_input_end() {
    if (framing_ == Framing::tunnel) {
        if (owner_) owner_->on_body_end();
        return;
    }
    if (connection_.reader_.streams()) return connection_.close();
    half_closed_at_ = connection_.loop_.now();
    watch();
}

void RelaySession::on_drained() {
    if (owner_) owner_->on_writable();
}

void RelaySession::on_closed() {
    RelayOwner* const owner = owner_is_calling_ ? nullptr : owner_;
    detach();
    if (owner) owner->on_gone();
}

// The client broke a rule in the middle of its body.
void RelaySession::refuse(const Refusal& refusal) {
    RelayOwner* const owner = owner_;
    const bool may_answer = !has_head();
    detach();
    connection_.phase_ = Connection::Phase::deferred;
    ++connection_.exchange_; // The owner's Relay is of no use any more.
    if (owner) owner->on_gone();
    if (!may_answer) return connection_.close();
    connection_.phase_ = Connection::Phase::reading;
    connection_.refuse(refusal);
}

bool RelaySession::awaits_body() const {
    return connection_.reader_.streams() && !is_paused_ && !awaits_continue_;
}

void RelaySession::watch() {
    const Limits& limits = connection_.core_->options.limits;
    Instant due = instant_max;
    if (awaits_body()) due = connection_.reading_due();
    if (connection_.half_closed_ && framing_ != Framing::tunnel) {
        due = std::min(due, half_closed_at_ + limits.half_closed_deadline);
    }
    if (connection_.backlog_bytes() == 0) {
        connection_.stalled_bytes_ = 0;
    } else {
        if (connection_.stalled_bytes_ == 0) {
            connection_.stalled_bytes_ = connection_.backlog_bytes();
            stalled_since_ = connection_.loop_.now();
            // With megabytes in the kernel's buffer a slow reader would look like a stalled one.
            const int unsent = limits::relay_bytes_max;
            ::setsockopt(connection_.socket_.descriptor(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent,
                         sizeof unsent);
        }
        due = std::min(due, stalled_since_ + limits.write_stall_deadline);
    }
    // Otherwise the timer stays as it is: on_deadline() finds nothing to do.
    if (due != instant_max) connection_.loop_.arm_at(connection_.timer_, due);
}

void RelaySession::on_deadline() {
    const Limits& limits = connection_.core_->options.limits;
    const Instant now = connection_.loop_.now();
    if (awaits_body() && connection_.reading_due() <= now) {
        return refuse({Status::request_timeout, "the request body came too slowly"});
    }
    const bool is_half_closed = connection_.half_closed_ && framing_ != Framing::tunnel;
    if (is_half_closed && half_closed_at_ + limits.half_closed_deadline <= now) {
        return connection_.close();
    }
    std::size_t& stalled_bytes = connection_.stalled_bytes_;
    if (stalled_bytes != 0 && stalled_since_ + limits.write_stall_deadline <= now) {
        if (connection_.backlog_bytes() >= stalled_bytes) {
            connection_.core_->stats.cut_writes.add();
            return connection_.close();
        }
        stalled_bytes = 0;
    }
    watch();
}

void RelaySession::pause_body() {
    if (std::exchange(is_paused_, true)) return;
    paused_at_ = connection_.loop_.now();
}

void RelaySession::resume_body() {
    if (!std::exchange(is_paused_, false)) return;
    // The time in which the client was not allowed to send does not count against it.
    const Instant now = connection_.loop_.now();
    connection_.since_ = connection_.since_ + (now - paused_at_);
    if (connection_.is_corked()) return; // pump() goes on with the bytes in hand.
    connection_.socket_.resume();
    if (connection_.reader_.has_kept()) connection_.resume_soon();
    watch();
}

// The output that is being collected; begins one if there is none.
Output& RelaySession::output() {
    if (!std::exchange(output_is_open_, true)) return connection_.begin_output();
    LoopBuffers& buffers = connection_.loop_.buffers();
    return connection_.is_corked() ? buffers.corked : buffers.deferred;
}

void RelaySession::send_output() {
    if (!std::exchange(output_is_open_, false) || connection_.is_corked()) return;
    LoopBuffers& buffers = connection_.loop_.buffers();
    connection_.transmit({buffers.deferred.data(), buffers.deferred.size()}, nullptr);
    recycle(buffers.deferred);
    buffers.deferred_in_use = false;
}

Output& RelaySession::begin_head(unsigned status, std::optional<std::uint64_t> length) {
    CHECK(!has_head());
    has_begun_ = true;
    Connection& connection = connection_;
    if (connection.reader_.streams()) connection.keep_alive_ = false;
    Output& output = this->output();
    append(output, status_line(static_cast<Status>(status)));
    if (length && status != 204) compose(output, "Content-Length: ", *length, "\r\n");
    choose_framing(status, length, output);
    if (!connection.keep_alive_) {
        append(output, "Connection: close\r\n");
    } else if (connection.http10_) {
        append(output, "Connection: keep-alive\r\n");
    }
    return output;
}

void RelaySession::choose_framing(unsigned status, std::optional<std::uint64_t> length,
                                  Output& output) {
    if (connection_.is_head_ || status == 204 || status == 304) {
        framing_ = Framing::bodiless;
    } else if (length) {
        framing_ = Framing::sized;
        answer_left_ = *length;
    } else if (!connection_.http10_) {
        framing_ = Framing::chunked;
        append(output, "Transfer-Encoding: chunked\r\n");
    } else {
        framing_ = Framing::until_close;
        connection_.keep_alive_ = false;
    }
}

bool RelaySession::takes_interim() const {
    return !connection_.http10_;
}

Output& RelaySession::begin_interim(unsigned status) {
    CHECK(takes_interim() && !has_head());
    has_begun_ = true;
    if (status == 100) awaits_continue_ = false;
    Output& output = this->output();
    append(output, status_line(static_cast<Status>(status)));
    return output;
}

Output& RelaySession::begin_upgrade() {
    Output& output = begin_interim(101);
    framing_ = Framing::tunnel;
    connection_.keep_alive_ = false;
    // Bytes that the client sent behind its request belong to the tunnel.
    connection_.socket_.resume();
    if (connection_.reader_.has_kept()) connection_.resume_soon();
    return output;
}

void RelaySession::end_head() {
    append(output(), "\r\n");
}

void RelaySession::send(std::string_view piece) {
    constexpr std::size_t copied_bytes_max = 8 * 1024; // A larger piece is sent without a copy.
    if (piece.empty()) return;
    CHECK(has_head());
    if (framing_ == Framing::bodiless) return;
    if (framing_ == Framing::chunked) {
        Output& output = this->output();
        fmt::format_to(fmt::appender(output), "{:x}\r\n", piece.size());
        compose(output, piece, "\r\n");
        return;
    }
    if (framing_ == Framing::sized) {
        CHECK(piece.size() <= answer_left_);
        answer_left_ -= piece.size();
    }
    if (piece.size() <= copied_bytes_max || connection_.is_corked()) {
        append(output(), piece);
        return;
    }
    const OwnerCall call(*this);
    send_output();
    connection_.transmit(piece, nullptr);
}

void RelaySession::flush() {
    const OwnerCall call(*this);
    send_output();
    if (is_attached()) watch();
}

void RelaySession::finish() {
    CHECK(has_head());
    if (framing_ == Framing::sized && answer_left_ > 0) return cut();
    if (framing_ == Framing::chunked) append(output(), "0\r\n\r\n");
    owner_ = nullptr;
    send_output();
    if (!is_attached()) return; // The connection broke.
    detach();
    connection_.finish_relay();
}

void RelaySession::cut() {
    owner_ = nullptr;
    send_output();
    if (!is_attached()) return;
    // Only a reset tells an answer that ends with its connection from a complete one.
    if (framing_ == Framing::until_close) {
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(connection_.socket_.descriptor(), SOL_SOCKET, SO_LINGER, &at_once,
                     sizeof at_once);
    }
    connection_.close();
}

void RelaySession::give_up() {
    CHECK(!has_head());
    owner_ = nullptr;
    if (connection_.reader_.streams()) connection_.keep_alive_ = false;
    send_output();
    if (!is_attached()) return;
    detach();
    connection_.phase_ = Connection::Phase::deferred;
}

} // namespace anteroom::net
