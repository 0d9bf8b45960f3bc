#include "net/server_core.h"

#include <unistd.h>

#include "base/check.h"
#include "net/connection.h"
#include "net/loop.h"

namespace anteroom::net {

ServerCore::ServerCore(Loop& on, Handler& with, ServerOptions given)
    : loop(on), handler(with), options(std::move(given)), acceptor(on, stats.accept_pauses) {
    CHECK(options.limits.headers_max <= limits::headers_max);
    CHECK(options.limits.pipelined_max > 0);
    if (!options.budget) options.budget = std::make_shared<ConnectionBudget>();
}

ServerCore::~ServerCore() {
    CHECK(loop.is_current());
    acceptor.close();
    done_ = Job();
    while (first) first->close();
}

Result<void> ServerCore::listen() {
    return acceptor.open(
        options.address, options.port, options.joins_port ? PortUse::join : PortUse::alone,
        [this](int descriptor, const IpAddress& peer) { return on_accept(descriptor, peer); });
}

Acceptor::Verdict ServerCore::on_accept(int descriptor, const IpAddress& peer) {
    stats.accepted.add();
    const bool shared = options.proxies.trusts(peer);
    const bool welcome = options.budget->enter(peer, shared) == ConnectionBudget::Verdict::welcome;
    if (!welcome) ++refusals;
    Connection::open(*this, descriptor, peer, !welcome);
    // A connection that gets a 503 has a descriptor until it is closed. At refusals_max of them the
    // next ones wait in the kernel's queue.
    return refusals >= options.limits.refusals_max ? Acceptor::Verdict::pause
                                                   : Acceptor::Verdict::more;
}

void ServerCore::on_connection_closed() {
    if (refusals < options.limits.refusals_max) acceptor.resume();
    if (!draining || first || !done_) return;
    force_ = Alarm();
    loop.soon(std::move(done_));
    done_ = Job();
}

void ServerCore::shut_down(Millis deadline, const Frame& farewell, Job done) {
    CHECK(!draining);
    draining = true;
    acceptor.close();
    if (!first) {
        loop.soon(std::move(done));
        return;
    }
    done_ = std::move(done);
    force_ = loop.after(deadline, [this] {
        while (first) first->close();
    });
    for (Connection* connection = first; connection;) {
        Connection* const next = connection->next();
        connection->drain(farewell);
        connection = next;
    }
}

HttpServer::HttpServer(std::unique_ptr<ServerCore> core) : core_(std::move(core)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::listen(Loop& loop, Handler& handler,
                                                       ServerOptions options) {
    CHECK(loop.is_current());
    auto core = std::make_unique<ServerCore>(loop, handler, std::move(options));
    if (auto listening = core->listen(); !listening) return listening.fault();
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

std::uint16_t HttpServer::port() const {
    return core_->acceptor.port();
}

const ServerStats& HttpServer::stats() const {
    return core_->stats;
}

void HttpServer::shut_down(Millis deadline, const Frame& farewell, Job done) {
    CHECK(core_->loop.is_current());
    core_->shut_down(deadline, farewell, std::move(done));
}

} // namespace anteroom::net
