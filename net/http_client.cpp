#include "net/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "net/channel.h"
#include "net/header_check.h"
#include "net/loop.h"
#include "net/url.h"

namespace anteroom::net {

namespace {

bool may_repeat_method(std::string_view method) {
    return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" ||
           method == "OPTIONS";
}

// Framing is this file's own business: a caller's Content-Length would be a second one.
bool is_framing(std::string_view name) {
    return equals_ignoring_case(name, "host") || equals_ignoring_case(name, "content-length") ||
           equals_ignoring_case(name, "transfer-encoding") ||
           equals_ignoring_case(name, "connection");
}

Result<std::string> serialize(const ClientRequest& request, const Url& url) {
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

} // namespace

HttpClient::HttpClient(Loop& loop, ClientOptions options, std::shared_ptr<TlsClient> tls)
    : loop_(loop), options_(std::move(options)), tls_(std::move(tls)) {
    sweep_ = loop.every(options_.idle_deadline, [this] { drop_stale(); });
}

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
    const Result<std::string> bytes = serialize(request, *url);
    if (!bytes) co_return bytes.fault();
    const std::string key = (url->secure ? "https://" : "http://") + url->authority;
    const bool no_body = request.method == "HEAD";

    std::unique_ptr<Channel> channel = take_idle(key);
    if (channel) {
        std::string again = *bytes;
        Attempt attempt = co_await exchange(std::move(channel), key, std::move(again), no_body,
                                            request.response_bytes_max, due);
        const bool repeat =
            attempt.may_repeat && !request.once && may_repeat_method(request.method);
        if (attempt.response || !repeat) co_return std::move(attempt.response);
    }
    std::shared_ptr<TlsClient> tls = url->secure ? tls_ : nullptr;
    const Millis patience = std::min(request.connect_deadline, due - loop_.now());
    auto connected = co_await Channel::connect(loop_, url->host, url->port, tls, patience);
    if (!connected) co_return connected.fault();
    Attempt attempt = co_await exchange(std::move(*connected), key, *bytes, no_body,
                                        request.response_bytes_max, due);
    co_return std::move(attempt.response);
}

Task<HttpClient::Attempt> HttpClient::exchange(std::unique_ptr<Channel> channel, std::string key,
                                               std::string bytes, bool no_body,
                                               std::size_t response_bytes_max, Instant due) {
    channel->send(bytes);
    ResponseReader reader(response_bytes_max, no_body);
    auto step = ResponseReader::Step::more;
    while (step == ResponseReader::Step::more) {
        const Channel::Event event = co_await channel->wait(due - loop_.now());
        if (event == Channel::Event::deadline) co_return Attempt{Fault{"no answer in time"}, false};
        if (event == Channel::Event::bytes) {
            step = reader.feed(channel->take_received());
        } else {
            step = reader.end(channel->ended_cleanly());
        }
    }
    if (step == ResponseReader::Step::failed) {
        Fault fault{std::string(reader.fault())};
        co_return Attempt{std::move(fault), !reader.has_begun()};
    }
    if (reader.keep_alive() && channel->is_quiet()) give_back(key, std::move(channel));
    co_return Attempt{std::move(reader.response()), false};
}

std::unique_ptr<Channel> HttpClient::take_idle(const std::string& key) {
    const auto host = idle_.find(key);
    if (host == idle_.end()) return nullptr;
    while (!host->second.empty()) {
        Idle idle = std::move(host->second.back());
        host->second.pop_back();
        if (idle.channel->is_quiet() && idle.until > loop_.now()) return std::move(idle.channel);
    }
    return nullptr;
}

void HttpClient::give_back(const std::string& key, std::unique_ptr<Channel> channel) {
    if (idle_connections() >= options_.idle_max) return;
    std::vector<Idle>& host = idle_[key];
    if (host.size() >= options_.idle_per_host_max) return;
    host.push_back({std::move(channel), loop_.now() + options_.idle_deadline});
}

void HttpClient::drop_stale() {
    const auto is_stale = [&](const Idle& idle) {
        return !idle.channel->is_quiet() || idle.until <= loop_.now();
    };
    for (auto& host : idle_) std::erase_if(host.second, is_stale);
    std::erase_if(idle_, [](const auto& host) { return host.second.empty(); });
}

std::size_t HttpClient::idle_connections() const {
    std::size_t count = 0;
    for (const auto& host : idle_) count += host.second.size();
    return count;
}

} // namespace anteroom::net
