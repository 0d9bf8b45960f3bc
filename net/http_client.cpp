#include "net/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "net/header_check.h"
#include "net/http_call.h"
#include "net/loop.h"
#include "net/resolve.h"
#include "net/url.h"

namespace anteroom::net {

namespace {

bool may_repeat_method(std::string_view method) {
    return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" ||
           method == "OPTIONS";
}

// serialize() writes these: a caller's Content-Length would be a second one.
bool is_framing(std::string_view name) {
    return equals_ignoring_case(name, "host") || equals_ignoring_case(name, "content-length") ||
           equals_ignoring_case(name, "transfer-encoding") ||
           equals_ignoring_case(name, "connection");
}

Result<std::string> serialize(const ClientRequest& request, const Url& url,
                              std::size_t body_bytes_max) {
    if (request.body.size() > body_bytes_max) return Fault{"request body too large"};
    if (request.method.empty() || !all(request.method, in_token)) return Fault{"invalid method"};
    fmt::memory_buffer bytes;
    const auto out = fmt::appender(bytes);
    fmt::format_to(out, "{} {} HTTP/1.1\r\nHost: {}\r\n", request.method, url.target,
                   url.authority);
    for (const auto& [name, value] : request.headers) {
        if (!is_safe_header(name, value) || is_framing(name)) {
            return Fault{"header that must not be sent: " + name};
        }
        fmt::format_to(out, "{}: {}\r\n", name, value);
    }
    const bool has_body = !request.body.empty() || request.method == "POST" ||
                          request.method == "PUT" || request.method == "PATCH";
    if (has_body) fmt::format_to(out, "Content-Length: {}\r\n", request.body.size());
    fmt::format_to(out, "\r\n{}", request.body);
    return fmt::to_string(bytes);
}

HttpCallTerms terms_of(const ClientRequest& request, const Url& url, Instant due) {
    return {.host = url.host,
            .response_bytes_max = request.response_bytes_max,
            .to_head = request.method == "HEAD",
            .due = due};
}

} // namespace

HttpClient::HttpClient(Loop& loop, ClientOptions options, std::shared_ptr<TlsClient> tls)
    : loop_(loop), options_(std::move(options)), tls_(std::move(tls)) {}

HttpClient::~HttpClient() = default;

Result<std::unique_ptr<HttpClient>> HttpClient::create(Loop& loop, ClientOptions options) {
    CHECK(loop.is_current());
    auto tls = TlsClient::load(options.authorities);
    if (!tls) return tls.fault();
    return std::unique_ptr<HttpClient>(new HttpClient(loop, std::move(options), std::move(*tls)));
}

Task<Result<ClientResponse>> HttpClient::fetch(ClientRequest request) {
    CHECK(loop_.is_current());
    const Instant due = loop_.now() + request.deadline;
    const std::optional<Url> url = parse_url(request.url);
    if (!url) co_return Fault{"not an http URL: " + request.url};
    const Result<std::string> bytes = serialize(request, *url, options_.request_bytes_max);
    if (!bytes) co_return bytes.fault();
    {
        UpstreamPool& pool = pool_of(*url);
        HttpCall call(loop_, pool, terms_of(request, *url, due));
        if (call.reuse()) {
            Result<ClientResponse> response = co_await call.run(*bytes);
            keep(pool, call.take_reusable());
            const bool repeats =
                call.ended_before_answer() && !request.once && may_repeat_method(request.method);
            if (response || !repeats) co_return std::move(response);
        }
    }
    co_return co_await fetch_on_new(request, *url, *bytes, due);
}

// The parameters live in the frame of fetch(), which awaits this.
Task<Result<ClientResponse>> HttpClient::fetch_on_new(const ClientRequest& request, const Url& url,
                                                      const std::string& bytes, Instant due) {
    const Instant connect_due = std::min(due, loop_.now() + request.connect_deadline);
    const Millis patience = connect_due - loop_.now();
    const auto addresses = co_await resolve(loop_, url.host, url.port, patience);
    if (!addresses) co_return addresses.fault();
    Result<ClientResponse> last = Fault{"cannot connect to " + url.host};
    for (const sockaddr_storage& address : *addresses) {
        UpstreamPool& pool = pool_of(url);
        if (pool.is_full()) co_return Fault{"too many connections to " + url.host};
        HttpCall call(loop_, pool, terms_of(request, url, due));
        const UpstreamAddress to{
            .address = address,
            .tls = url.secure ? tls_ : nullptr,
            .server_name = options_.server_name.empty() ? url.host : options_.server_name};
        if (!call.open(to, connect_due - loop_.now())) continue;
        last = co_await call.run(bytes);
        keep(pool, call.take_reusable());
        if (last || !call.was_unreachable()) break;
    }
    co_return last;
}

UpstreamPool& HttpClient::pool_of(const Url& url) {
    const std::string key = (url.secure ? "https://" : "http://") + url.authority;
    if (const auto found = pools_.find(key); found != pools_.end()) return found->second;
    // Pools without a connection serve nothing: the map grows with the hosts in use only.
    std::erase_if(pools_, [](const auto& pool) { return pool.second.connections() == 0; });
    const UpstreamLimits limits{.connections_max = options_.connections_per_host_max,
                                .idle_max = options_.idle_per_host_max,
                                .idle_deadline = options_.idle_deadline};
    return pools_.try_emplace(key, loop_, limits).first->second;
}

void HttpClient::keep(UpstreamPool& pool, std::unique_ptr<Upstream> upstream) {
    if (!upstream) return;
    if (idle_connections() < options_.idle_max) {
        pool.give_back(std::move(upstream));
    } else {
        pool.discard(std::move(upstream));
    }
}

std::size_t HttpClient::idle_connections() const {
    std::size_t count = 0;
    for (const auto& host : pools_) count += host.second.idle();
    return count;
}

} // namespace anteroom::net
