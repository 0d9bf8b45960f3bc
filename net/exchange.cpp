#include "net/exchange.h"

#include <cstring>

#include "base/check.h"
#include "net/connection.h"
#include "net/loop.h"
#include "net/relay.h"
#include "net/server_core.h"

namespace anteroom::net {

ConnectionRef::ConnectionRef(Connection* connection) : connection_(connection) {
    if (connection_) connection_->retain();
}

ConnectionRef::ConnectionRef(ConnectionRef&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

ConnectionRef& ConnectionRef::operator=(ConnectionRef&& other) noexcept {
    std::swap(connection_, other.connection_);
    return *this;
}

ConnectionRef::~ConnectionRef() {
    if (connection_) connection_->release();
}

namespace {

// Space for the digits of any Content-Length; what is not needed is closed up at the end.
constexpr char length_gap[] = "Content-Length: 0000000000\r\n\r\n";
constexpr std::size_t length_gap_bytes = sizeof length_gap - 1;
constexpr std::size_t length_digits_at = 16;
constexpr std::size_t length_digits_max = 10;

} // namespace

Answer::Answer(Connection& connection, Output& output, Status status, bool wanted)
    : connection_(&connection),
      output_(output),
      begin_(output.size()),
      status_(status),
      wanted_(wanted) {
    begin(status);
}

void Answer::begin(Status status) {
    status_ = status;
    length_at_ = 0;
    output_.resize(begin_);
    Loop& loop = connection_->loop();
    compose(output_, status_line(status), loop.buffers().date.at(loop.now()));
    if (!connection_->keeps_alive()) {
        append(output_, "Connection: close\r\n");
    } else if (connection_->is_http10()) {
        append(output_, "Connection: keep-alive\r\n");
    }
}

Answer& Answer::headers(HeaderLines lines) {
    CHECK(length_at_ == 0 && !sent_);
    append(output_, lines.text());
    return *this;
}

Answer& Answer::header(HeaderName name, std::string_view value) {
    CHECK(length_at_ == 0 && !sent_);
    if (is_value(value)) {
        compose(output_, name.text(), ": ", value, "\r\n");
    } else {
        poisoned_ = true;
    }
    return *this;
}

Answer& Answer::header(HeaderName name, std::uint64_t value) {
    CHECK(length_at_ == 0 && !sent_);
    compose(output_, name.text(), ": ", value, "\r\n");
    return *this;
}

Answer& Answer::close() {
    CHECK(length_at_ == 0 && !sent_);
    if (connection_->keeps_alive() && wanted_) {
        connection_->close_after_answer();
        append(output_, "Connection: close\r\n");
    }
    return *this;
}

Output& Answer::body() {
    CHECK(!sent_);
    if (length_at_ == 0) {
        length_at_ = output_.size() + length_digits_at;
        compose(output_, length_gap);
    }
    return output_;
}

bool Answer::may_have_body() const {
    return status_ != Status::no_content && status_ != Status::not_modified;
}

void Answer::send() {
    if (std::exchange(sent_, true)) return;
    if (poisoned_) begin(Status::internal_error);
    finish();
    if (wanted_) return connection_->finish_answer();
    LoopBuffers& buffers = connection_->loop().buffers();
    recycle(buffers.deferred);
    buffers.deferred_in_use = false;
}

void Answer::finish() {
    if (!may_have_body()) { // RFC 9110, 8.6: no Content-Length either.
        if (length_at_ != 0) output_.resize(length_at_ - length_digits_at);
        append(output_, "\r\n");
        return;
    }
    if (length_at_ == 0) {
        append(output_, "Content-Length: 0\r\n\r\n");
        return;
    }
    const std::size_t body_at = length_at_ - length_digits_at + length_gap_bytes;
    const std::size_t body_bytes = output_.size() - body_at;
    char* const digits = output_.data() + length_at_;
    CHECK(decimal_length(body_bytes) <= length_digits_max);
    char* const end = write_decimal(digits, body_bytes);
    const auto spare = static_cast<std::size_t>(digits + length_digits_max - end);
    std::memmove(end, end + spare, output_.size() - length_at_ - length_digits_max);
    output_.resize(output_.size() - spare - (connection_->is_head() ? body_bytes : 0));
}

Reply& Reply::operator=(Reply&& other) noexcept {
    if (this == &other) return *this;
    drop();
    connection_ = std::move(other.connection_);
    exchange_ = other.exchange_;
    return *this;
}

Reply::~Reply() {
    drop();
}

void Reply::drop() {
    if (connection_ && wanted()) answer(Status::internal_error);
}

bool Reply::wanted() const {
    CHECK(connection_->loop().is_current());
    return connection_->is_deferred(exchange_);
}

Answer Reply::answer(Status status) {
    const bool is_wanted = wanted();
    Output& output = connection_->begin_output();
    return Answer(*connection_, output, status, is_wanted);
}

std::optional<EventStream> Reply::stream(std::span<const Header> headers) {
    if (!wanted()) return std::nullopt;
    return connection_->begin_stream(headers);
}

EventStream& EventStream::operator=(EventStream&& other) noexcept {
    if (this == &other) return *this;
    EventStream old(std::move(*this));
    connection_ = std::move(other.connection_);
    return *this;
}

EventStream::~EventStream() {
    if (!connection_) return;
    connection_->on_stream_close(Job());
    connection_->end_stream();
}

bool EventStream::send(const Frame& frame) {
    return connection_->send_frame(frame);
}

bool EventStream::alive() const {
    return connection_->is_streaming();
}

std::size_t EventStream::backlog_bytes() const {
    return connection_->backlog_bytes();
}

void EventStream::on_close(Job job) {
    connection_->on_stream_close(std::move(job));
}

void EventStream::close() {
    connection_->end_stream();
}

Answer Exchange::answer(Status status) {
    CHECK(connection_.is_answering());
    return connection_.begin_answer(status);
}

void Exchange::answer(Status status, std::string_view content_type, std::string_view body) {
    Answer answer = this->answer(status);
    answer.header("Content-Type", content_type);
    append(answer.body(), body);
}

Reply Exchange::defer() {
    CHECK(connection_.is_answering());
    connection_.defer();
    return Reply(&connection_, connection_.exchange());
}

std::optional<EventStream> Exchange::stream(std::span<const Header> headers) {
    CHECK(connection_.is_answering());
    return connection_.begin_stream(headers);
}

Relay Exchange::relay(RelayOwner& owner) {
    CHECK(connection_.is_answering());
    connection_.begin_relay(owner);
    return Relay(&connection_, connection_.exchange());
}

void Handler::refused(const Refusal& refusal, Answer& answer) {
    answer.header("Content-Type", "text/plain; charset=utf-8");
    append(answer.body(), refusal.reason);
    append(answer.body(), "\n");
}

} // namespace anteroom::net
