// HttpCall: one request on one connection of a pool, and its whole answer, for a coroutine.
// Internal to net/.
//
//   HttpCall call(loop, pool, terms);
//   if (!call.reuse()) …call.open(address, patience)…
//   Result<ClientResponse> response = co_await call.run(bytes);
//
// A call that is destroyed before its answer is complete closes its connection.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/client_response.h"
#include "net/completion.h"
#include "net/task.h"
#include "net/upstream_pool.h"

namespace anteroom::net {

struct HttpCallTerms {
    std::string host; // For the texts of faults.
    std::size_t response_bytes_max = 0;
    bool to_head = false; // The request is a HEAD.
    Instant due{};        // Of the whole call.
};

class HttpCall final : private Upstream::Owner {
  public:
    HttpCall(Loop& loop, UpstreamPool& pool, HttpCallTerms terms);
    ~HttpCall();
    HttpCall(const HttpCall&) = delete;
    HttpCall& operator=(const HttpCall&) = delete;

    // Takes a connection that the pool has kept. False: there is none.
    bool reuse();
    // Begins a new one. False: the pool is full, or there is no socket to be had.
    bool open(const UpstreamAddress& to, Millis connect_deadline);

    // bytes: the whole request. REQUIRES: one of the two above was true; called once.
    Task<Result<ClientResponse>> run(std::string_view bytes);

    // Why run() gave a fault.
    bool was_unreachable() const { return failure_ == UpstreamFault::unreachable; }
    bool ended_before_answer() const { return ended_ && !response_.has_begun(); }

    // The connection, if it can carry another request; null otherwise.
    std::unique_ptr<Upstream> take_reusable();

  private:
    void on_upstream_open(Upstream& upstream) override;
    void on_upstream_bytes(Upstream& upstream, std::string_view bytes) override;
    void on_upstream_drained(Upstream&) override {}
    void on_upstream_end(Upstream& upstream, bool cleanly) override;
    void on_upstream_failed(Upstream& upstream, UpstreamFault fault) override;
    void note(ResponseCollector::Step step);
    Millis time_left() const;
    std::string describe_failure() const;

    Loop& loop_;
    UpstreamPool& pool_;
    HttpCallTerms terms_;
    ResponseCollector response_;
    Completion<ResponseCollector::Step> completion_;
    std::unique_ptr<Upstream> upstream_;
    std::optional<UpstreamFault> failure_;
    bool is_done_ = false;  // done or failed was told to run().
    bool is_clean_ = false; // Nothing came after the answer.
    bool ended_ = false;    // The server, not the deadline, ended the connection.
};

} // namespace anteroom::net
