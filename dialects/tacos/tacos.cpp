#include "dialects/tacos/tacos.h"

#include <algorithm>

#include "base/json_text.h"
#include "desk/json_answer.h"
#include "desk/routes.h"
#include "net/output.h"

namespace anteroom::tacos {
namespace {

using net::compose;
using net::Method;
using net::Status;

constexpr std::string_view api_prefix = "/api/v1/";
constexpr std::uint64_t retry_seconds = 5;

// `path` only where system T has it: in what is said of a path that is not there.
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

struct Tacos::Rule {
    enum class Words : std::uint8_t { queue, health }; // Others have a health, too.
    Route route;
    Method method;
    std::string_view path;
    Words words = Words::queue;
};

// The hot one first.
const Tacos::Rule Tacos::rules[] = {
    {Route::status, Method::get, "/api/v1/queue/status"},
    {Route::enter, Method::post, "/api/v1/queue/enter"},
    {Route::join, Method::post, "/api/v1/queue/join"},
    {Route::leave, Method::del, "/api/v1/queue/leave"},
    {Route::verify, Method::post, "/api/v1/queue/verify"},
    {Route::admin_health, Method::get, "/api/v1/admin/health"},
    {Route::admin_stats, Method::get, "/api/v1/admin/stats"},
    {Route::admin_flush, Method::post, "/api/v1/admin/flush-test-data"},
    {Route::version, Method::get, "/version"},
    {Route::health, Method::get, "/healthz", Rule::Words::health},
    {Route::ready, Method::get, "/readyz", Rule::Words::health},
};

Tacos::Tacos(Desk& desk, Shared& shared)
    : desk_(desk), shared_(shared), parked_(std::make_shared<Parked>(*this)) {}

bool Tacos::owns(std::string_view path) const {
    for (const Rule& rule : rules)
        if (rule.path == path) return rule.words == Rule::Words::queue || options().comes_first;
    return false;
}

// Calls are counted here, so that others who count them leave them alone.
bool Tacos::limits(std::string_view path) const {
    return path.starts_with(api_prefix) && owns(path);
}

bool Tacos::handle(Ask& ask) {
    const Rule* rule = nullptr;
    for (const Rule& candidate : rules)
        if (candidate.path == ask.request.path) rule = &candidate;
    if (!rule || !owns(rule->path)) return false;
    const Method wanted = ask.request.method == Method::head ? Method::get : ask.request.method;
    if (wanted == Method::options) return preflight(ask), true;
    const Limit limit = is_counted(ask, *rule) ? take(ask) : Limit{};
    if (refuse_over(ask, limit)) return true;
    if (rule->method != wanted)
        refuse(ask, limit, errors::wrong_method);
    else
        dispatch(ask, limit, rule->route);
    return true;
}

// One origin verifies for all of its visitors.
bool Tacos::is_counted(const Ask& ask, const Rule& rule) {
    if (!limits(rule.path)) return false;
    if (rule.route != Route::verify) return true;
    return !is_backend(ask.request) && !identify(ask, std::nullopt).is_admin;
}

void Tacos::dispatch(Ask& ask, const Limit& limit, Route route) {
    switch (route) {
        case Route::status: return status(ask, limit);
        case Route::leave: return leave(ask, limit);
        case Route::join:
        case Route::enter:
        case Route::verify: return post(ask, limit, route);
        case Route::admin_health: return admin_health(ask, limit);
        case Route::admin_stats: return admin_stats(ask, limit);
        case Route::admin_flush: return admin_flush(ask, limit);
        case Route::health: return health(ask);
        case Route::ready: return ready(ask);
        case Route::version: return version(ask);
    }
}

bool Tacos::miss(Ask& ask) {
    if (!ask.request.path.starts_with(api_prefix)) return false;
    const Limit limit = take(ask);
    if (refuse_over(ask, limit)) return true;
    net::Answer answer = begin(ask, limit, Status::not_found);
    write_error(answer.body(), errors::no_such_path, ask.request_id.view(), ask.request.path);
    return true;
}

Tacos::Limit Tacos::take(const Ask& ask) {
    if (!shared_.limiter.is_on()) return {};
    const AddressLimiter::Taken taken = shared_.limiter.take(ask.request.client_address(), ask.now);
    return {.left = taken.left,
            .wait_seconds = taken.wait_seconds,
            .resets_at = unix_seconds(ask.now) + 1};
}

bool Tacos::refuse_over(Ask& ask, const Limit& limit) {
    if (limit.wait_seconds <= 0) return false;
    shared_.figures.dropped.fetch_add(1, std::memory_order_relaxed);
    refuse(ask, limit, errors::rate_limited);
    return true;
}

// The gate counts what goes on to the origin. Other systems have paths beside T's there: theirs are
// told apart by T's custom of keys, unless T comes first.
bool Tacos::over_limit(Ask& ask, std::int64_t wait_seconds) {
    const bool is_ours = options().comes_first || ask.request.header("idempotency-key");
    if (!ask.request.path.starts_with(api_prefix) || !is_ours) return false;
    refuse(ask, {.wait_seconds = wait_seconds}, errors::rate_limited);
    return true;
}

namespace {

// What a page of an allowed origin may read, beside the headers that browsers let it read anyway.
constexpr std::string_view exposed_headers =
    "Retry-After, X-Idempotency-Cached, X-RateLimit-Limit, X-RateLimit-Remaining, "
    "X-RateLimit-Reset, X-RateLimit-Window, X-Request-ID";
// What it may send: the original's list, and what its test users and our request ids need.
constexpr std::string_view allowed_headers =
    "Origin, Content-Type, Accept, Authorization, X-Requested-With, Idempotency-Key, X-Trace-Id, "
    "X-Dev-Mode, X-Load-Test, X-Request-ID";

void dress(net::Answer& answer, bool has_origin, std::int64_t per_second, const auto& limit,
           Status status) {
    answer.headers(json_unstored);
    if (has_origin) answer.header("Access-Control-Expose-Headers", exposed_headers);
    if (limit.resets_at > 0) {
        answer.header("X-RateLimit-Limit", static_cast<std::uint64_t>(per_second));
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
}

} // namespace

net::Answer Tacos::begin(Ask& ask, const Limit& limit, Status status) {
    net::Answer answer = desk_.begin(ask, status);
    dress(answer, !desk_.allowed_origin(ask.request).empty(), options().limit_per_second, limit,
          status);
    return answer;
}

void Tacos::refuse(Ask& ask, const Limit& limit, const Error& error) {
    net::Answer answer = begin(ask, limit, error.status);
    if (error.status == Status::method_not_allowed)
        for (const Rule& rule : rules)
            if (rule.path == ask.request.path) answer.header("Allow", anteroom::name(rule.method));
    write_error(answer.body(), error, ask.request_id.view());
}

Tacos::PendingCall Tacos::defer(Ask& ask, const Limit& limit, Operation operation) {
    return {.later = desk_.defer(ask), .limit = limit, .operation = operation, .lock = {}};
}

void Tacos::write(PendingCall& call, Status status, std::string_view body, bool replayed) {
    const bool has_origin = !call.later.origin.empty();
    net::Answer answer = desk_.begin(call.later, status);
    dress(answer, has_origin, options().limit_per_second, call.limit, status);
    if (replayed) answer.header("X-Idempotency-Cached", "true");
    net::append(answer.body(), body);
}

void Tacos::answer(PendingCall& call, Status status, std::string_view body) {
    shared_.figures.note(call.operation, net::code(status) < 400);
    if (call.lock) {
        call.lock->answer(status, body, service().clock().now());
        call.lock.reset();
    }
    write(call, status, body, false);
}

void Tacos::refuse(PendingCall& call, const Error& error) {
    net::Output body;
    write_error(body, error, call.later.request_id.view());
    answer(call, error.status, {body.data(), body.size()});
}

void Tacos::preflight(Ask& ask) {
    net::Answer answer = desk_.begin(ask, Status::no_content);
    if (!desk_.allowed_origin(ask.request).empty()) {
        answer.header("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS");
        answer.header("Access-Control-Allow-Headers", allowed_headers);
        answer.header("Access-Control-Max-Age", "3600");
    }
    answer.send();
}

} // namespace anteroom::tacos
