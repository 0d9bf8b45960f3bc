#include "net/http_call.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "net/loop.h"
#include "net/loop_buffers.h"

namespace anteroom::net {

HttpCall::HttpCall(Loop& loop, UpstreamPool& pool, HttpCallTerms terms)
    : loop_(loop),
      pool_(pool),
      terms_(std::move(terms)),
      response_(terms_.response_bytes_max, terms_.to_head),
      completion_(loop) {}

HttpCall::~HttpCall() {
    if (upstream_) pool_.discard(std::move(upstream_));
}

Millis HttpCall::time_left() const {
    return std::max(terms_.due - loop_.now(), Millis{1});
}

bool HttpCall::reuse() {
    upstream_ = pool_.reuse(*this, true);
    if (!upstream_) return false;
    upstream_->set_deadline(time_left());
    return true;
}

bool HttpCall::open(const UpstreamAddress& to, Millis connect_deadline) {
    upstream_ = pool_.open(to, *this);
    if (upstream_) upstream_->set_deadline(std::max(connect_deadline, Millis{1}));
    return upstream_ != nullptr;
}

Task<Result<ClientResponse>> HttpCall::run(std::string_view bytes) {
    CHECK(upstream_);
    upstream_->send(bytes); // Waits in the Upstream until that is open.
    const Millis patience = time_left();
    const std::optional<ResponseCollector::Step> step = co_await completion_.within(patience);
    if (step == ResponseCollector::Step::done) co_return std::move(response_.response());
    if (!step) failure_ = UpstreamFault::late;
    co_return Fault{describe_failure()};
}

std::unique_ptr<Upstream> HttpCall::take_reusable() {
    const bool is_reusable = is_clean_ && upstream_ && upstream_->is_open() &&
                             upstream_->backlog_bytes() == 0 && !upstream_->send_failed();
    return is_reusable ? std::move(upstream_) : nullptr;
}

void HttpCall::on_upstream_open(Upstream& upstream) {
    upstream.set_deadline(time_left());
}

void HttpCall::on_upstream_bytes(Upstream&, std::string_view bytes) {
    if (is_done_) {
        is_clean_ = false;
        return;
    }
    LoopBuffers& buffers = loop_.buffers();
    const auto step = response_.feed(bytes, buffers.response, buffers.plain);
    is_clean_ = response_.keep_alive() && bytes.empty();
    note(step);
}

void HttpCall::on_upstream_end(Upstream&, bool cleanly) {
    is_clean_ = false;
    if (is_done_) return;
    ended_ = true;
    note(response_.finish(cleanly));
}

void HttpCall::on_upstream_failed(Upstream&, UpstreamFault fault) {
    is_clean_ = false;
    if (is_done_) return;
    failure_ = fault;
    ended_ = fault == UpstreamFault::broken;
    if (ended_) response_.finish(false);
    note(ResponseCollector::Step::failed);
}

void HttpCall::note(ResponseCollector::Step step) {
    if (step == ResponseCollector::Step::more) return;
    is_done_ = true;
    completion_.complete(step);
}

std::string HttpCall::describe_failure() const {
    const auto with_reason = [&](const char* what, std::string reason) {
        return what + terms_.host + ": " + std::move(reason);
    };
    if (!failure_) return std::string(response_.fault());
    switch (*failure_) {
        case UpstreamFault::unreachable:
            return with_reason("cannot connect to ",
                               std::generic_category().message(upstream_->error()));
        case UpstreamFault::untrusted: {
            const std::string reason = upstream_->tls_fault();
            return with_reason("no TLS with ", reason.empty() ? "connection closed" : reason);
        }
        case UpstreamFault::late:
            if (upstream_->is_open()) return "no answer in time";
            return with_reason("cannot connect to ", "took too long");
        case UpstreamFault::broken: break;
    }
    return std::string(response_.fault());
}

} // namespace anteroom::net
