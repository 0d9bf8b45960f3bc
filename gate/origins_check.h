// OriginCheck: sends a GET to one origin at every interval, on a connection of its own. An answer
// from 200 to 399 in time is a success.
#pragma once

#include <memory>

#include "gate/origins.h"
#include "net/response_stream.h"

namespace anteroom::gate {

class OriginCheck final : private net::Upstream::Owner {
  public:
    OriginCheck(net::Loop& loop, Origins& origins, Origin& origin, const HealthRules& rules);
    OriginCheck(const OriginCheck&) = delete;
    OriginCheck& operator=(const OriginCheck&) = delete;
    ~OriginCheck() = default;

  private:
    void ask();
    void conclude(bool well);

    void on_upstream_open(net::Upstream&) override {}
    void on_upstream_bytes(net::Upstream& upstream, std::string_view bytes) override;
    void on_upstream_drained(net::Upstream&) override {}
    void on_upstream_end(net::Upstream&, bool) override { conclude(false); }
    void on_upstream_failed(net::Upstream&, net::UpstreamFault) override { conclude(false); }

    net::Loop& loop_;
    Origins& origins_;
    Origin& origin_;
    const HealthRules& rules_;
    net::ResponseStream stream_;
    std::unique_ptr<net::Upstream> upstream_; // Null: no check is under way.
    net::Alarm again_;
};

} // namespace anteroom::gate
