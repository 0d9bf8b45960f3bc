#include "tests/fifth_dialect/bell.h"

#include <fmt/format.h>

#include <array>
#include <atomic>

namespace anteroom::bell {
namespace {

using net::Method;
using net::Status;

constexpr std::uint32_t ticket_generation = 0x0b31; // Tells bells from other systems' tickets.

constexpr std::array metric_families{MetricFamily{"bell_rings_total", MetricType::counter, "",
                                                  "dialect `bell`", "Bells that were drawn."}};
constexpr DialectSetting settings[]{
    {"greeting", std::string_view("ding"), "text", "What a visitor hears when it is their turn."}};
constexpr OriginalName original_names[]{{"BELL_GREETING", "bell", "greeting"}};
constexpr plan::System plans[]{
    {.name = "bell", .poll_after_seconds = [](std::uint64_t) { return std::int64_t{7}; }}};

void say(Call& call, Status status, std::string_view text) {
    net::Answer answer = call.begin(status);
    answer.header("Content-Type", "text/plain");
    net::append(answer.body(), text);
}

class BellRoutes final : public DialectRoutes {
  public:
    BellRoutes(Desk& desk, std::string greeting, std::atomic<std::uint64_t>& rings)
        : desk_(desk), greeting_(std::move(greeting)), rings_(rings) {}

    void add_routes(Router& router) override {
        router.add(*this, Method::post, "/bell/{room}", [this](Call& call) { draw(call); });
        router.add(*this, Method::get, "/bell/{room}/{bell}", [this](Call& call) { hear(call); });
    }
    CrossOrigin cross_origin(std::string_view) const override { return {.methods = "GET, POST"}; }
    void refuse_method(Call& call, std::string_view allowed) override {
        say(call, Status::method_not_allowed, allowed);
    }
    std::span<const std::string_view> prefixes() const override { return own_prefixes; }
    void refuse_path(Call& call) override { say(call, Status::not_found, "no such bell"); }

  private:
    static constexpr std::array<std::string_view, 1> own_prefixes{"/bell/"};

    void draw(Call& call) {
        const std::optional<Visitor> visitor = desk_.name_visitor(call, call.caller().user);
        const std::shared_ptr<HostedRoom> room = desk_.service().find_or_make(call.parameter(0));
        if (!visitor || !room) return say(call, Status::not_found, "no such room");
        desk_.submit(call, *room, Join{.visitor = visitor->key},
                     [this, &room = *room](Call& asked, const Outcome& outcome) {
                         const auto* standing = std::get_if<Standing>(&outcome);
                         if (!standing) return say(asked, Status::unavailable, "later");
                         ++rings_;
                         const auto bell =
                             desk_.office().tickets.mint_uuid({.kind = token::TicketKind::inner,
                                                               .room = room.index(),
                                                               .generation = ticket_generation,
                                                               .number = standing->number});
                         say(asked, Status::created, bell->view());
                     });
    }

    void hear(Call& call) {
        const PlaceSight place = desk_.place_of(
            call.parameter(1),
            {.kind = token::TicketKind::inner, .room = {}, .generation = ticket_generation},
            call.unix_now());
        if (std::holds_alternative<NotHeard>(place)) return say(call, Status::unavailable, "later");
        if (std::holds_alternative<NoVisit>(place)) return refuse_path(call);
        desk_.stand(call, std::get<VisitPlace>(place), [this](Call& asked, const Sight& sight) {
            const auto* stands = std::get_if<Stands>(&sight);
            if (!stands) return say(asked, Status::unavailable, "later");
            if (is_inside(stands->standing.state)) return say(asked, Status::ok, greeting_);
            say(asked, Status::ok, fmt::format("{} before you", stands->standing.ahead));
        });
    }

    Desk& desk_;
    const std::string greeting_;
    std::atomic<std::uint64_t>& rings_;
};

class Bell final : public Dialect {
  public:
    explicit Bell(std::string greeting) : greeting_(std::move(greeting)) {}

    std::string_view name() const override { return info().name; }
    std::unique_ptr<DialectRoutes> open_routes(Desk& desk, Hub&) override {
        return std::make_unique<BellRoutes>(desk, greeting_, rings_);
    }
    void write_metrics(MetricText& text, Service&) override {
        text.single(find_metric(metric_families, "bell_rings_total"), rings_.load());
    }

  private:
    const std::string greeting_;
    std::atomic<std::uint64_t> rings_{0};
};

} // namespace

const DialectInfo& info() {
    static const DialectInfo all{
        .name = "bell",
        .system = "B",
        .meaning = "A bell.",
        .settings = settings,
        .original_names = original_names,
        .metrics = metric_families,
        .plans = plans,
        .open = [](const DialectSettings& values,
                   const DialectSurroundings&) -> std::shared_ptr<Dialect> {
            return std::make_shared<Bell>(values.text("greeting"));
        }};
    return all;
}

} // namespace anteroom::bell
