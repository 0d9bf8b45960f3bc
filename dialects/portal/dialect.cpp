#include "dialects/portal/dialect.h"

#include "dialects/portal/portal.h"
#include "dialects/portal/queue_id.h"

namespace anteroom::portal {
namespace {

class PortalDialect final : public Dialect {
  public:
    explicit PortalDialect(const Options& options) : options_(options) {}

    std::string_view name() const override { return info.name; }
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

constinit const DialectInfo info{.name = "portal", .system = "P"};

std::shared_ptr<Dialect> open(const Options& options) {
    return std::make_shared<PortalDialect>(options);
}

} // namespace anteroom::portal
