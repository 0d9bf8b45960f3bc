#include "dialects/portal/dialect.h"

#include "dialects/portal/history_views.h"
#include "dialects/portal/plan.h"
#include "dialects/portal/portal.h"
#include "dialects/portal/queue_id.h"
#include "dialects/portal/settings.h"

namespace anteroom::portal {
namespace {

class PortalDialect final : public Dialect {
  public:
    explicit PortalDialect(const Options& options) : options_(options) {}

    std::string_view name() const override { return "portal"; }
    std::unique_ptr<DialectRoutes> open_routes(Desk& desk, Hub& hub) override {
        return std::make_unique<Portal>(desk, hub, options_);
    }
    // Queues are made by their activation only.
    void add_rooms(ServiceOptions& service) const override {
        service.is_reserved = [others = std::move(service.is_reserved)](std::string_view id) {
            return is_queue_id(id) || (others && others(id));
        };
    }
    std::optional<token::AccessRules> login() const override { return login_rules(options_); }

  private:
    const Options options_;
};

} // namespace

std::shared_ptr<Dialect> open(const Options& options) {
    return std::make_shared<PortalDialect>(options);
}

const DialectInfo& info() {
    static const DialectInfo all{
        .name = "portal",
        .system = "P",
        .meaning = "System P, a shop's queue.",
        .settings = settings(),
        .original_names = original_names(),
        .foreign_names = foreign_names(),
        .plans = plans(),
        .history = &history_views(),
        .open = [](const DialectSettings& values, const DialectSurroundings& surroundings) {
            return open(read_options(values, surroundings));
        }};
    return all;
}

} // namespace anteroom::portal
