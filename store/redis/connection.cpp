#include "store/redis/connection.h"

#include "base/check.h"
#include "net/loop.h"
#include "net/resolve.h"
#include "store/redis/command.h"
#include "store/redis/server_error.h"

namespace anteroom::redis {
namespace {

constexpr Millis for_ever{instant_max.ms};

// Of the first words: one that goes away by itself. Others are for whoever runs the server.
bool is_passing(const Reply& error) {
    return meaning_of(error) == Meaning::later ||
           error.text.starts_with("ERR max number of clients");
}

} // namespace

Connection::Connection(net::Loop& loop, const ClientOptions& options, Counters& counters,
                       Address address, Owner& owner)
    : loop_(loop),
      options_(options),
      counters_(counters),
      address_(std::move(address)),
      owner_(owner),
      self_(std::make_shared<Connection*>(this)),
      reader_(ReplyLimits{.bytes_max = options.reply_bytes_max}) {}

Connection::~Connection() {
    close();
    *self_ = nullptr;
}

void Connection::open() {
    net::spawn(loop_, look_up(self_, loop_, address_, options_.connect_timeout));
}

net::Task<void> Connection::look_up(std::shared_ptr<Connection*> self, net::Loop& loop,
                                    Address address, Millis deadline) {
    const auto found = co_await net::resolve(loop, address.host, address.port, deadline);
    if (*self) (*self)->on_resolved(found);
}

void Connection::on_resolved(const Result<std::vector<sockaddr_storage>>& found) {
    if (state_ == State::ended) return;
    if (!found) return end(Ended::unreachable, found.fault().reason);
    addresses_ = *found;
    try_next("no socket is to be had");
}

void Connection::try_next(const std::string& last_fault) {
    if (upstream_) {
        upstream_->close();
        loop_.soon([dead = std::move(upstream_)] {}); // This may be one of its own calls.
    }
    while (next_address_ < addresses_.size()) {
        const std::string& name =
            options_.server_name.empty() ? address_.host : options_.server_name;
        const net::UpstreamAddress to{.address = addresses_[next_address_++],
                                      .tls = options_.url.tls ? options_.tls : nullptr,
                                      .server_name = name};
        upstream_ = std::make_unique<net::Upstream>(loop_);
        if (upstream_->connect(to, options_.connect_timeout, *this)) return;
    }
    end(Ended::unreachable, last_fault);
}

void Connection::close() {
    state_ = State::ended;
    if (upstream_) upstream_->close();
}

void Connection::end(Ended how, std::string why) {
    if (state_ == State::ended) return;
    close();
    owner_.on_ended({.how = how, .why = without_secrets(std::move(why), options_.url)});
}

void Connection::send(std::string_view wire) {
    CHECK(is_ready());
    counters_.bytes_sent.add(static_cast<std::int64_t>(wire.size()));
    upstream_->send(wire);
}

void Connection::on_upstream_open(net::Upstream& upstream) {
    upstream.set_deadline(options_.connect_timeout);
    state_ = State::greeting;
    greet();
}

void Connection::greet() {
    std::string wire;
    const auto say = [&](Step step, const Words& words) {
        append_command(wire, words);
        steps_.push_back(step);
    };
    const Url& url = options_.url;
    if (!url.password.empty()) {
        say(Step::auth,
            url.user.empty() ? Words{"AUTH", url.password} : Words{"AUTH", url.user, url.password});
    }
    if (url.database != 0) say(Step::select, {"SELECT", std::to_string(url.database)});
    say(Step::name, {"CLIENT", "SETNAME", "anteroom"});
    if (!url.cluster) say(Step::role, {"ROLE"});
    counters_.bytes_sent.add(static_cast<std::int64_t>(wire.size()));
    upstream_->send(wire);
}

void Connection::on_greeting(const Reply& reply) {
    const Step step = steps_[next_step_++];
    if (reply.is_error()) {
        on_greeting_error(step, reply);
    } else if (step == Step::role) {
        const auto role = parse_role(reply);
        if (!role) return end(Ended::unreachable, "its role cannot be read");
        role_ = *role;
    }
    if (state_ == State::ended || next_step_ < steps_.size()) return;
    state_ = State::ready;
    upstream_->set_deadline(for_ever);
    owner_.on_ready(role_);
}

void Connection::on_greeting_error(Step step, const Reply& error) {
    if (is_passing(error)) return end(Ended::unreachable, error.text);
    // A user that may not run ROLE or CLIENT SETNAME may still run the commands of the store.
    const bool is_denied = error.error_code() == "NOPERM";
    if (is_denied && (step == Step::name || step == Step::role)) return;
    end(Ended::refused, error.text);
}

void Connection::on_upstream_bytes(net::Upstream&, std::string_view bytes) {
    counters_.bytes_received.add(static_cast<std::int64_t>(bytes.size()));
    heard_at_ = loop_.now();
    while (state_ != State::ended) {
        std::optional<Reply> reply = reader_.read(bytes);
        if (reader_.is_broken()) return fail("it sent " + reader_.fault());
        if (!reply) return;
        if (state_ == State::greeting) {
            on_greeting(*reply);
        } else {
            owner_.on_reply(std::move(*reply));
        }
    }
}

void Connection::on_upstream_drained(net::Upstream&) {
    if (is_ready()) owner_.on_drained();
}

void Connection::on_upstream_end(net::Upstream& upstream, bool) {
    const std::string tls = upstream.tls_fault();
    end(is_ready() ? Ended::broken : Ended::unreachable,
        "the server closed the connection" + (tls.empty() ? "" : ": " + tls));
}

void Connection::on_upstream_failed(net::Upstream&, net::UpstreamFault fault) {
    const std::string why = fault_of(fault);
    if (state_ == State::connecting) return try_next(why);
    end(is_ready() ? Ended::broken : Ended::unreachable, why);
}

std::string Connection::fault_of(net::UpstreamFault fault) const {
    const std::string tls = upstream_->tls_fault();
    switch (fault) {
        case net::UpstreamFault::unreachable: return "nobody listens there";
        case net::UpstreamFault::late:
            return options_.url.tls && state_ == State::connecting && upstream_->is_connected()
                       ? "TLS failed: no answer in time; perhaps a port without TLS"
                       : "no answer in time";
        case net::UpstreamFault::broken:
            return "the connection broke" + (tls.empty() ? "" : ": " + tls);
        case net::UpstreamFault::untrusted: break;
    }
    if (tls.empty()) return "TLS failed: the server closed the connection";
    if (tls.find("mismatch") != tls.npos) // "hostname mismatch", "IP address mismatch"
        return "TLS failed: the certificate is for another name: " + tls;
    if (tls.find("certificate") != tls.npos)
        return "TLS failed: the certificate is not trusted: " + tls;
    return "TLS failed: " + tls;
}

} // namespace anteroom::redis
