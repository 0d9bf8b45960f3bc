#include "gate/proxy_passage.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "gate/forward_headers.h"
#include "net/limits.h"
#include "net/loop.h"
#include "net/loop_buffers.h"
#include "net/text.h"

namespace anteroom::gate {

namespace {

using net::Method;
using net::Status;
using Step = net::ResponseStream::Step;

constexpr unsigned other_origins_max = 1;

// RFC 9110, 9.2.2.
bool is_idempotent(Method method) {
    switch (method) {
        case Method::get:
        case Method::head:
        case Method::put:
        case Method::del:
        case Method::options:
        case Method::trace: return true;
        case Method::post:
        case Method::patch:
        case Method::other: return false;
    }
    return false;
}

// A name may have several addresses of which only some are listened on.
unsigned spare_addresses(const Origin& origin) {
    constexpr std::size_t spare_max = 2;
    const std::size_t count = origin.addresses.size();
    return count == 0 ? 0 : static_cast<unsigned>(std::min(count - 1, spare_max));
}

bool is_event_stream(const net::ResponseHead& head) {
    const auto type = head.header("content-type");
    return type && net::equals_ignoring_case(type->substr(0, 17), "text/event-stream");
}

} // namespace

void Passage::start(const net::Request& request, net::Exchange& exchange, const ForwardPlan& plan) {
    is_idempotent_ = is_idempotent(request.method);
    is_head_ = request.method == Method::head;
    upgrades_ = wants_upgrade(request);
    is_tunnel_ = waits_long_ = answer_waits_ = false;
    body_streams_ = request.body_streams;
    body_is_chunked_ = request.chunked;
    body_consumed_ = false;
    body_done_ = !body_streams_;
    origins_left_ = other_origins_max;
    stale_left_ = true;
    note_ = plan.note;
    write_head(request, plan);
    relay_ = exchange.relay(*this);
    origin_ = proxy_.origins_->pick();
    addresses_left_ = spare_addresses(*origin_);
    attempt();
}

void Passage::write_head(const net::Request& request, const ForwardPlan& plan) {
    origin_host_ = request.host.empty();
    net::recycle(head_);
    line_bytes_ = write_request_head(head_, request,
                                     {.via = proxy_.options_.via,
                                      .request_id = plan.request_id,
                                      .identity = plan.identity,
                                      .upgrades = upgrades_,
                                      .origin_host = origin_host_});
    if (!request.body.empty()) net::append(head_, request.body);
    request_id_.assign(plan.request_id);
}

// Asks origin_, on a kept connection or a new one.
void Passage::attempt() {
    ++origin_->under_way;
    stream_.begin(is_head_, upgrades_);
    // A request that cannot be repeated uses a kept connection only if the origin has not closed
    // it.
    const bool certain = body_streams_ || !is_idempotent_ || !stale_left_;
    if (stale_left_) upstream_ = origin_->pool.reuse(*this, certain);
    if (upstream_) {
        send_head();
        return relay_.resume_body();
    }
    if (origin_->pool.is_full()) {
        return fail({.status = Status::unavailable,
                     .reason = "too many requests are on their way",
                     .nothing_was_sent = true,
                     .may_repeat = false,
                     .blames_origin = false});
    }
    if (!origin_->addresses.empty()) {
        upstream_ = origin_->pool.open(origin_->address(), *this);
    }
    if (!upstream_) {
        return fail({.status = Status::bad_gateway,
                     .reason = "the origin cannot be reached",
                     .nothing_was_sent = true});
    }
    send_head(); // It waits in the Upstream until that is open; the connect deadline counts.
}

void Passage::send_head() {
    const std::string_view head(head_.data(), head_.size());
    if (!origin_host_) {
        upstream_->send(head);
    } else {
        upstream_->send(fmt::format("{}Host: {}\r\n{}", head.substr(0, line_bytes_),
                                    origin_->url.authority, head.substr(line_bytes_)));
    }
    if (upstream_->is_open()) upstream_->set_deadline(proxy_.options_.limits.first_byte);
}

void Passage::on_upstream_open(net::Upstream& upstream) {
    upstream.set_deadline(proxy_.options_.limits.first_byte);
    relay_.resume_body();
}

void Passage::on_body(std::string_view piece) {
    body_consumed_ = true;
    if (is_tunnel_ || !body_is_chunked_) {
        upstream_->send(piece);
    } else {
        net::Output& chunk = proxy_.scratch_;
        chunk.clear();
        fmt::format_to(fmt::appender(chunk), "{:x}\r\n", piece.size());
        net::compose(chunk, piece, "\r\n");
        upstream_->send({chunk.data(), chunk.size()});
    }
    note_body_sent();
}

void Passage::on_body_end() {
    if (is_tunnel_) return upstream_->finish_writing();
    body_done_ = true;
    if (body_is_chunked_) upstream_->send("0\r\n\r\n");
    note_body_sent();
}

// How long the origin may be silent now.
Millis Passage::patience() const {
    const ProxyLimits& limits = proxy_.options_.limits;
    if (waits_long_) return limits.tunnel_idle;
    return relay_.has_head() ? limits.idle : limits.first_byte;
}

void Passage::note_body_sent() {
    upstream_->set_deadline(patience());
    if (upstream_->send_failed()) return relay_.pause_body(); // An early answer may still come.
    if (upstream_->backlog_bytes() <= net::limits::relay_bytes_max) return;
    relay_.pause_body();
    proxy_.stats_.body_pauses.add();
}

void Passage::on_upstream_drained(net::Upstream& upstream) {
    upstream.set_deadline(patience());
    relay_.resume_body();
}

void Passage::on_upstream_bytes(net::Upstream& upstream, std::string_view bytes) {
    net::LoopBuffers& buffers = proxy_.loop_.buffers();
    for (;;) {
        std::string_view piece;
        switch (stream_.next(bytes, buffers.response, buffers.plain, piece)) {
            case Step::more: return pass_on();
            case Step::interim: pass_interim(buffers.response); break;
            case Step::head: pass_head(buffers.response); break;
            case Step::upgrade: pass_upgrade(buffers.response); break;
            case Step::body: relay_.send(piece); break;
            case Step::end: return complete(bytes.empty() && upstream.is_open());
            case Step::failed:
                return fail({.status = Status::bad_gateway, .reason = stream_.fault()});
        }
    }
}

void Passage::pass_interim(const net::ResponseHead& head) {
    if (!relay_.takes_interim()) return;
    net::Output& lines = relay_.begin_interim(head.status);
    write_response_headers(lines, head, {}, {}, false);
    relay_.end_head();
}

void Passage::pass_head(const net::ResponseHead& head) {
    if (!relay_.wanted()) return; // pass_on() ends the passage.
    waits_long_ = is_event_stream(head);
    net::Output& lines = relay_.begin_head(head.status, head.length);
    write_response_headers(lines, head, request_id_, proxy_.options_.via, false);
    relay_.end_head();
    proxy_.origins_->note_success(*origin_);
}

void Passage::pass_upgrade(const net::ResponseHead& head) {
    if (!relay_.wanted()) return;
    is_tunnel_ = waits_long_ = true;
    proxy_.stats_.tunnels.add();
    net::Output& lines = relay_.begin_upgrade();
    write_response_headers(lines, head, request_id_, proxy_.options_.via, true);
    relay_.end_head();
    proxy_.origins_->note_success(*origin_);
}

// Sends the collected part of the answer; while the client is slow the origin's socket is paused.
void Passage::pass_on() {
    if (!relay_.flush()) return on_gone();
    upstream_->set_deadline(patience());
    if (relay_.backlog_bytes() <= net::limits::relay_bytes_max) return;
    upstream_->pause();
    answer_waits_ = true;
    proxy_.stats_.answer_pauses.add();
}

void Passage::on_writable() {
    answer_waits_ = false;
    if (upstream_) upstream_->resume();
}

void Passage::complete(bool nothing_left) {
    const bool is_clean = nothing_left && stream_.keep_alive() && body_done_ &&
                          upstream_->backlog_bytes() == 0 && !upstream_->send_failed();
    --origin_->under_way;
    if (is_clean) {
        origin_->pool.give_back(std::move(upstream_));
    } else {
        origin_->pool.discard(std::move(upstream_));
    }
    relay_.finish();
    over();
}

void Passage::on_upstream_end(net::Upstream&, bool cleanly) {
    if (stream_.finish(cleanly) == Step::end) return complete(false);
    fail({.status = Status::bad_gateway, .reason = stream_.fault()});
}

void Passage::on_upstream_failed(net::Upstream& upstream, net::UpstreamFault fault) {
    using Fault = net::UpstreamFault;
    switch (fault) {
        case Fault::unreachable:
            return fail({.status = Status::bad_gateway,
                         .reason = "the origin cannot be reached",
                         .nothing_was_sent = true});
        case Fault::untrusted:
            return fail({.status = Status::bad_gateway,
                         .reason = "the origin is not who it should be",
                         .nothing_was_sent = true});
        case Fault::broken:
            return fail({.status = Status::bad_gateway, .reason = "the origin broke off"});
        case Fault::late: return on_late(upstream);
    }
}

void Passage::on_late(net::Upstream& upstream) {
    if (answer_waits_) return upstream.set_deadline(proxy_.options_.limits.idle); // For the client.
    const bool waits_for_body =
        body_consumed_ && !body_done_ && !is_tunnel_ && upstream.backlog_bytes() == 0;
    if (waits_for_body) {
        return fail({.status = Status::request_timeout,
                     .reason = "the request body came too slowly",
                     .blames_origin = false});
    }
    fail({.status = Status::gateway_timeout,
          .reason = "the origin took too long",
          .nothing_was_sent = !upstream.is_open(),
          .may_repeat = false}); // A second request would only make a slow origin slower.
}

void Passage::fail(const Verdict& verdict) {
    const bool nothing_was_heard = !stream_.has_begun();
    // An origin may close an idle connection at any time: that is no failure of the origin.
    const bool was_stale =
        upstream_ && upstream_->uses > 1 && nothing_was_heard && verdict.may_repeat;
    const bool may_repeat = verdict.nothing_was_sent || (verdict.may_repeat && is_idempotent_);
    const bool untouched = nothing_was_heard && !body_consumed_ && !relay_.has_begun();
    const bool again = relay_.wanted() && may_repeat && untouched;
    if (again && was_stale && std::exchange(stale_left_, false)) return try_again(*origin_);
    if (again && verdict.nothing_was_sent && verdict.may_repeat && addresses_left_ > 0) {
        --addresses_left_;
        return try_again(*origin_);
    }
    if (verdict.blames_origin && !was_stale) proxy_.origins_->note_failure(*origin_);
    Origin* const other = again && origins_left_ > 0 ? proxy_.origins_->pick(origin_) : nullptr;
    if (!other) return give_up(verdict);
    --origins_left_;
    addresses_left_ = spare_addresses(*other);
    try_again(*other);
}

void Passage::try_again(Origin& origin) {
    proxy_.stats_.retries.add();
    leave_origin();
    origin_ = &origin;
    relay_.pause_body();
    attempt();
}

void Passage::give_up(const Verdict& verdict) {
    leave_origin();
    if (relay_.wanted() && relay_.has_head()) {
        proxy_.stats_.cuts.add();
        relay_.cut();
    } else if (relay_.wanted()) {
        proxy_.stats_.failures.add();
        net::Answer answer = relay_.answer(verdict.status);
        proxy_.refuser_.refuse({.status = verdict.status,
                                .reason = verdict.reason,
                                .request_id = request_id_,
                                .note = note_},
                               answer);
    }
    over();
}

void Passage::on_gone() {
    proxy_.stats_.abandoned.add();
    leave_origin();
    over();
}

void Passage::leave_origin() {
    if (!origin_) return;
    --origin_->under_way;
    if (upstream_) origin_->pool.discard(std::move(upstream_));
    origin_ = nullptr;
}

void Passage::over() {
    if (is_tunnel_) proxy_.stats_.tunnels.add(-1);
    relay_ = net::Relay();
    constexpr std::size_t kept_bytes_max = 8 * 1024; // Enough for a head; a body is freed.
    if (head_.capacity() > kept_bytes_max) head_ = net::Output();
    proxy_.retire(*this);
}

} // namespace anteroom::gate
