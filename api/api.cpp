#include "api/api.h"

#include <fmt/format.h>

#include <algorithm>

#include "desk/dialect.h"
#include "desk/page.h"
#include "net/url.h"

namespace anteroom::api {

Api::Api(ApiShared& shared, std::size_t slot, net::Loop& loop, std::unique_ptr<Office> office)
    : shared_(shared),
      service_(shared.service),
      hub_(shared.service.hub(slot)),
      loop_(loop),
      desk_(shared, loop, std::move(office)) {
    for (const std::shared_ptr<Dialect>& dialect : shared.dialects)
        dialects_.push_back(dialect->open_routes(desk_, hub_));
    hub_.set_writer([this](const HostedRoom& room, Number number, std::string& out) {
        fmt::memory_buffer text;
        const VisitorState told =
            write_standing(text, room, number, ticket_of(room, number).view());
        out.append(text.data(), text.size());
        return told;
    });
}

Result<void> Api::open_gate(GateShared& shared) {
    Result<std::unique_ptr<GateKeeper>> gate = GateKeeper::open(desk_, shared, dialects_);
    if (!gate) return gate.fault();
    gate_ = *std::move(gate);
    return {};
}

void Api::handle(const net::Request& request, net::Exchange& exchange) {
    const std::int64_t begin_ns = Clock::monotonic_ns();
    route(request, exchange, service_.clock().at(begin_ns));
    latency_.note(Clock::monotonic_ns() - begin_ns);
}

// Bodies for the origin go on as they come, unless a rule reads them; our own are short.
bool Api::streams_body(const net::Request& request) {
    if (!gate_ || !gate_->has_origin() || find_route(request).path_exists) return false;
    for (const std::unique_ptr<DialectRoutes>& dialect : dialects_)
        if (dialect->owns(request.path)) return false;
    return !gate_->wants_body(request);
}

void Api::route(const net::Request& request, net::Exchange& exchange, Instant now) {
    Ask ask = desk_.open(request, exchange, now);
    const bool is_native = request.path.starts_with("/v1/");
    if (!is_native && gate_ && !is_limited_by_dialect(request.path))
        if (const std::int64_t wait = gate_->limit_wait(ask, [&] { return user_of(ask); });
            wait > 0)
            return over_limit(ask, wait);
    for (const std::unique_ptr<DialectRoutes>& dialect : dialects_)
        if (!is_native && dialect->handle(ask)) return;
    const RouteMatch matched = find_route(request);
    if (!matched.rule) {
        if (!matched.path_exists && gate_ && gate_->has_origin()) return gate_->handle(ask);
        if (!matched.path_exists) return miss(ask);
        if (request.method == net::Method::options) return preflight(ask);
        return refuse(ask, Code::method_not_allowed);
    }
    // Ids need no escapes, but a client may write them so: %2D is a hyphen.
    std::string decoded;
    ask.room_id = matched.parameters[0];
    ask.action = matched.parameters[1];
    if (ask.room_id.find('%') != ask.room_id.npos) {
        decoded = net::percent_decode(ask.room_id).value_or("");
        ask.room_id = decoded;
    }
    const bool has_room = !matched.parameters[0].empty();
    if (has_room && !is_room_id(ask.room_id))
        return refuse(ask, Code::bad_request, "a room id is 1 to 128 of A-Z a-z 0-9 . _ : ~ -");
    dispatch(ask, *matched.rule);
}

// The front page and the icon are the site's where one stands behind the gate.
RouteMatch Api::find_route(const net::Request& request) const {
    const bool is_sites =
        gate_ && gate_->has_origin() && (request.path == "/" || request.path == "/favicon.ico");
    return is_sites ? RouteMatch{} : match(request.method, request.path);
}

bool Api::is_limited_by_dialect(std::string_view path) const {
    return std::ranges::any_of(dialects_, [&](const auto& one) { return one->limits(path); });
}

std::string Api::user_of(const Ask& ask) {
    for (const std::unique_ptr<DialectRoutes>& dialect : dialects_)
        if (std::string user = dialect->user_of(ask); !user.empty()) return user;
    return desk_.identify(ask).user;
}

void Api::over_limit(Ask& ask, std::int64_t wait_seconds) {
    // Whose path it is says so, or nobody but the gate.
    const auto owner = std::ranges::find_if(
        dialects_, [&](const auto& one) { return one->owns(ask.request.path); });
    for (const std::unique_ptr<DialectRoutes>& dialect : dialects_)
        if ((owner == dialects_.end() || *owner == dialect) &&
            dialect->over_limit(ask, wait_seconds))
            return;
    gate_->refuse_call(ask, wait_seconds);
}

void Api::miss(Ask& ask) {
    for (const std::unique_ptr<DialectRoutes>& dialect : dialects_)
        if (dialect->miss(ask)) return;
    refuse(ask, Code::not_found);
}

bool Api::may_enter(Ask& ask, Access access, Caller& caller) {
    if (access == Access::everybody) return true;
    caller = desk_.identify(ask);
    if (caller.is_admin) return true;
    if (access == Access::insider && caller.is_backend) return true;
    const bool known = !caller.user.empty();
    refuse(ask, known ? Code::forbidden : Code::unauthorized,
           known ? "this needs the admin role" : "this needs the admin token");
    return false;
}

void Api::dispatch(Ask& ask, const RouteRule& rule) {
    Caller caller;
    if (!may_enter(ask, rule.access, caller)) return;
    switch (rule.route) {
        case Route::look: return look(ask);
        case Route::pulse: return pulse(ask);
        case Route::join: return join(ask);
        case Route::claim: return claim(ask);
        case Route::finish: return finish(ask);
        case Route::leave: return leave(ask);
        case Route::room: return room(ask);
        case Route::events: return events(ask);
        case Route::verify: return verify(ask);
        case Route::redeem: return redeem(ask);
        case Route::edge_active: return edge_active(ask);
        case Route::admin_rooms: return admin_rooms(ask);
        case Route::admin_room: return admin_room(ask);
        case Route::admin_put_room: return admin_put_room(ask, caller);
        case Route::admin_delete_room: return admin_delete_room(ask, caller);
        case Route::admin_operate: return admin_operate(ask, caller);
        case Route::admin_visitors: return admin_visitors(ask);
        case Route::admin_audit: return admin_audit(ask);
        case Route::health: return health(ask);
        case Route::ready: return ready(ask);
        case Route::metrics: return metrics(ask);
        case Route::openapi: return openapi(ask);
        case Route::wait_page: return wait_page(ask);
        case Route::wait_timer: return answer_timer(desk_, ask);
        case Route::wait_leave: return wait_leave(ask);
        case Route::demo_target: return demo_target(ask);
        case Route::front_page: return front_page(ask);
        case Route::favicon: return favicon(ask);
    }
}

} // namespace anteroom::api
