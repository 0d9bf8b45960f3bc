#include "api/api.h"

#include <fmt/format.h>

#include "base/json_text.h"

namespace anteroom::api {
namespace {

std::vector<std::unique_ptr<DialectRoutes>> open_dialects(const DeskShared& shared, Desk& desk,
                                                          Hub& hub) {
    std::vector<std::unique_ptr<DialectRoutes>> open;
    for (const std::shared_ptr<Dialect>& dialect : shared.dialects)
        open.push_back(dialect->open_routes(desk, hub));
    return open;
}

} // namespace

Api::Api(DeskShared& shared, std::size_t slot, net::Loop& loop, std::unique_ptr<Office> office)
    : shared_(shared),
      service_(shared.service),
      desk_(shared, loop, std::move(office)),
      dialects_(open_dialects(shared, desk_, shared.service.hub(slot))),
      native_(desk_, shared.service.hub(slot), dialects_) {}

Result<void> Api::open(GateShared& gate) {
    Result<std::unique_ptr<GateKeeper>> keeper = GateKeeper::open(desk_, gate, dialects_);
    if (!keeper) return keeper.fault();
    gate_ = *std::move(keeper);
    native_.set_gate(gate_.get());
    // Dialects first: the one that comes first may have a path that is native otherwise.
    for (const std::unique_ptr<DialectRoutes>& dialect : dialects_) dialect->add_routes(router_);
    native_.add_routes(router_);
    return {};
}

void Api::handle(const net::Request& request, net::Exchange& exchange) {
    const std::int64_t begin_ns = Clock::monotonic_ns();
    Call call = desk_.open(request, exchange, service_.clock().at(begin_ns));
    // A body that streams is for the origin: streams_body() has found that nobody has the path.
    answer(call, request.body_streams ? RouteMatch{} : router_.match(request.method, request.path));
    latency_.note(Clock::monotonic_ns() - begin_ns);
}

// Bodies for the origin go on as they come, unless a rule reads them; our own are short.
bool Api::streams_body(const net::Request& request) {
    if (!gate_->has_origin() || router_.match(request.method, request.path).owner) return false;
    return gate_->streams_body(request);
}

void Api::answer(Call& call, const RouteMatch& match) {
    const net::Request& request = call.request();
    if (match.owner) call.set_login(match.owner->login());
    const bool is_native_api = request.path.starts_with("/v1/");
    if (!is_native_api && refuse_over_limit(call, dialect_of(match.owner))) return;
    if (match.route) {
        call.set_parameters(match.parameters);
        return match.route->handler(call);
    }
    if (match.owner && request.method == net::Method::options) return preflight(call, *match.owner);
    if (match.owner) return match.owner->refuse_method(call, list_of(match.methods));
    if (gate_->has_origin()) return gate_->handle(call);
    refuse_path(call);
}

void Api::preflight(Call& call, const Adapter& owner) {
    const CrossOrigin allowed = owner.cross_origin(call.request().path);
    const bool may_call = !call.origin().empty();
    if (!may_call && allowed.refuses_strangers)
        return native_.refuse(call, Code::forbidden, "this origin is not allowed");
    net::Answer answer = call.begin(net::Status::no_content);
    if (may_call) {
        answer.header("Access-Control-Allow-Methods", allowed.methods);
        answer.header("Access-Control-Allow-Headers", allowed.headers);
        answer.header("Access-Control-Max-Age", "3600");
    }
    answer.send();
}

// Null: the path is native, or nobody's.
DialectRoutes* Api::dialect_of(const Adapter* owner) const {
    for (const std::unique_ptr<DialectRoutes>& dialect : dialects_)
        if (dialect.get() == owner) return dialect.get();
    return nullptr;
}

bool Api::refuse_over_limit(Call& call, const DialectRoutes* owner) {
    if (owner && owner->counts_calls(call.request().path)) return false;
    const std::int64_t wait = gate_->limit_wait(call, [&] { return user_of(call, owner); });
    if (wait == 0) return false;
    // The owning dialect writes the 429; without an owner any that knows the request, or the gate.
    for (const std::unique_ptr<DialectRoutes>& dialect : dialects_) {
        const bool owns = dialect.get() == owner;
        if ((!owner || owns) && dialect->over_limit(call, owns, wait)) return true;
    }
    gate_->refuse_call(call, wait);
    return true;
}

std::string Api::user_of(Call& call, const DialectRoutes* owner) {
    for (const std::unique_ptr<DialectRoutes>& dialect : dialects_)
        if (std::string user = dialect->user_of(call, dialect.get() == owner); !user.empty())
            return user;
    return call.caller().user;
}

void Api::refuse_path(Call& call) {
    DialectRoutes* owner = nullptr;
    std::size_t longest = 0;
    for (const std::unique_ptr<DialectRoutes>& dialect : dialects_)
        for (const std::string_view prefix : dialect->prefixes())
            if (prefix.size() >= longest && call.request().path.starts_with(prefix)) {
                longest = prefix.size();
                owner = dialect.get();
            }
    if (owner) return owner->refuse_path(call);
    native_.refuse(call, Code::not_found);
}

// What the edge refused by itself: too long, too slow, not HTTP.
void Api::refused(const net::Refusal& refusal, net::Answer& answer) {
    const RequestId request_id = desk_.next_request_id();
    const bool ours = refusal.status == net::Status::unavailable;
    answer.header("X-Request-ID", request_id.view());
    answer.header("Content-Type", "application/problem+json");
    net::Output& out = answer.body();
    fmt::format_to(fmt::appender(out),
                   R"({{"type":"about:blank","title":"{}","status":{},"code":"{}","detail":)",
                   net::phrase(refusal.status), net::code(refusal.status),
                   ours ? "unavailable" : "bad_request");
    append_json_string(out, refusal.reason);
    fmt::format_to(fmt::appender(out), R"(,"request_id":"{}"}})", request_id.view());
}

} // namespace anteroom::api
