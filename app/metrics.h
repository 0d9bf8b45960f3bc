// The answer to GET /metrics, in the text format of Prometheus.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace anteroom {
class Dialect;
class Service;
namespace api {
class Latency;
}
namespace embedded {
class LedgerStore;
}
namespace gate {
struct ProxyStats;
}
namespace history {
class Historian;
}
namespace net {
struct ServerStats;
}
namespace shared {
class RedisStore;
}
} // namespace anteroom

namespace anteroom::app {

struct LoopMetrics {
    const net::ServerStats* server = nullptr;
    const api::Latency* latency = nullptr;
    const std::atomic<std::int64_t>* lag_ms = nullptr; // The worst of the last second.
    const gate::ProxyStats* proxy = nullptr;           // Null: there is no origin.
};

struct MetricSources {
    Service& service;
    const embedded::LedgerStore* ledger = nullptr; // Null: rooms are not kept.
    const shared::RedisStore* redis = nullptr;     // Null: they are not in Redis.
    const history::Historian* historian = nullptr; // Null: nor is their history.
    const std::vector<std::shared_ptr<Dialect>>& dialects;
};

std::string metrics_text(const MetricSources& sources, const std::vector<LoopMetrics>& loops);

} // namespace anteroom::app
