#include "app/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "api/latency.h"
#include "app/metric_families.h"
#include "base/heap.h"
#include "desk/dialect.h"
#include "gate/proxy.h"
#include "net/http_server.h"
#include "service/service.h"
#include "store/embedded/ledger_store.h"
#include "store/history/historian.h"
#include "store/shared/redis_store.h"
#include "store/sqlite/sqlite.h"

namespace anteroom::app {
namespace {

using Text = MetricText;

std::uint64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void heap_metrics(Text& text) {
    const MetricFamily& family = metric("anteroom_heap_bytes");
    const heap::Figures heap = heap::figures();
    text.family(family);
    text.sample(family, "kind=\"used\"", heap.used);
    text.sample(family, "kind=\"free\"", heap.free);
    text.sample(family, "kind=\"mapped\"", heap.mapped);
}

void room_metrics(Text& text, Service& service) {
    const auto rooms = service.rooms().all();
    const auto each = [&](const MetricFamily& family, auto value) {
        text.family(family);
        for (const std::shared_ptr<HostedRoom>& room : rooms)
            text.sample(family, fmt::format("room=\"{}\"", room->id()), value(*room));
    };
    each(metric("anteroom_joins_total"),
         [](const HostedRoom& r) { return r.counters().joined.load(); });
    each(metric("anteroom_calls_total"),
         [](const HostedRoom& r) { return r.counters().called.load(); });
    each(metric("anteroom_missed_calls_total"),
         [](const HostedRoom& r) { return r.counters().missed.load(); });
    each(metric("anteroom_polls_total"),
         [](const HostedRoom& r) { return r.counters().polls.load(); });
    text.family(metric("anteroom_departures_total"));
    for (const std::shared_ptr<HostedRoom>& room : rooms) {
        const auto departed = [&](std::string_view how, std::uint64_t count) {
            text.sample(metric("anteroom_departures_total"),
                        fmt::format("room=\"{}\",how=\"{}\"", room->id(), how), count);
        };
        departed("finished", room->counters().finished.load());
        departed("left", room->counters().left.load());
        departed("expired", room->counters().expired.load());
    }
    each(metric("anteroom_waiting"), [](const HostedRoom& r) { return r.view().waiting(); });
    each(metric("anteroom_absent"), [](const HostedRoom& r) { return r.view().absent(); });
    each(metric("anteroom_outer_waiting"), [](const HostedRoom& r) {
        const OuterLine::Counters outer = r.view().outer().counters();
        return outer.active ? outer.issued - outer.serving : 0;
    });
    each(metric("anteroom_active"), [](const HostedRoom& r) { return r.view().inside(); });
    each(metric("anteroom_capacity"),
         [](const HostedRoom& r) { return r.view().settings().capacity; });
    each(metric("anteroom_rate_per_second"),
         [](const HostedRoom& r) { return r.view().rate_per_second(); });
    each(metric("anteroom_event_streams"), [](const HostedRoom& r) { return r.streams(); });
    each(metric("anteroom_eta_error_seconds_sum"),
         [](const HostedRoom& r) { return r.counters().wait_error_seconds.load(); });
    each(metric("anteroom_eta_error_seconds_count"),
         [](const HostedRoom& r) { return r.counters().wait_error_count.load(); });
}

void latency_metrics(Text& text, const std::vector<LoopMetrics>& loops) {
    text.family(metric("anteroom_answer_seconds"));
    std::uint64_t sum = 0;
    double seconds = 0;
    for (std::size_t bucket = 0; bucket <= api::Latency::bounds_ns.size(); ++bucket) {
        for (const LoopMetrics& loop : loops) sum += loop.latency->count(bucket);
        const std::string bound = bucket < api::Latency::bounds_ns.size()
                                      ? fmt::format("{}", api::Latency::bound_seconds(bucket))
                                      : "+Inf";
        text.part(metric("anteroom_answer_seconds"), "_bucket", fmt::format("le=\"{}\"", bound),
                  sum);
    }
    for (const LoopMetrics& loop : loops)
        seconds += static_cast<double>(loop.latency->sum_ns()) / 1e9;
    text.part(metric("anteroom_answer_seconds"), "_sum", "", seconds);
    text.part(metric("anteroom_answer_seconds"), "_count", "", sum);
}

void server_metrics(Text& text, const std::vector<LoopMetrics>& loops) {
    const auto each = [&](const MetricFamily& family, auto value) {
        text.family(family);
        for (std::size_t i = 0; i < loops.size(); ++i)
            text.sample(family, fmt::format("loop=\"{}\"", i), value(loops[i]));
    };
    using M = LoopMetrics;
    each(metric("anteroom_connections"), [](const M& m) { return m.server->connections.value(); });
    each(metric("anteroom_requests_total"), [](const M& m) { return m.server->requests.value(); });
    each(metric("anteroom_refused_requests_total"),
         [](const M& m) { return m.server->refused_requests.value(); });
    each(metric("anteroom_refused_connections_total"),
         [](const M& m) { return m.server->refused_connections.value(); });
    each(metric("anteroom_cut_streams_total"),
         [](const M& m) { return m.server->cut_streams.value(); });
    each(metric("anteroom_loop_lag_seconds"),
         [](const M& m) { return static_cast<double>(m.lag_ms->load()) / 1e3; });
}

void history_metrics(Text& text, const history::Historian& historian) {
    const std::vector<history::SinkStatus> sinks = historian.status();
    const auto label = [](std::size_t i) {
        return fmt::format("sink=\"{}\"", i == 0 ? "file" : "database");
    };
    text.family(metric("anteroom_history_behind_facts"));
    for (std::size_t i = 0; i < sinks.size(); ++i)
        text.sample(metric("anteroom_history_behind_facts"), label(i), sinks[i].behind);
    text.family(metric("anteroom_history_failing"));
    for (std::size_t i = 0; i < sinks.size(); ++i)
        text.sample(metric("anteroom_history_failing"), label(i), sinks[i].failing ? 1 : 0);
}

void ledger_metrics(Text& text, const embedded::LedgerStore& ledger) {
    const embedded::LedgerStore::Counters& counters = ledger.counters();
    text.single(metric("anteroom_sqlite_bytes"), sqlite::bytes_held());
    text.single(metric("anteroom_ledger_writable"), ledger.is_writable() ? 1 : 0);
    text.single(metric("anteroom_ledger_facts_total"), counters.facts.load());
    text.single(metric("anteroom_ledger_batches_total"), counters.batches.load());
    text.single(metric("anteroom_ledger_commit_seconds_total"),
                static_cast<double>(counters.commit_us.load()) / 1e6);
}

void redis_metrics(Text& text, const shared::RedisStore& store) {
    const shared::RedisFigures figures = store.figures();
    const redis::Counters& calls = store.counters();
    const auto one = [&](const MetricFamily& family, auto value) { text.single(family, value); };
    one(metric("anteroom_redis_writable"), figures.is_writable ? 1 : 0);
    one(metric("anteroom_redis_rooms_written"), figures.rooms_written);
    one(metric("anteroom_redis_rooms_unreplicated"), figures.rooms_unreplicated);
    one(metric("anteroom_redis_copy_age_seconds"), static_cast<double>(figures.age_ms_max) / 1e3);
    one(metric("anteroom_redis_clock_skew_seconds"), static_cast<double>(figures.skew_ms) / 1e3);
    one(metric("anteroom_redis_commits_total"), figures.commits);
    one(metric("anteroom_redis_facts_total"), figures.facts);
    one(metric("anteroom_redis_asks_total"), figures.asks);
    one(metric("anteroom_redis_followed_total"), figures.followed);
    one(metric("anteroom_redis_reloads_total"), figures.reloads);
    one(metric("anteroom_redis_snapshots_total"), figures.snapshots);
    one(metric("anteroom_redis_calls_total"), calls.calls.value());
    one(metric("anteroom_redis_calls_failed_total"),
        calls.unreachable.value() + calls.unknown.value() + calls.refused.value());
    one(metric("anteroom_redis_reconnects_total"), calls.reconnects.value());
    one(metric("anteroom_redis_redirections_total"), calls.redirections.value());
}

// Requests that the gate forwards, summed over all loops.
void gate_metrics(Text& text, const std::vector<LoopMetrics>& loops) {
    if (loops.empty() || !loops[0].proxy) return;
    const auto sum = [&](const MetricFamily& family, net::Counter gate::ProxyStats::*counter) {
        std::int64_t total = 0;
        for (const LoopMetrics& loop : loops) total += (loop.proxy->*counter).value();
        text.single(family, total);
    };
    using S = gate::ProxyStats;
    sum(metric("anteroom_gate_requests_total"), &S::requests);
    sum(metric("anteroom_gate_under_way"), &S::under_way);
    sum(metric("anteroom_gate_tunnels"), &S::tunnels);
    sum(metric("anteroom_gate_retries_total"), &S::retries);
    sum(metric("anteroom_gate_failures_total"), &S::failures);
    sum(metric("anteroom_gate_cuts_total"), &S::cuts);
    sum(metric("anteroom_gate_abandoned_total"), &S::abandoned);
}

} // namespace

std::string metrics_text(const MetricSources& sources, const std::vector<LoopMetrics>& loops) {
    Text text;
    text.family(metric("anteroom_build_info"));
    text.sample(metric("anteroom_build_info"),
                fmt::format("version=\"{}\",compiler=\"{}\"", ANTEROOM_VERSION, __VERSION__), 1);
    text.single(metric("process_resident_memory_bytes"), resident_bytes());
    heap_metrics(text);
    text.single(metric("anteroom_rooms"), sources.service.rooms().count());
    room_metrics(text, sources.service);
    for (const std::shared_ptr<Dialect>& dialect : sources.dialects)
        dialect->write_metrics(text, sources.service);
    latency_metrics(text, loops);
    server_metrics(text, loops);
    gate_metrics(text, loops);
    if (sources.ledger) ledger_metrics(text, *sources.ledger);
    if (sources.redis) redis_metrics(text, *sources.redis);
    if (sources.historian) history_metrics(text, *sources.historian);
    return text.take();
}

} // namespace anteroom::app
