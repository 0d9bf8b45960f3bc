#include "app/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

namespace anteroom::app {
namespace {

class Text {
  public:
    void family(std::string_view name, std::string_view type, std::string_view help) {
        fmt::format_to(std::back_inserter(out_), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type,
                       help);
    }
    template <class Value>
    void sample(std::string_view name, std::string_view labels, Value value) {
        fmt::format_to(std::back_inserter(out_), "{}{}{}{} {}\n", name, labels.empty() ? "" : "{",
                       labels, labels.empty() ? "" : "}", value);
    }
    std::string take() { return std::move(out_); }

  private:
    std::string out_;
};

std::uint64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void room_metrics(Text& text, Service& service) {
    const auto rooms = service.rooms().all();
    const auto each = [&](std::string_view name, std::string_view type, std::string_view help,
                          auto value) {
        text.family(name, type, help);
        for (const std::shared_ptr<HostedRoom>& room : rooms)
            text.sample(name, fmt::format("room=\"{}\"", room->id()), value(*room));
    };
    each("anteroom_joins_total", "counter", "Places taken.",
         [](const HostedRoom& r) { return r.counters.joined.load(); });
    each("anteroom_calls_total", "counter", "Visitors called.",
         [](const HostedRoom& r) { return r.counters.called.load(); });
    each("anteroom_polls_total", "counter", "Standings asked for.",
         [](const HostedRoom& r) { return r.counters.polls.load(); });
    text.family("anteroom_departures_total", "counter", "Visits that ended, by how.");
    for (const std::shared_ptr<HostedRoom>& room : rooms) {
        const auto departed = [&](std::string_view how, std::uint64_t count) {
            text.sample("anteroom_departures_total",
                        fmt::format("room=\"{}\",how=\"{}\"", room->id(), how), count);
        };
        departed("finished", room->counters.finished.load());
        departed("left", room->counters.left.load());
        departed("expired", room->counters.expired.load());
    }
    each("anteroom_waiting", "gauge", "Visitors in line.",
         [](const HostedRoom& r) { return r.view().waiting(); });
    each("anteroom_outer_waiting", "gauge", "Numbers of the outer line whose turn has not come.",
         [](const HostedRoom& r) {
             const OuterLine::Counters outer = r.view().outer().counters();
             return outer.active ? outer.issued - outer.serving : 0;
         });
    each("anteroom_active", "gauge", "Visitors inside, called ones included.",
         [](const HostedRoom& r) { return r.view().inside(); });
    each("anteroom_capacity", "gauge", "How many may be inside.",
         [](const HostedRoom& r) { return r.view().settings().capacity; });
    each("anteroom_rate_per_second", "gauge", "Calls per second, as measured.",
         [](const HostedRoom& r) { return r.view().rate_per_second(); });
    each("anteroom_event_streams", "gauge", "Open event streams.",
         [](const HostedRoom& r) { return r.streams.load(); });
    each("anteroom_eta_error_seconds_sum", "counter",
         "Seconds by which told waiting times were wrong.",
         [](const HostedRoom& r) { return r.counters.wait_error_seconds.load(); });
    each("anteroom_eta_error_seconds_count", "counter", "Told waiting times that were checked.",
         [](const HostedRoom& r) { return r.counters.wait_error_count.load(); });
}

// What system U's dashboards ask for, over all events.
void urr_metrics(Text& text, Service& service) {
    std::uint64_t joined = 0, admitted = 0, left = 0;
    for (const std::shared_ptr<HostedRoom>& room : service.rooms().all()) {
        joined += room->counters.joined.load();
        admitted += room->counters.called.load();
        left += room->counters.left.load();
    }
    const auto total = [&](std::string_view name, std::string_view help, std::uint64_t value) {
        text.family(name, "counter", help);
        text.sample(name, "", value);
    };
    total("business_queue_joined_total", "Places taken, in all events.", joined);
    total("business_queue_admitted_total", "Users admitted, at once or from the queue.", admitted);
    total("business_queue_left_total", "Users who left.", left);
}

// What system T's dashboards ask for; "event_id" is the room.
void tacos_metrics(Text& text, Service& service, api::tacos::Figures& figures) {
    using api::tacos::Operation;
    using api::tacos::WaitHistogram;
    std::vector<std::shared_ptr<HostedRoom>> rooms = service.rooms().all();
    std::erase_if(rooms, [](const auto& room) { return !takes(room->profile(), "tacos"); });
    text.family("queue_operations_total", "counter", "Calls of the queue, by how they ended.");
    for (std::size_t i = 0; i < api::tacos::operation_names.size(); ++i)
        for (const bool succeeded : {true, false})
            text.sample(
                "queue_operations_total",
                fmt::format("operation=\"{}\",status=\"{}\"", api::tacos::operation_names[i],
                            succeeded ? "success" : "failure"),
                figures.operations(static_cast<Operation>(i), succeeded));
    std::vector<std::uint32_t> indexes;
    for (const auto& room : rooms) indexes.push_back(room->index());
    const std::vector<WaitHistogram> waits = figures.waits(indexes);
    text.family("queue_wait_time_seconds", "histogram", "How long those who entered had waited.");
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        if (waits[i].count == 0) continue;
        const std::string event = fmt::format("event_id=\"{}\"", rooms[i]->id());
        std::uint64_t sum = 0;
        for (std::size_t bucket = 0; bucket < waits[i].counts.size(); ++bucket) {
            sum += waits[i].counts[bucket];
            const std::string bound = bucket < WaitHistogram::bounds.size()
                                          ? std::to_string(WaitHistogram::bounds[bucket])
                                          : "+Inf";
            text.sample("queue_wait_time_seconds_bucket", fmt::format("{},le=\"{}\"", event, bound),
                        sum);
        }
        text.sample("queue_wait_time_seconds_sum", event, waits[i].sum_seconds);
        text.sample("queue_wait_time_seconds_count", event, waits[i].count);
    }
    text.family("queue_admissions_total", "counter", "Visitors who entered through this process.");
    for (std::size_t i = 0; i < rooms.size(); ++i)
        text.sample("queue_admissions_total", fmt::format("event_id=\"{}\"", rooms[i]->id()),
                    waits[i].count);
    text.family("queue_depth", "gauge", "Visitors who have not entered, ready ones included.");
    for (const auto& room : rooms)
        text.sample("queue_depth", fmt::format("event_id=\"{}\"", room->id()),
                    room->view().waiting() + room->view().called());
    text.family("ratelimit_dropped_total", "counter", "Calls over the limit of their address.");
    text.sample("ratelimit_dropped_total", "key_type=\"ip\"", figures.dropped.load());
    text.family("idempotency_hits_total", "counter", "Calls with an Idempotency-Key.");
    text.sample("idempotency_hits_total", "type=\"hit\"", figures.replayed.load());
    text.sample("idempotency_hits_total", "type=\"miss\"", figures.executed.load());
}

void latency_metrics(Text& text, const std::vector<LoopMetrics>& loops) {
    constexpr std::string_view name = "anteroom_answer_seconds";
    text.family(name, "histogram", "From the parsed request to its answer.");
    std::uint64_t sum = 0;
    double seconds = 0;
    for (std::size_t bucket = 0; bucket <= api::Latency::bounds_seconds.size(); ++bucket) {
        for (const LoopMetrics& loop : loops) sum += loop.latency->count(bucket);
        const std::string bound = bucket < api::Latency::bounds_seconds.size()
                                      ? fmt::format("{}", api::Latency::bounds_seconds[bucket])
                                      : "+Inf";
        text.sample("anteroom_answer_seconds_bucket", fmt::format("le=\"{}\"", bound), sum);
    }
    for (const LoopMetrics& loop : loops)
        seconds += static_cast<double>(loop.latency->sum_ns()) / 1e9;
    text.sample("anteroom_answer_seconds_sum", "", seconds);
    text.sample("anteroom_answer_seconds_count", "", sum);
}

void server_metrics(Text& text, const std::vector<LoopMetrics>& loops) {
    const auto each = [&](std::string_view name, std::string_view type, std::string_view help,
                          auto value) {
        text.family(name, type, help);
        for (std::size_t i = 0; i < loops.size(); ++i)
            text.sample(name, fmt::format("loop=\"{}\"", i), value(loops[i]));
    };
    using M = LoopMetrics;
    each("anteroom_connections", "gauge", "Open connections.",
         [](const M& m) { return m.server->connections.value(); });
    each("anteroom_requests_total", "counter", "Requests.",
         [](const M& m) { return m.server->requests.value(); });
    each("anteroom_refused_requests_total", "counter", "Requests that broke a rule or a limit.",
         [](const M& m) { return m.server->refused_requests.value(); });
    each("anteroom_refused_connections_total", "counter", "Connections refused at the door.",
         [](const M& m) { return m.server->refused_connections.value(); });
    each("anteroom_cut_streams_total", "counter",
         "Event streams cut because their reader was too slow.",
         [](const M& m) { return m.server->cut_streams.value(); });
    each("anteroom_loop_lag_seconds", "gauge", "The longest the loop was busy in the last second.",
         [](const M& m) { return static_cast<double>(m.lag_ms->load()) / 1e3; });
}

void history_metrics(Text& text, const history::Historian& historian) {
    const std::vector<history::SinkStatus> sinks = historian.status();
    const auto label = [](std::size_t i) {
        return fmt::format("sink=\"{}\"", i == 0 ? "file" : "database");
    };
    text.family("anteroom_history_behind_facts", "gauge", "Facts that a history has not got yet.");
    for (std::size_t i = 0; i < sinks.size(); ++i)
        text.sample("anteroom_history_behind_facts", label(i), sinks[i].behind);
    text.family("anteroom_history_failing", "gauge", "1: a history cannot be written now.");
    for (std::size_t i = 0; i < sinks.size(); ++i)
        text.sample("anteroom_history_failing", label(i), sinks[i].failing ? 1 : 0);
}

void ledger_metrics(Text& text, const embedded::LedgerStore& ledger) {
    const embedded::LedgerStore::Counters& counters = ledger.counters();
    text.family("anteroom_ledger_writable", "gauge", "0: commands are refused, the disk is full.");
    text.sample("anteroom_ledger_writable", "", ledger.is_writable() ? 1 : 0);
    text.family("anteroom_ledger_facts_total", "counter", "Facts on disk since the start.");
    text.sample("anteroom_ledger_facts_total", "", counters.facts.load());
    text.family("anteroom_ledger_batches_total", "counter", "Transactions that held them.");
    text.sample("anteroom_ledger_batches_total", "", counters.batches.load());
    text.family("anteroom_ledger_commit_seconds_total", "counter", "Time spent writing them.");
    text.sample("anteroom_ledger_commit_seconds_total", "",
                static_cast<double>(counters.commit_us.load()) / 1e6);
}

void redis_metrics(Text& text, const shared::RedisStore& store) {
    const shared::RedisFigures figures = store.figures();
    const redis::Counters& calls = store.counters();
    const auto one = [&](std::string_view name, std::string_view type, std::string_view help,
                         auto value) {
        text.family(name, type, help);
        text.sample(name, "", value);
    };
    one("anteroom_redis_writable", "gauge", "0: commands are refused, Redis cannot be written.",
        figures.is_writable ? 1 : 0);
    one("anteroom_redis_rooms_written", "gauge", "Rooms that this process writes.",
        figures.rooms_written);
    one("anteroom_redis_rooms_unreplicated", "gauge",
        "Rooms written here whose commands are refused, for want of a replica.",
        figures.rooms_unreplicated);
    one("anteroom_redis_copy_age_seconds", "gauge", "How old the oldest copy of a room is.",
        static_cast<double>(figures.age_ms_max) / 1e3);
    one("anteroom_redis_clock_skew_seconds", "gauge", "How far the clock of Redis is ahead.",
        static_cast<double>(figures.skew_ms) / 1e3);
    one("anteroom_redis_commits_total", "counter", "Entries written by this process.",
        figures.commits);
    one("anteroom_redis_facts_total", "counter", "Facts in them.", figures.facts);
    one("anteroom_redis_asks_total", "counter", "Commands of other processes.", figures.asks);
    one("anteroom_redis_followed_total", "counter", "Entries of other processes.",
        figures.followed);
    one("anteroom_redis_reloads_total", "counter", "Copies that had to be made again.",
        figures.reloads);
    one("anteroom_redis_snapshots_total", "counter", "Rooms written whole.", figures.snapshots);
    one("anteroom_redis_calls_total", "counter", "Calls to Redis.", calls.calls.value());
    one("anteroom_redis_calls_failed_total", "counter", "Calls that Redis did not answer.",
        calls.unreachable.value() + calls.unknown.value() + calls.refused.value());
    one("anteroom_redis_reconnects_total", "counter", "Connections that ended.",
        calls.reconnects.value());
    one("anteroom_redis_redirections_total", "counter", "Calls sent on to another node.",
        calls.redirections.value());
}

} // namespace

// What goes through the gate, in all loops together.
void gate_metrics(Text& text, const std::vector<LoopMetrics>& loops) {
    if (loops.empty() || !loops[0].proxy) return;
    const auto sum = [&](std::string_view name, std::string_view type, std::string_view help,
                         net::Counter gate::ProxyStats::*counter) {
        std::int64_t total = 0;
        for (const LoopMetrics& loop : loops) total += (loop.proxy->*counter).value();
        text.family(name, type, help);
        text.sample(name, "", total);
    };
    using S = gate::ProxyStats;
    sum("anteroom_gate_requests_total", "counter", "Requests passed on.", &S::requests);
    sum("anteroom_gate_under_way", "gauge", "Requests at the origins now.", &S::under_way);
    sum("anteroom_gate_tunnels", "gauge", "Upgraded connections now.", &S::tunnels);
    sum("anteroom_gate_retries_total", "counter", "Requests sent to another origin.", &S::retries);
    sum("anteroom_gate_failures_total", "counter", "Answered with 502, 503 or 504.", &S::failures);
    sum("anteroom_gate_cuts_total", "counter", "Answers that could not be completed.", &S::cuts);
    sum("anteroom_gate_abandoned_total", "counter", "Clients that left first.", &S::abandoned);
}

std::string metrics_text(const MetricSources& sources, const std::vector<LoopMetrics>& loops) {
    Text text;
    text.family("anteroom_build_info", "gauge", "What this is.");
    text.sample("anteroom_build_info",
                fmt::format("version=\"{}\",compiler=\"{}\"", ANTEROOM_VERSION, __VERSION__), 1);
    text.family("process_resident_memory_bytes", "gauge", "Memory in use.");
    text.sample("process_resident_memory_bytes", "", resident_bytes());
    text.family("anteroom_rooms", "gauge", "Rooms.");
    text.sample("anteroom_rooms", "", sources.service.rooms().count());
    room_metrics(text, sources.service);
    if (sources.speaks_urr) urr_metrics(text, sources.service);
    if (sources.tacos) tacos_metrics(text, sources.service, sources.tacos->figures);
    latency_metrics(text, loops);
    server_metrics(text, loops);
    gate_metrics(text, loops);
    if (sources.ledger) ledger_metrics(text, *sources.ledger);
    if (sources.redis) redis_metrics(text, *sources.redis);
    if (sources.historian) history_metrics(text, *sources.historian);
    return text.take();
}

} // namespace anteroom::app
