// OriginDesk: requests that are none of ours go to the origin. One per loop.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/fallback.h"
#include "base/result.h"
#include "gate/proxy.h"

namespace anteroom::app {

class OriginDesk final : public api::Fallback, private gate::Refuser {
  public:
    static Result<std::unique_ptr<OriginDesk>> open(net::Loop& loop,
                                                    const std::vector<std::string>& origins);

    void handle(const net::Request& request, net::Exchange& exchange,
                std::string_view request_id) override;
    const gate::ProxyStats& stats() const { return proxy_->stats(); }

  private:
    OriginDesk() = default;
    void refuse(const gate::Failure& failure, net::Answer& answer) override;

    std::unique_ptr<gate::Proxy> proxy_;
};

} // namespace anteroom::app
