#include "api/gate_keeper.h"

#include <fmt/format.h>

#include "api/room_witness.h"
#include "base/json_text.h"
#include "desk/page.h"
#include "gate/path.h"

namespace anteroom::api {
namespace {

using net::Status;

constexpr std::int64_t told_retry_seconds = 60; // What the original's clients are told.
constexpr std::uint32_t wants_page = 1;         // A note on a request.

bool accepts_html(const net::Request& request) {
    return request.header("accept").value_or("").find("text/html") != std::string_view::npos;
}

using Names = std::span<const std::string_view>;
constexpr std::array<std::string_view, 3> uri_names{"x-original-uri", "x-forwarded-uri",
                                                    "x-original-url"};
constexpr std::array<std::string_view, 2> method_names{"x-original-method", "x-forwarded-method"};
constexpr std::array<std::string_view, 2> host_names{"x-forwarded-host", "x-original-host"};

// What the request says under any of the names. A proxy sets one of them and passes the others on
// as its client sent them: when they disagree, or one comes twice, nobody knows whom to believe.
struct Said {
    std::string_view value = {}; // Empty: nothing.
    bool is_clear = true;
};
Said said_by(const net::Request& request, Names names) {
    Said said;
    for (const std::string_view name : names) {
        if (!request.header(name)) continue;
        const std::optional<std::string_view> value = request.single_header(name);
        if (!value || (!said.value.empty() && *value != said.value)) return {.is_clear = false};
        said.value = *value;
    }
    return said;
}

std::string_view without_origin(std::string_view target) {
    const std::size_t scheme = target.find("://");
    if (scheme >= target.find('/')) return target;
    const std::size_t path = target.find('/', scheme + 3);
    return path == target.npos ? "/" : target.substr(path);
}

// The request that another proxy asks about. Nothing: it is described in two ways, or in none.
std::optional<gate::Question> original_of(const net::Request& request) {
    const Said uri = said_by(request, uri_names), method = said_by(request, method_names),
               host = said_by(request, host_names);
    if (!uri.is_clear || !method.is_clear || !host.is_clear || uri.value.empty())
        return std::nullopt;
    return gate::Question{.method = method.value.empty() ? "GET" : method.value,
                          .host = host.value.empty() ? request.host : host.value,
                          .target = without_origin(uri.value),
                          .headers = request.headers()};
}

// What the origin is told of a verified user. Names from outside never get through.
struct Identity {
    std::array<net::Header, 4> headers;
    std::size_t count = 0;
    std::string number;

    void add(std::string_view name, std::string_view value) {
        if (!value.empty()) headers[count++] = {name, value};
    }
    std::span<const net::Header> view() const { return {headers.data(), count}; }
};

} // namespace

Result<std::unique_ptr<GateKeeper>> GateKeeper::open(Desk& desk, GateShared& shared,
                                                     Dialects dialects) {
    std::unique_ptr<GateKeeper> keeper(new GateKeeper(desk, shared, dialects));
    if (!shared.has_origin()) return keeper;
    Result<std::unique_ptr<gate::Proxy>> proxy =
        gate::Proxy::open(desk.loop(), shared.proxy, *keeper);
    if (!proxy) return proxy.fault();
    keeper->proxy_ = *std::move(proxy);
    return keeper;
}

WindowLimiter* GateKeeper::limiter_of(std::string_view path) const {
    const std::optional<gate::Category> category = gate::category_of(path);
    return category ? shared_.limiters[static_cast<std::size_t>(*category)].get() : nullptr;
}

std::int64_t GateKeeper::count(WindowLimiter& limiter, const Call& call, std::string_view user) {
    const std::string client = user.empty() ? "ip:" + to_string(call.request().client_address())
                                            : "user:" + std::string(user);
    return limiter.wait_seconds(client, call.now());
}

void GateKeeper::refuse_call(Call& call, std::int64_t wait) {
    net::Answer answer = call.begin(Status::too_many_requests);
    answer.header("Retry-After", static_cast<std::uint64_t>(wait));
    answer.headers("Content-Type: application/json\r\nCache-Control: no-store\r\n");
    fmt::format_to(fmt::appender(answer.body()),
                   R"({{"error":"Rate limit exceeded","retryAfter":{}}})", told_retry_seconds);
}

bool GateKeeper::is_forward_auth(Call& call) {
    for (const std::string_view name : uri_names)
        if (call.request().header(name)) return true;
    return false;
}

void GateKeeper::answer_refusal(Call& call, const gate::Decision& decision) {
    net::Answer answer = call.begin(static_cast<Status>(decision.status));
    answer.header("Cache-Control", gate::refusal_cache_control);
    if (decision.verdict == gate::Verdict::redirect) {
        answer.header("Location", decision.location);
        return answer.send();
    }
    if (decision.status == net::code(Status::unavailable)) answer.header("Retry-After", 5);
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), gate::refusal_body(decision));
}

// Whether the request has not gone around the edge that signs what it lets through; if it has, it
// was refused. Asked before all rules.
bool GateKeeper::is_past_the_edge(Call& call, const gate::Question& question, bool for_nginx) {
    constexpr std::string_view refusal = R"({"error":"Edge signature required"})";
    const std::shared_ptr<const gate::EdgeKeys> keys = shared_.edge_keys.load();
    if (!keys || keys->check(question, call.unix_now()) == gate::StampFault::none) return true;
    net::Answer answer = call.begin(Status::forbidden);
    answer.header("Cache-Control", gate::refusal_cache_control);
    if (for_nginx) answer.header("X-Anteroom-Refusal", refusal);
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), refusal);
    return false;
}

bool GateKeeper::streams_body(const net::Request& request) {
    matched_rules_ = shared_.rules.load();
    matched_ = gate::match_rule(*matched_rules_, gate::question_of(request));
    return !matched_.rule || matched_.rule->body_event.empty();
}

void GateKeeper::handle(Call& call) {
    const gate::Question question = gate::question_of(call.request());
    if (!is_past_the_edge(call, question)) return;
    const Caller& caller = call.caller();
    RoomWitness witness(desk_, call, caller, shared_.sessions_only, dialects_);
    const bool is_matched = call.request().body_streams && matched_rules_;
    const std::shared_ptr<const gate::Rules> rules =
        is_matched ? std::move(matched_rules_) : shared_.rules.load();
    const gate::MatchedRule matched = is_matched ? matched_ : gate::match_rule(*rules, question);
    const gate::Decision decision = gate::decide(*rules, question, matched, witness);
    if (decision.verdict != gate::Verdict::pass) return answer_refusal(call, decision);
    Identity identity;
    const std::string& user = caller.user.empty() ? witness.holder() : caller.user;
    identity.add("X-User-Id", user);
    identity.add("X-User-Role", user.empty() ? "" : caller.is_admin ? "admin" : "user");
    if (witness.number() != 0) { // A pass was shown, and is good.
        identity.number = std::to_string(witness.number());
        identity.add("X-Anteroom-Room", decision.event.view());
        identity.add("X-Anteroom-Number", identity.number);
    }
    proxy_->forward(call.request(), call.exchange(),
                    {.identity = identity.view(),
                     .request_id = call.request_id().view(),
                     .note = accepts_html(call.request()) ? wants_page : 0});
}

// nginx understands 2xx, 401 and 403 only: for it, where to go is said in a header.
void GateKeeper::verify(Call& call) {
    const std::optional<gate::Question> question = original_of(call.request());
    if (!question) {
        net::Answer answer = call.begin(Status::forbidden);
        answer.headers("Content-Type: application/json\r\nCache-Control: no-store\r\n");
        return net::append(answer.body(), R"({"error":"The request is described in two ways"})");
    }
    const bool for_nginx = call.request().query == "mode=nginx";
    if (!is_past_the_edge(call, *question, for_nginx)) return;
    const Caller& caller = call.caller();
    RoomWitness witness(desk_, call, caller, shared_.sessions_only, dialects_);
    const std::shared_ptr<const gate::Rules> rules = shared_.rules.load();
    const gate::Decision decision = gate::decide(*rules, *question, witness);
    if (decision.verdict == gate::Verdict::pass) {
        net::Answer answer = call.begin(Status::no_content);
        const std::string& user = caller.user.empty() ? witness.holder() : caller.user;
        if (!user.empty()) {
            answer.header("X-User-Id", user);
            answer.header("X-User-Role", caller.is_admin ? "admin" : "user");
        }
        if (witness.number() != 0) {
            answer.header("X-Anteroom-Room", decision.event.view());
            answer.header("X-Anteroom-Number", witness.number());
        }
        return answer.send();
    }
    if (!for_nginx) return answer_refusal(call, decision);
    net::Answer answer =
        call.begin(decision.status == 401 ? Status::unauthorized : Status::forbidden);
    answer.header("Cache-Control", gate::refusal_cache_control);
    if (decision.verdict == gate::Verdict::redirect) {
        answer.header("X-Anteroom-Redirect", decision.location);
        return answer.send();
    }
    const std::string body = gate::refusal_body(decision);
    answer.header("X-Anteroom-Refusal", body); // nginx drops the body.
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), body);
}

void GateKeeper::refuse(const gate::Failure& failure, net::Answer& answer) {
    answer.header("Cache-Control", "no-store");
    if (failure.status == Status::unavailable) answer.header("Retry-After", 5);
    if (failure.note == wants_page) {
        answer.header("Content-Type", "text/html; charset=utf-8");
        answer.header("Content-Security-Policy", page_policy);
        net::append(answer.body(), assets::down_page.plain);
        return;
    }
    answer.header("Content-Type", "application/problem+json");
    net::Output& out = answer.body();
    fmt::format_to(fmt::appender(out),
                   R"({{"type":"about:blank#unavailable","title":"{}","status":{},)"
                   R"("code":"unavailable","detail":)",
                   net::phrase(failure.status), net::code(failure.status));
    append_json_string(out, failure.reason);
    fmt::format_to(fmt::appender(out), R"(,"request_id":"{}"}})", failure.request_id);
}

} // namespace anteroom::api
