#include "dialects/hhplus/dialect.h"

#include "dialects/hhplus/hhplus.h"

namespace anteroom::hhplus {
namespace {

class HhplusDialect final : public Dialect {
  public:
    explicit HhplusDialect(const Options& options) : options_(options) {}

    std::string_view name() const override { return info.name; }
    std::unique_ptr<DialectRoutes> open_routes(Desk& desk, Hub&) override {
        return std::make_unique<Hhplus>(desk, options_);
    }
    // There is one queue.
    void add_rooms(ServiceOptions& service) const override {
        service.named.emplace(options_.room, options_.settings);
    }

  private:
    const Options options_;
};

} // namespace

constinit const DialectInfo info{.name = "hhplus", .system = "H"};

std::shared_ptr<Dialect> open(const Options& options) {
    return std::make_shared<HhplusDialect>(options);
}

} // namespace anteroom::hhplus
