#include "gate/proxy_testing.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "net/text.h"

namespace anteroom::gate::testing {

using net::testing::Dial;
using net::testing::prolong;
using net::testing::uninterrupted;
using net::testing::WireResponse;

namespace {

std::string header_of(std::string_view head, std::string_view name) {
    const WireResponse parsed{.status = 0, .head = std::string(head.substr(head.find("\r\n") + 2))};
    return parsed.header(name);
}

GateOptions patient(GateOptions options) {
    options.server = net::testing::patient(std::move(options.server));
    options.proxy.origins.limits = net::testing::patient(options.proxy.origins.limits);
    const ProxyLimits everyday;
    prolong(options.proxy.limits.first_byte, everyday.first_byte);
    prolong(options.proxy.limits.idle, everyday.idle);
    return options;
}

} // namespace

Line::~Line() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::string Line::read_some() {
    if (!pending_.empty()) return std::exchange(pending_, {});
    std::array<char, 65'536> buffer;
    const ssize_t count =
        uninterrupted([&] { return ::recv(descriptor_, buffer.data(), buffer.size(), 0); });
    return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : std::string();
}

std::string Line::read_head() {
    std::string got;
    while (true) {
        const std::size_t at = got.find("\r\n\r\n");
        if (at != std::string::npos) {
            pending_ = got.substr(at + 4);
            got.resize(at + 4);
            return got;
        }
        const std::string more = read_some();
        if (more.empty()) return "";
        got += more;
    }
}

std::string Line::read_line() {
    std::string line;
    while (!line.ends_with("\r\n")) {
        const std::string byte = read_exactly(1);
        if (byte.empty()) break;
        line += byte;
    }
    return line;
}

std::string Line::read_exactly(std::size_t count) {
    std::string got;
    while (got.size() < count) {
        std::string more = read_some();
        if (more.empty()) break;
        got += more;
    }
    if (got.size() > count) {
        pending_ = got.substr(count);
        got.resize(count);
    }
    return got;
}

std::string Line::read_body(std::string_view head) {
    const std::string length = header_of(head, "Content-Length");
    if (!length.empty()) return read_exactly(std::strtoul(length.c_str(), nullptr, 10));
    if (header_of(head, "Transfer-Encoding") != "chunked") return "";
    std::string body;
    while (true) {
        const std::size_t size = std::strtoul(read_line().c_str(), nullptr, 16);
        body += read_exactly(size);
        read_line();
        if (size == 0) return body;
    }
}

std::string Line::read_all() {
    std::string got;
    for (std::string more = read_some(); !more.empty(); more = read_some()) got += more;
    return got;
}

bool Line::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = uninterrupted(
            [&] { return ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void Line::finish_writing() {
    ::shutdown(descriptor_, SHUT_WR);
}

void Line::reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::shutdown(descriptor_, SHUT_RD);
    ::close(std::exchange(descriptor_, -1));
}

ScriptedOrigin::ScriptedOrigin(Script script)
    : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    port_ = net::testing::bind_loopback(listener_);
    CHECK(::listen(listener_, 64) == 0);
    acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedOrigin::~ScriptedOrigin() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    for (std::thread& thread : threads_) thread.join();
}

void ScriptedOrigin::accept_all() {
    while (true) {
        const int client =
            uninterrupted([&] { return ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); });
        if (client < 0) return;
        const int number = connections_.fetch_add(1);
        const timeval patience{.tv_sec = 60, .tv_usec = 0};
        ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        const std::lock_guard lock(mutex_);
        threads_.emplace_back([this, client, number] {
            Line line(client, number);
            script_(line);
        });
    }
}

ScriptedOrigin::Script answers(std::string text, std::atomic<int>* requests) {
    return [text = std::move(text), requests](Line& line) {
        for (std::string head = line.read_head(); !head.empty(); head = line.read_head()) {
            if (requests) ++*requests;
            std::string body = line.read_body(head);
            if (body.empty()) body = text;
            line.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
                       "\r\n\r\n" + (head.starts_with("HEAD ") ? "" : body));
        }
    };
}

Gate::Gate(std::vector<std::string> urls, GateOptions options)
    : options_(patient(std::move(options))) {
    options_.proxy.origins.urls = std::move(urls);
    thread_.call([&] {
        auto proxy = Proxy::open(thread_.loop, options_.proxy, *this);
        CHECK(proxy);
        proxy_ = *std::move(proxy);
        auto server = net::HttpServer::listen(thread_.loop, *this, options_.server);
        CHECK(server);
        server_ = *std::move(server);
        port_ = server_->port();
    });
}

Gate::~Gate() {
    thread_.call([&] {
        server_.reset();
        proxy_.reset();
    });
}

WireResponse Gate::ask(std::string_view request) const {
    return dial().ask(request);
}

void Gate::handle(const net::Request& request, net::Exchange& exchange) {
    proxy_->forward(request, exchange,
                    {.identity = options_.identity, .request_id = options_.request_id});
}

void Gate::refuse(const Failure& failure, net::Answer& answer) {
    answer.header("Content-Type", "text/plain");
    net::append(answer.body(), failure.reason);
}

std::string read_chunked(Dial& dial, bool* whole) {
    std::string body;
    while (true) {
        const std::string line = dial.read_until("\r\n");
        if (whole) *whole = line.ends_with("\r\n");
        if (!line.ends_with("\r\n")) return body;
        const std::size_t size = std::strtoul(line.c_str(), nullptr, 16);
        std::string chunk;
        while (chunk.size() < size + 2) {
            const std::string more = dial.read_some();
            if (more.empty()) {
                if (whole) *whole = false;
                return body + chunk;
            }
            chunk += more;
        }
        dial.put_back(chunk.substr(size + 2));
        chunk.resize(size);
        body += chunk;
        if (size == 0) return body;
    }
}

std::string pattern(std::size_t bytes, unsigned seed) {
    std::string text(bytes, '\0');
    std::uint32_t state = seed;
    for (char& c : text) {
        state = state * 1'664'525 + 1'013'904'223;
        c = static_cast<char>('a' + (state >> 24) % 26);
    }
    return text;
}

} // namespace anteroom::gate::testing
