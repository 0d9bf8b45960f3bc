#include "dialects/tacos/tacos.h"

#include <algorithm>
#include <array>

#include "base/json_text.h"
#include "desk/json_answer.h"
#include "net/output.h"

namespace anteroom::tacos {
namespace {

using net::compose;
using net::Method;
using net::Status;

constexpr std::string_view api_prefix = "/api/v1/";
constexpr std::string_view verify_path = "/api/v1/queue/verify";
// System U has paths below the second one, too.
constexpr std::array<std::string_view, 2> own_prefixes{api_prefix, "/api/v1/queue/"};
constexpr std::uint64_t retry_seconds = 5;

// What a page of an allowed origin may read, beside the headers that browsers let it read anyway.
constexpr std::string_view exposed_headers =
    "Retry-After, X-Idempotency-Cached, X-RateLimit-Limit, X-RateLimit-Remaining, "
    "X-RateLimit-Reset, X-RateLimit-Window, X-Request-ID";
// What it may send: the original's list, and what its test users and our request ids need.
constexpr std::string_view allowed_headers =
    "Origin, Content-Type, Accept, Authorization, X-Requested-With, Idempotency-Key, X-Trace-Id, "
    "X-Dev-Mode, X-Load-Test, X-Request-ID";

// `path` only where system T has it: in the error of a path without a route.
void write_error(net::Output& out, const Error& error, std::string_view trace_id,
                 std::string_view path = {}) {
    compose(out, R"({"error":{"code":")", error.code, R"(","message":")", error.message, R"(",)");
    if (!path.empty()) {
        compose(out, R"("path":)");
        append_json_string(out, path);
        compose(out, ",");
    }
    compose(out, R"("trace_id":")", trace_id, R"("}})");
}

} // namespace

Tacos::Tacos(Desk& desk, Shared& shared)
    : desk_(desk), shared_(shared), parked_(std::make_shared<ParkedCalls>(*this)) {}

void Tacos::add_routes(Router& router) {
    using Handler = void (Tacos::*)(Call&, const Limit&);
    const auto add = [&](Method method, std::string_view path, Handler handler) {
        router.add(*this, method, path, [this, handler](Call& call) {
            const Limit limit = count(call);
            if (!refuse_over(call, limit)) (this->*handler)(call, limit);
        });
    };
    const auto add_post = [&](std::string_view path, Operation operation, PostHandler handler) {
        router.add(*this, Method::post, path, [this, operation, handler](Call& call) {
            const Limit limit = count(call);
            if (!refuse_over(call, limit)) post(call, limit, operation, handler);
        });
    };
    add(Method::get, "/api/v1/queue/status", &Tacos::status);
    add_post("/api/v1/queue/enter", Operation::enter, &Tacos::enter);
    add_post("/api/v1/queue/join", Operation::join, &Tacos::join);
    add(Method::del, "/api/v1/queue/leave", &Tacos::leave);
    add_post(verify_path, Operation::verify, &Tacos::verify);
    add(Method::get, "/api/v1/admin/health", &Tacos::admin_health);
    add(Method::get, "/api/v1/admin/stats", &Tacos::admin_stats);
    add(Method::post, "/api/v1/admin/flush-test-data", &Tacos::admin_flush);
    add(Method::get, "/version", &Tacos::version);
    if (!options().comes_first) return; // Other systems have a health, too.
    add(Method::get, "/healthz", &Tacos::health);
    add(Method::get, "/readyz", &Tacos::ready);
}

CrossOrigin Tacos::cross_origin(std::string_view) const {
    return {.methods = "GET, POST, DELETE, OPTIONS", .headers = allowed_headers};
}

void Tacos::refuse_method(Call& call, std::string_view allowed) {
    const Limit limit = count(call);
    if (refuse_over(call, limit)) return;
    net::Answer answer = begin(call, limit, Status::method_not_allowed);
    answer.header("Allow", allowed);
    write_error(answer.body(), errors::wrong_method, call.request_id().view());
}

std::span<const std::string_view> Tacos::prefixes() const {
    return own_prefixes;
}

void Tacos::refuse_path(Call& call) {
    const Limit limit = take(call);
    if (refuse_over(call, limit)) return;
    net::Answer answer = begin(call, limit, Status::not_found);
    write_error(answer.body(), errors::no_such_path, call.request_id().view(), call.request().path);
}

bool Tacos::counts_calls(std::string_view path) const {
    return path.starts_with(api_prefix);
}

Tacos::Limit Tacos::take(const Call& call) {
    if (!shared_.limiter.is_on()) return {};
    const AddressLimiter::Taken taken =
        shared_.limiter.take(call.request().client_address(), call.now());
    return {.left = taken.left,
            .wait_seconds = taken.wait_seconds,
            .resets_at = unix_seconds(call.now()) + 1};
}

// One origin verifies for all of its visitors.
Tacos::Limit Tacos::count(Call& call) {
    const net::Request& request = call.request();
    if (!counts_calls(request.path)) return {};
    const bool is_verify = request.path == verify_path;
    if (is_verify && (is_backend(request) || identify(call).is_admin)) return {};
    return take(call);
}

bool Tacos::refuse_over(Call& call, const Limit& limit) {
    if (limit.wait_seconds <= 0) return false;
    shared_.figures.dropped.fetch_add(1, std::memory_order_relaxed);
    refuse(call, limit, errors::rate_limited);
    return true;
}

// The gate counts calls that go on to the origin. Other systems have paths beside T's there: T's
// clients are told apart by their Idempotency-Key, unless T comes first.
bool Tacos::over_limit(Call& call, bool, std::int64_t wait_seconds) {
    const net::Request& request = call.request();
    const bool is_ours = options().comes_first || request.header("idempotency-key");
    if (!request.path.starts_with(api_prefix) || !is_ours) return false;
    refuse(call, {.wait_seconds = wait_seconds}, errors::rate_limited);
    return true;
}

net::Answer Tacos::begin(Call& call, const Limit& limit, Status status) {
    net::Answer answer = call.begin(status);
    answer.headers(json_unstored);
    if (!call.origin().empty()) answer.header("Access-Control-Expose-Headers", exposed_headers);
    if (limit.resets_at > 0) {
        answer.header("X-RateLimit-Limit", static_cast<std::uint64_t>(options().limit_per_second));
        answer.header("X-RateLimit-Remaining", static_cast<std::uint64_t>(limit.left));
        answer.header("X-RateLimit-Reset", static_cast<std::uint64_t>(limit.resets_at));
        answer.header("X-RateLimit-Window", "1s");
    }
    const auto wait = static_cast<std::uint64_t>(std::max<std::int64_t>(1, limit.wait_seconds));
    if (status == Status::unavailable)
        answer.header("Retry-After", retry_seconds);
    else if (status == Status::too_many_requests || (limit.resets_at > 0 && limit.left <= 0))
        answer.header("Retry-After", wait);
    if (status == Status::unauthorized) answer.header("WWW-Authenticate", "Bearer");
    return answer;
}

void Tacos::refuse(Call& call, const Limit& limit, const Error& error) {
    net::Answer answer = begin(call, limit, error.status);
    write_error(answer.body(), error, call.request_id().view());
}

void Tacos::write(PendingCall& pending, Status status, std::string_view body, bool is_replayed) {
    net::Answer answer = begin(pending.call, pending.limit, status);
    if (is_replayed) answer.header("X-Idempotency-Cached", "true");
    net::append(answer.body(), body);
}

void Tacos::answer(PendingCall& pending, Status status, std::string_view body) {
    shared_.figures.note(pending.operation, net::code(status) < 400);
    if (pending.lock) {
        pending.lock->answer(status, body, service().clock().now());
        pending.lock.reset();
    }
    write(pending, status, body, false);
}

void Tacos::refuse(PendingCall& pending, const Error& error) {
    net::Output body;
    write_error(body, error, pending.call.request_id().view());
    answer(pending, error.status, {body.data(), body.size()});
}

} // namespace anteroom::tacos
