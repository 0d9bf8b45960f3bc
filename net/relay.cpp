#include "net/relay.h"

#include "base/check.h"
#include "net/connection.h"
#include "net/relay_session.h"

namespace anteroom::net {

Relay& Relay::operator=(Relay&& other) noexcept {
    if (this == &other) return *this;
    drop();
    connection_ = std::move(other.connection_);
    exchange_ = other.exchange_;
    return *this;
}

Relay::~Relay() {
    drop();
}

void Relay::drop() {
    RelaySession* const session = this->session();
    if (!session) return;
    if (session->has_head()) {
        session->cut();
    } else {
        answer(Status::internal_error);
    }
}

// Null: the client has gone, or another request has begun.
RelaySession* Relay::session() const {
    return connection_ ? connection_->relay(exchange_) : nullptr;
}

RelaySession& Relay::wanted_session() const {
    RelaySession* const session = this->session();
    CHECK(session);
    return *session;
}

bool Relay::wanted() const {
    return session() != nullptr;
}

void Relay::pause_body() {
    if (RelaySession* const session = this->session()) session->pause_body();
}

void Relay::resume_body() {
    if (RelaySession* const session = this->session()) session->resume_body();
}

Output& Relay::begin_head(unsigned status, std::optional<std::uint64_t> length) {
    return wanted_session().begin_head(status, length);
}

bool Relay::takes_interim() const {
    const RelaySession* const session = this->session();
    return session && session->takes_interim();
}

Output& Relay::begin_interim(unsigned status) {
    return wanted_session().begin_interim(status);
}

Output& Relay::begin_upgrade() {
    return wanted_session().begin_upgrade();
}

void Relay::end_head() {
    wanted_session().end_head();
}

bool Relay::has_begun() const {
    const RelaySession* const session = this->session();
    return session && session->has_begun();
}

bool Relay::has_head() const {
    const RelaySession* const session = this->session();
    return session && session->has_head();
}

void Relay::send(std::string_view piece) {
    if (RelaySession* const session = this->session()) session->send(piece);
}

bool Relay::flush() {
    if (RelaySession* const session = this->session()) session->flush();
    return wanted();
}

std::size_t Relay::backlog_bytes() const {
    return connection_->backlog_bytes();
}

void Relay::finish() {
    if (RelaySession* const session = this->session()) session->finish();
}

void Relay::cut() {
    if (RelaySession* const session = this->session()) session->cut();
}

Answer Relay::answer(Status status) {
    if (RelaySession* const session = this->session()) session->give_up();
    Output& output = connection_->begin_output();
    return Answer(*connection_, output, status, connection_->is_deferred(exchange_));
}

} // namespace anteroom::net
