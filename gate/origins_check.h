// OriginCheck: asks one origin again and again whether it is well, on a connection of its own.
//
// Well is an answer from 200 to 399 in time.
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
    std::unique_ptr<net::Upstream> upstream_; // Null: not asking.
    net::Alarm again_;
};

} // namespace anteroom::gate
