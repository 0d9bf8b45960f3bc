#include "dialects/urr/dialect.h"

#include "dialects/urr/metric_families.h"
#include "dialects/urr/plan.h"
#include "dialects/urr/settings.h"
#include "dialects/urr/urr.h"

namespace anteroom::urr {
namespace {

// What system U's dashboards ask for, over all events.
void write_figures(MetricText& text, Service& service) {
    std::uint64_t joined = 0, admitted = 0, left = 0;
    for (const std::shared_ptr<HostedRoom>& room : service.rooms().all()) {
        joined += room->counters().joined.load();
        admitted += room->counters().called.load();
        left += room->counters().left.load();
    }
    const auto total = [&](const MetricFamily& family, std::uint64_t value) {
        text.single(family, value);
    };
    total(metric("business_queue_joined_total"), joined);
    total(metric("business_queue_admitted_total"), admitted);
    total(metric("business_queue_left_total"), left);
}

class UrrDialect final : public Dialect {
  public:
    explicit UrrDialect(const Options& options) : options_(options) {}

    std::string_view name() const override { return "urr"; }
    std::unique_ptr<DialectRoutes> open_routes(Desk& desk, Hub&) override {
        return std::make_unique<Urr>(desk, options_);
    }
    // Where tier 1 is on, visitors first wait in the outer line.
    std::string page_of(const HostedRoom& room) const override {
        return room.view().outer().active() ? "/vwr/" + room.id() : std::string();
    }

    void write_metrics(MetricText& text, Service& service) override {
        write_figures(text, service);
    }

  private:
    const Options options_;
};

} // namespace

std::shared_ptr<Dialect> open(const Options& options) {
    return std::make_shared<UrrDialect>(options);
}

const DialectInfo& info() {
    static const DialectInfo all{
        .name = "urr",
        .system = "U",
        .meaning = "System U, a two-tier waiting room.",
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

} // namespace anteroom::urr
