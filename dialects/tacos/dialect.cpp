#include "dialects/tacos/dialect.h"

#include "dialects/tacos/metric_families.h"
#include "dialects/tacos/plan.h"
#include "dialects/tacos/settings.h"
#include "dialects/tacos/tacos.h"

namespace anteroom::tacos {
namespace {

// What system T's dashboards ask for; "event_id" is the room.
void write_figures(MetricText& text, Service& service, Figures& figures) {
    std::vector<std::shared_ptr<HostedRoom>> rooms = service.rooms().all();
    std::erase_if(rooms, [](const auto& room) { return !takes(room->profile(), "tacos"); });
    text.family(metric("queue_operations_total"));
    for (std::size_t i = 0; i < operation_names.size(); ++i)
        for (const bool succeeded : {true, false})
            text.sample(metric("queue_operations_total"),
                        fmt::format("operation=\"{}\",status=\"{}\"", operation_names[i],
                                    succeeded ? "success" : "failure"),
                        figures.operations(static_cast<Operation>(i), succeeded));
    std::vector<std::uint32_t> indexes;
    indexes.reserve(rooms.size());
    for (const auto& room : rooms) indexes.push_back(room->index());
    const std::vector<WaitHistogram> waits = figures.waits(indexes);
    text.family(metric("queue_wait_time_seconds"));
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        if (waits[i].count == 0) continue;
        const std::string event = fmt::format("event_id=\"{}\"", rooms[i]->id());
        std::uint64_t sum = 0;
        for (std::size_t bucket = 0; bucket < waits[i].counts.size(); ++bucket) {
            sum += waits[i].counts[bucket];
            const std::string bound = bucket < WaitHistogram::bounds.size()
                                          ? std::to_string(WaitHistogram::bounds[bucket])
                                          : "+Inf";
            text.part(metric("queue_wait_time_seconds"), "_bucket",
                      fmt::format("{},le=\"{}\"", event, bound), sum);
        }
        text.part(metric("queue_wait_time_seconds"), "_sum", event, waits[i].sum_seconds);
        text.part(metric("queue_wait_time_seconds"), "_count", event, waits[i].count);
    }
    text.family(metric("queue_admissions_total"));
    for (std::size_t i = 0; i < rooms.size(); ++i)
        text.sample(metric("queue_admissions_total"),
                    fmt::format("event_id=\"{}\"", rooms[i]->id()), waits[i].count);
    text.family(metric("queue_depth"));
    for (const auto& room : rooms)
        text.sample(metric("queue_depth"), fmt::format("event_id=\"{}\"", room->id()),
                    room->view().waiting() + room->view().called());
    text.family(metric("ratelimit_dropped_total"));
    text.sample(metric("ratelimit_dropped_total"), "key_type=\"ip\"", figures.dropped.load());
    text.family(metric("idempotency_hits_total"));
    text.sample(metric("idempotency_hits_total"), "type=\"hit\"", figures.replayed.load());
    text.sample(metric("idempotency_hits_total"), "type=\"miss\"", figures.executed.load());
}

class TacosDialect final : public Dialect {
  public:
    explicit TacosDialect(const Options& options) : shared_(options) {}

    std::string_view name() const override { return "tacos"; }
    std::unique_ptr<DialectRoutes> open_routes(Desk& desk, Hub&) override {
        return std::make_unique<Tacos>(desk, shared_);
    }
    std::optional<token::AccessRules> login() const override {
        return login_rules(shared_.options);
    }

    void write_metrics(MetricText& text, Service& service) override {
        write_figures(text, service, shared_.figures);
    }
    Shared& shared() { return shared_; }

  private:
    Shared shared_;
};

} // namespace

std::shared_ptr<Dialect> open(const Options& options) {
    return std::make_shared<TacosDialect>(options);
}

const DialectInfo& info() {
    static const DialectInfo all{
        .name = "tacos",
        .system = "T",
        .meaning = "System T, a token queue. Rooms that exist keep their settings.",
        .settings = settings(),
        .original_names = original_names(),
        .foreign_names = foreign_names(),
        .metrics = metric_families,
        .plans = plans(),
        .open = [](const DialectSettings& values, const DialectSurroundings& surroundings) {
            return open(read_options(values, surroundings));
        }};
    return all;
}

Shared& shared_of(Dialect& dialect) {
    CHECK(dialect.name() == info().name);
    return static_cast<TacosDialect&>(dialect).shared();
}

} // namespace anteroom::tacos
