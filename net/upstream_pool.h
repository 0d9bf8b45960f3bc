// UpstreamPool: the connections to one server on one loop. Idle ones are kept for the next request,
// the youngest is reused first; one on which bytes or an end come while it is idle is closed.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "net/upstream.h"

namespace anteroom::net {

struct UpstreamLimits {
    std::size_t connections_max = 1'024; // Per server and loop; the proxy answers 503.
    std::size_t idle_max = 128;          // Kept for the next request.
    Millis connect_deadline{5'000};      // With the TLS handshake; the proxy answers 504.
    Millis idle_deadline{15'000};        // Of an idle one; shorter than what servers allow.
};

class UpstreamPool final : private Upstream::Owner {
  public:
    UpstreamPool(Loop& loop, const UpstreamLimits& limits) : loop_(loop), limits_(limits) {}
    ~UpstreamPool() = default; // REQUIRES: all connections were given back or discarded.
    UpstreamPool(const UpstreamPool&) = delete;
    UpstreamPool& operator=(const UpstreamPool&) = delete;

    // An idle one, or null. certain: the kernel is asked whether its server has closed it.
    std::unique_ptr<Upstream> reuse(Upstream::Owner& owner, bool certain);
    // A new one, or null: there are too many, or no socket is to be had.
    std::unique_ptr<Upstream> open(const UpstreamAddress& to, Upstream::Owner& owner);

    // For the next request. REQUIRES: no bytes are on their way in either direction.
    void give_back(std::unique_ptr<Upstream> upstream);
    // Closes it. May be called while the Upstream calls its owner.
    void discard(std::unique_ptr<Upstream> upstream);

    bool is_full() const { return connections_ >= limits_.connections_max; }
    std::size_t connections() const { return connections_; } // In use or idle.
    std::size_t idle() const { return idle_.size(); }

  private:
    void on_upstream_open(Upstream&) override {}
    void on_upstream_bytes(Upstream& upstream, std::string_view) override { forget(upstream); }
    void on_upstream_drained(Upstream&) override {}
    void on_upstream_end(Upstream& upstream, bool) override { forget(upstream); }
    void on_upstream_failed(Upstream& upstream, UpstreamFault) override { forget(upstream); }
    void forget(Upstream& upstream);

    Loop& loop_;
    UpstreamLimits limits_;
    std::vector<std::unique_ptr<Upstream>> idle_;
    std::size_t connections_ = 0;
};

} // namespace anteroom::net
