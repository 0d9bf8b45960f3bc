#include "app/origin_desk.h"

#include <fmt/format.h>

#include "net/limits.h"

namespace anteroom::app {

Result<std::unique_ptr<OriginDesk>> OriginDesk::open(net::Loop& loop,
                                                     const std::vector<std::string>& origins) {
    std::unique_ptr<OriginDesk> desk(new OriginDesk);
    gate::ProxyOptions options;
    options.origins.urls = origins;
    auto proxy = gate::Proxy::open(loop, std::move(options), *desk);
    if (!proxy) return proxy.fault();
    desk->proxy_ = *std::move(proxy);
    return desk;
}

void OriginDesk::handle(const net::Request& request, net::Exchange& exchange,
                        std::string_view request_id) {
    const gate::ForwardPlan plan{.identity = {}, .answer = {}, .request_id = request_id};
    proxy_->forward(request, exchange, plan);
}

// Reasons are literals of ours without anything that JSON would have to escape.
void OriginDesk::refuse(const gate::Failure& failure, net::Answer& answer) {
    answer.header("X-Request-ID", failure.request_id);
    answer.headers("Content-Type: application/problem+json\r\nCache-Control: no-store\r\n");
    if (failure.status == net::Status::unavailable) {
        answer.header("Retry-After", net::limits::retry_after_seconds);
    }
    fmt::format_to(fmt::appender(answer.body()),
                   R"({{"type":"about:blank#unavailable","title":"{}","status":{},)"
                   R"("code":"unavailable","detail":"{}","request_id":"{}"}})",
                   net::phrase(failure.status), net::code(failure.status), failure.reason,
                   failure.request_id);
}

} // namespace anteroom::app
