#include "dialects/hhplus/dialect.h"

#include "dialects/hhplus/hhplus.h"
#include "dialects/hhplus/plan.h"
#include "dialects/hhplus/settings.h"

namespace anteroom::hhplus {
namespace {

class HhplusDialect final : public Dialect {
  public:
    explicit HhplusDialect(const Options& options) : options_(options) {}

    std::string_view name() const override { return "hhplus"; }
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

std::shared_ptr<Dialect> open(const Options& options) {
    return std::make_shared<HhplusDialect>(options);
}

const DialectInfo& info() {
    static const DialectInfo all{
        .name = "hhplus",
        .system = "H",
        .meaning = "System H, a concert hall's queue.",
        .settings = settings(),
        .original_names = original_names(),
        .foreign_names = foreign_names(),

        .plans = plans(),
        .open = [](const DialectSettings& values, const DialectSurroundings& surroundings) {
            return open(read_options(values, surroundings));
        }};
    return all;
}

} // namespace anteroom::hhplus
