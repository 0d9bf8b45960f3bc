#include "net/testing.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <future>

#include "base/check.h"
#include "net/text.h"

namespace anteroom::net::testing {

void LoopThread::run(const std::function<void()>& work) {
    // Shared: the promise is still being left when the waiter goes on.
    auto done = std::make_shared<std::promise<void>>();
    auto finished = done->get_future();
    loop.post([&work, done] {
        work();
        done->set_value();
    });
    finished.wait();
}

ServerOptions patient(ServerOptions options) {
    Limits& own = options.limits;
    prolong(own.head_deadline, limits::head_deadline);
    prolong(own.body_grace, limits::body_grace);
    prolong(own.idle_deadline, limits::idle_deadline);
    prolong(own.answer_deadline, limits::answer_deadline);
    prolong(own.handshake_deadline, limits::handshake_deadline);
    prolong(own.write_stall_deadline, limits::write_stall_deadline);
    prolong(own.unheard_deadline, limits::unheard_deadline);
    prolong(own.linger_deadline, limits::linger_deadline);
    prolong(own.half_closed_deadline, limits::half_closed_deadline);
    return options;
}

ClientOptions patient(ClientOptions options) {
    prolong(options.idle_deadline, ClientOptions().idle_deadline);
    return options;
}

ClientRequest patient(ClientRequest request) {
    const ClientRequest everyday;
    prolong(request.connect_deadline, everyday.connect_deadline);
    prolong(request.deadline, everyday.deadline);
    return request;
}

UpstreamLimits patient(UpstreamLimits limits) {
    const UpstreamLimits everyday;
    prolong(limits.connect_deadline, everyday.connect_deadline);
    prolong(limits.idle_deadline, everyday.idle_deadline);
    return limits;
}

TestServer::TestServer(HandleFunction handler, ServerOptions options)
    : handler_(std::move(handler)) {
    thread_.call([&] {
        auto listening = HttpServer::listen(thread_.loop, handler_, patient(std::move(options)));
        CHECK(listening);
        server_ = std::move(*listening);
        port_ = server_->port();
    });
}

TestServer::~TestServer() {
    destroy_server();
}

void TestServer::destroy_server() {
    thread_.call([&] { server_.reset(); });
}

bool eventually(const std::function<bool()>& claim) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!claim()) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // Others need the processor.
    }
    return true;
}

namespace {

using FetchPromise = std::promise<Result<ClientResponse>>;

Task<void> fetch_into(HttpClient& client, ClientRequest request, std::shared_ptr<FetchPromise> to) {
    Result<ClientResponse> response = co_await client.fetch(std::move(request));
    to->set_value(std::move(response));
}

} // namespace

Result<ClientResponse> fetch(LoopThread& thread, HttpClient& client, ClientRequest request) {
    auto promise = std::make_shared<FetchPromise>();
    auto response = promise->get_future();
    thread.call(
        [&] { spawn(thread.loop, fetch_into(client, patient(std::move(request)), promise)); });
    return response.get();
}

std::string WireResponse::header(std::string_view name) const {
    std::string_view rest = head;
    while (!rest.empty()) {
        const std::size_t end = rest.find("\r\n");
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        if (equals_ignoring_case(line.substr(0, colon), name)) {
            return std::string(trim(line.substr(colon + 1)));
        }
    }
    return "";
}

Dial::Dial() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    CHECK(descriptor_ >= 0);
    const timeval longest{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
}

bool Dial::connect(std::uint16_t port) {
    sockaddr_in peer{};
    peer.sin_family = AF_INET;
    peer.sin_port = htons(port);
    peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int result = uninterrupted(
        [&] { return ::connect(descriptor_, reinterpret_cast<sockaddr*>(&peer), sizeof peer); });
    // An interrupted connect() goes on in the kernel; the second call then gives EISCONN.
    connected_ = result == 0 || errno == EISCONN;
    return connected_;
}

Dial::~Dial() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Dial::Dial(Dial&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      connected_(other.connected_),
      pending_(std::move(other.pending_)) {}

bool Dial::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = uninterrupted(
            [&] { return ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void Dial::finish_writing() {
    ::shutdown(descriptor_, SHUT_WR);
}

void Dial::reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(descriptor_);
    descriptor_ = -1;
}

void Dial::set_receive_buffer(int bytes) {
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

std::string Dial::read_some() {
    if (!pending_.empty()) return std::exchange(pending_, {});
    std::array<char, 16384> buffer{};
    const ssize_t count =
        uninterrupted([&] { return ::recv(descriptor_, buffer.data(), buffer.size(), 0); });
    return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : std::string();
}

std::string Dial::read_until(std::string_view mark) {
    std::string got;
    while (true) {
        const std::size_t at = got.find(mark);
        if (at != std::string::npos) {
            pending_ = got.substr(at + mark.size());
            got.resize(at + mark.size());
            return got;
        }
        const std::string more = read_some();
        if (more.empty()) return got;
        got += more;
    }
}

std::string Dial::read_all() {
    std::string got;
    for (std::string more = read_some(); !more.empty(); more = read_some()) got += more;
    return got;
}

WireResponse Dial::read_response(bool to_head) {
    WireResponse response;
    const std::string head = read_until("\r\n\r\n");
    if (!head.starts_with("HTTP/1.1 ") || !head.ends_with("\r\n\r\n")) return response;
    response.status = static_cast<unsigned>(std::strtoul(head.c_str() + 9, nullptr, 10));
    response.head = head.substr(head.find("\r\n") + 2);
    const std::string length = response.header("Content-Length");
    std::size_t missing = to_head || length.empty() ? 0 : std::strtoul(length.c_str(), nullptr, 10);
    while (missing > 0) {
        std::string more = read_some();
        if (more.empty()) break;
        if (more.size() > missing) {
            pending_ = more.substr(missing);
            more.resize(missing);
        }
        missing -= more.size();
        response.body += more;
    }
    return response;
}

WireResponse Dial::ask(std::string_view request) {
    write(request);
    return read_response(request.starts_with("HEAD "));
}

std::uint16_t bind_loopback(int descriptor) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    CHECK(::bind(descriptor, generic, length) == 0);
    CHECK(::getsockname(descriptor, generic, &length) == 0);
    return ntohs(address.sin_port);
}

ClosedPort::ClosedPort()
    : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      port_(bind_loopback(descriptor_)) {}

ClosedPort::~ClosedPort() {
    ::close(descriptor_);
}

Dial dial_saying(TestServer& server, std::string_view words) {
    return server.thread().call([&] {
        Dial dial(server.port());
        dial.write(words);
        return dial;
    });
}

} // namespace anteroom::net::testing
